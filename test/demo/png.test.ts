import { crc32, inflateSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { catalogue } from '../../src/dev/demo/catalogue/index.ts'
import { drawings } from '../../src/dev/demo/photos/drawings.ts'
import { pictureOf } from '../../src/dev/demo/photos/picture.ts'
import { encodePng } from '../../src/dev/demo/photos/png.ts'

/** Reads a PNG's chunks, checking every CRC. */
function chunksOf(png: Buffer): { type: string; data: Buffer }[] {
  expect(png.subarray(0, 8).toString('latin1')).toBe('\x89PNG\r\n\x1a\n')
  const chunks: { type: string; data: Buffer }[] = []
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at)
    expect(png.readUInt32BE(at + 8 + length)).toBe(crc32(png.subarray(at + 4, at + 8 + length)))
    chunks.push({ type: png.toString('latin1', at + 4, at + 8), data: png.subarray(at + 8, at + 8 + length) })
    at += 12 + length
  }
  return chunks
}

test('writes header, palette, packed rows and end, as the standard has them', async () => {
  const png = await encodePng(3, 2, Uint8Array.of(0, 1, 0, 1, 1, 1), Uint8Array.of(10, 20, 30, 40, 50, 60))
  const [header, palette, pixels, end] = chunksOf(png)
  expect(header?.type).toBe('IHDR')
  expect([...(header?.data ?? [])]).toEqual([0, 0, 0, 3, 0, 0, 0, 2, 8, 3, 0, 0, 0])
  expect(palette).toEqual({ type: 'PLTE', data: Buffer.from([10, 20, 30, 40, 50, 60]) })
  expect(pixels?.type).toBe('IDAT')
  expect([...inflateSync(pixels?.data ?? Buffer.alloc(0))]).toEqual([0, 0, 1, 0, 0, 1, 1, 1])
  expect(end).toEqual({ type: 'IEND', data: Buffer.alloc(0) })
})

test('refuses pixels or colours that do not fit', async () => {
  await expect(encodePng(2, 2, new Uint8Array(3), new Uint8Array(3))).rejects.toThrow('expected 4 pixels')
  await expect(encodePng(1, 1, new Uint8Array(1), new Uint8Array(4))).rejects.toThrow('RGB triples')
})

test('every category has a drawing of its own', async () => {
  expect(Object.keys(drawings)).toEqual(catalogue.map(({ category }) => category))
  const pictures = await Promise.all(catalogue.map(({ category }) => pictureOf(category, 'the same item', 0)))
  expect(new Set(pictures.map((picture) => picture.toString('base64'))).size).toBe(16)
})

test('a picture is small, 320 by 240, and the same every time; the photos of an item differ', async () => {
  const pictures = await Promise.all([0, 1, 2, 0].map((place) => pictureOf('Microphones', 'an item', place)))
  for (const picture of pictures) {
    expect(picture.length).toBeLessThan(10_000)
    expect(chunksOf(picture)[0]?.data.readUInt32BE(0)).toBe(320)
    expect(chunksOf(picture)[0]?.data.readUInt32BE(4)).toBe(240)
  }
  expect(pictures[3]).toEqual(pictures[0])
  expect(new Set(pictures.map((picture) => picture.toString('base64'))).size).toBe(3)
})
