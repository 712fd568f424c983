import { LRUCache } from 'lru-cache'
import { isUuid, messageOf } from '../../domain/text.ts'
import { send } from '../../http/response.ts'
import type { PhotoSigner } from '../../photos/signer.ts'
import type { Context } from '../context.ts'
import { notFound, requireMember } from '../guards.ts'
import { asMember } from './member-session.ts'
import { createPhotoLine } from './photo-line.ts'

/** The pictures are squares of this many pixels: twice as many as the page shows, for dense
 * screens. */
const edges = { small: 96, large: 960 } as const

/** How many bytes of pictures to keep. */
const keptBytes = 16 * 2 ** 20

/** What browsers show in place of a photo; the words say why. */
const placeholder = (why: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 96 96"><rect width="96" height="96" fill="#eeeef2"/><text x="48" y="52" font-family="sans-serif" font-size="13" text-anchor="middle" fill="#55555c">${why}</text></svg>`

/** GET /studios/:studio/photos/:photo/:size: a photo as a small JPEG. Lists of photos stay
 * small, and the pages' policy need not allow another host. A photo that cannot be shown is a 404
 * with a picture that says why. */
export function photoHandler({ reader, log }: Context, photos: PhotoSigner) {
  const kept = new LRUCache<string, Buffer>({ maxSize: keptBytes, sizeCalculation: ({ length }) => length })
  const scaled = import('../../report/thumbnails.ts').catch((cause: unknown) => {
    log.warn({ reason: messageOf(cause) }, 'the console shows no photos')
    return undefined
  })
  const line = createPhotoLine()
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
    const make = async () => {
      // While it waited, another request may have made this photo, or the reader may have left.
      const made = kept.get(name)
      if (made !== undefined || response.closed) return made
      const thumbnail = await (await scaled)?.createThumbnails(photos, edges[size])(key)
      if (typeof thumbnail !== 'object') return thumbnail
      kept.set(name, thumbnail.jpeg)
      return thumbnail.jpeg
    }
    const picture = kept.get(name) ?? (await line.wait(studio.id, make))
    if (picture === undefined) throw notFound()
    if (typeof picture === 'string') return send(response, 404, 'image/svg+xml', placeholder(picture))
    response.setHeader('Cache-Control', 'private, max-age=3600')
    send(response, 200, 'image/jpeg', picture)
  })
}
