import { Readable } from 'node:stream'
import sharp, { type Sharp } from 'sharp'
import { expect, it, onTestFinished, vi } from 'vitest'
import { createThumbnails } from '../../src/report/thumbnails.ts'

/** Makes the thumbnail of these bytes. */
const thumbnailOf = (photo: Buffer) =>
  createThumbnails({
    sign: async (key) => `http://localhost/photos/${key}`,
    open: async () => ({ contentType: 'image/jpeg', bytes: photo.length, content: Readable.from([photo]) }),
  })('photo')

const plain = (width: number, height: number, channels: 3 | 4 = 3) =>
  sharp({ create: { width, height, channels, background: { r: 40, g: 90, b: 140, alpha: 0.5 } } })

/** Each needs its whole picture in memory, and fits or has a few pixels too many. */
it.each([
  ['a progressive JPEG', 4_990, 5_010, (w: number, h: number) => plain(w, h).jpeg({ progressive: true })],
  ['a PNG', 5_340, 5_350, (w: number, h: number) => plain(w, h).png({ compressionLevel: 1 })],
  [
    'an interlaced PNG',
    5_340,
    5_350,
    (w: number, h: number) => plain(w, h).png({ compressionLevel: 1, progressive: true }),
  ],
  [
    'a PNG of 16 bits with transparency',
    3_270,
    3_280,
    (w: number, h: number) => plain(w, h, 4).toColourspace('rgb16').png({ compressionLevel: 1 }),
  ],
  ['a WebP', 6_100, 6_150, (w: number, h: number) => plain(w, h).webp({ effort: 0 })],
])('%s is shown if it takes at most 150 MB in memory', async (_, fits, exceeds, make) => {
  expect(await thumbnailOf(await make(fits, fits).toBuffer())).toMatchObject({ width: 120, height: 120 })
  expect(await thumbnailOf(await make(exceeds, exceeds).toBuffer())).toBe('too large')
})

it('a photo of a phone, which is read line by line, may have up to 120 megapixels', async () => {
  expect(await thumbnailOf(await plain(12_000, 9_000).jpeg().toBuffer())).toMatchObject({ width: 120, height: 90 })
  expect(await thumbnailOf(await plain(12_000, 10_001).jpeg().toBuffer())).toBe('too large')
  expect(await thumbnailOf(await plain(20_001, 10).jpeg().toBuffer())).toBe('too large')
})

it('a file of more than 25 MiB is too large, and other formats are not opened', async () => {
  const jpeg = await plain(10, 10).jpeg().toBuffer()
  const padded = (bytes: number) => Buffer.concat([jpeg, Buffer.alloc(bytes - jpeg.length)])
  expect(await thumbnailOf(padded(25 * 2 ** 20))).toMatchObject({ width: 10 })
  expect(await thumbnailOf(padded(25 * 2 ** 20 + 1))).toBe('too large')
  for (const other of [plain(10, 10).tiff(), plain(10, 10).gif(), plain(10, 10).avif({ effort: 0 })]) {
    expect(await thumbnailOf(await other.toBuffer())).toBe('unreadable')
  }
  expect(await thumbnailOf(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"/>'))).toBe(
    'unreadable',
  )
})

/** Counts from the first look at a photo until its thumbnail is there. sharp's own counters may show one
 * photo as waiting and as decoded at once, because it reads them one after the other. */
it('one photo is decoded at a time', async () => {
  const jpeg = await plain(2_000, 2_000).jpeg({ progressive: true }).toBuffer()
  const prototype: Sharp = Object.getPrototypeOf(sharp(jpeg))
  const { toBuffer } = prototype
  let [underWay, most, made] = [0, 0, 0]
  const decode = vi.spyOn(prototype, 'toBuffer').mockImplementation(function (this: Sharp, options: never) {
    underWay += 1
    made += 1
    most = Math.max(most, underWay)
    return toBuffer.call(this, options).finally(() => underWay--)
  } as typeof toBuffer)
  onTestFinished(() => decode.mockRestore())
  await Promise.all(Array.from({ length: 8 }, () => thumbnailOf(jpeg)))
  expect({ most, made }).toEqual({ most: 1, made: 8 })
})
