import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import sharp from 'sharp'
import { beforeAll, expect, it } from 'vitest'
import { createThumbnails } from '../../src/report/thumbnails.ts'
import { putPhoto, useWorld } from '../support/world.ts'
import { allOf, cellsOf, made, pagesOf, partsOf, structureOf } from './support.ts'

const world = useWorld()
let studioId: string

const photo = (format: 'png' | 'jpeg' | 'webp') =>
  sharp({ create: { width: 640, height: 360, channels: 3, background: '#306080' } })
    .toFormat(format)
    .toBuffer()

beforeAll(async () => {
  studioId = (await world.newStudio()).id
  const item = async (name: string, key: string, bytes?: Buffer) => {
    const item_id = await world.add('items', { name }, studioId)
    await world.add('item_photos', { item_id, storage_key: key }, studioId)
    if (bytes) await putPhoto(world.photosDir, key, bytes)
  }
  const jpeg = await photo('jpeg')
  await item('A JPEG', 'r/a.jpg', jpeg)
  await item('A PNG', 'r/b.png', await photo('png'))
  await item('A WebP', 'r/c.webp', await photo('webp'))
  await item('Cut short', 'r/d.jpg', jpeg.subarray(0, 400))
  await item('No image', 'r/e.png', Buffer.from('not an image'))
  await item('Empty', 'r/f.png', Buffer.alloc(0))
  await item('Gone', 'r/g.jpg')
  await item('Not served', '../../etc/passwd')
  await world.add('items', { name: 'Without' }, studioId)
})

it.each(['pdf', 'xlsx'] as const)(
  'a %s shows photos, and says of each that is missing or broken that it is',
  async (format) => {
    const { outcome, bytes } = await made(world, { format, studioId })
    expect(outcome.photos).toEqual({ shown: 3, missing: 2, unreadable: 3, omitted: 0 })
    expect(outcome.totals.all.items).toBe(9)
    if (format === 'pdf') {
      const text = (await pagesOf(bytes)).join('\n')
      expect(text.match(/photo\nmissing/g)).toHaveLength(2)
      expect(text.match(/photo\nunreadable/g)).toHaveLength(3)
      expect(bytes.toString('latin1').match(/\/Subtype \/Image/g)).toHaveLength(3)
      const described = allOf('Figure', (await structureOf(bytes)).flat()).map(({ alt }) => alt)
      expect(described).toEqual(['Photo of A JPEG', 'Photo of A PNG', 'Photo of A WebP'])
      return
    }
    const parts = partsOf(bytes)
    expect([...parts.keys()].filter((name) => name.startsWith('xl/media/'))).toHaveLength(3)
    expect(parts.get('xl/drawings/drawing1.xml')?.match(/<xdr:row>/g)?.length).toBeGreaterThanOrEqual(3)
    const words = new Map(cellsOf(parts, 1).map((cells) => [cells.get('B')?.text, cells.get('A')?.text]))
    expect(words.get('Gone')).toBe('photo missing')
    expect(words.get('Cut short')).toBe('photo unreadable')
    expect(words.get('Without')).toBe('no photo')
    expect(words.get('A PNG')).toBe('')
  },
)

it('photos in a bucket are fetched by their signed URL; what the storage refuses is missing', async () => {
  const bytes = await photo('jpeg')
  const server = createServer((request, response) => {
    if (request.url === '/there?signed') response.end(bytes)
    else response.writeHead(404).end('<Error/>')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  try {
    const thumbnails = createThumbnails({ sign: async (key) => `http://127.0.0.1:${port}/${key}?signed` })
    expect(await thumbnails('there')).toMatchObject({ width: 120, height: 68 })
    expect(await thumbnails('gone')).toBe('missing')
    const unsigned = createThumbnails({ sign: () => Promise.reject(new Error('no key')) })
    expect(await unsigned('there')).toBe('missing')
  } finally {
    server.close()
  }
})
