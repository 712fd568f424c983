import { LRUCache } from 'lru-cache'
import { isUuid, messageOf } from '../../domain/text.ts'
import { send } from '../../http/response.ts'
import type { PhotoSigner } from '../../photos/signer.ts'
import type { Context } from '../context.ts'
import { notFound, requireMember } from '../guards.ts'
import { asMember } from './member-session.ts'

/** The pictures are squares of this many pixels: twice as many as the page shows, for dense
 * screens. */
const edges = { small: 96, large: 960 } as const

/** How many bytes of pictures to keep. */
const keptBytes = 16 * 2 ** 20

/** GET /studios/:studio/photos/:photo/:size: a photo as a small JPEG. Lists of photos stay
 * small, and the pages' policy need not allow another host. */
export function photoHandler({ reader, log }: Context, photos: PhotoSigner) {
  const kept = new LRUCache<string, Buffer>({ maxSize: keptBytes, sizeCalculation: ({ length }) => length })
  const scaled = import('../../report/thumbnails.ts').catch((cause: unknown) => {
    log.warn({ reason: messageOf(cause) }, 'the console shows no photos')
    return undefined
  })
  return requireMember(async ({ request, response, session, studio }) => {
    const { photo, size } = request.params
    if (!isUuid(photo) || (size !== 'small' && size !== 'large')) throw notFound()
    const key = await asMember(reader, session.digest, studio.id, async ({ query }) => {
      const [row] = await query<{ key: string }>(
        'select p.storage_key as key from service.item_photos p where p.id = $1',
        [photo],
      )
      return row?.key
    })
    if (key === undefined) throw notFound()
    const name = `${size} ${key}`
    let picture = kept.get(name)
    if (picture === undefined) {
      const thumbnail = await (await scaled)?.createThumbnails(photos, edges[size])(key)
      if (typeof thumbnail !== 'object') throw notFound()
      picture = thumbnail.jpeg
      kept.set(name, picture)
    }
    response.setHeader('Cache-Control', 'private, max-age=3600')
    send(response, 200, 'image/jpeg', picture)
  })
}
