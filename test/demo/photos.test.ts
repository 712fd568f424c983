import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { catalogue } from '../../src/dev/demo/catalogue/index.ts'
import { writePhotos } from '../../src/dev/demo/photos/files.ts'

let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'studio-inventory-photos-'))
})
afterAll(() => rm(folder, { recursive: true }))

/** Writes photos, given by category and position, and reads the files. */
async function written(photos: readonly (readonly [category: string, position: number])[]): Promise<Buffer[]> {
  const rows = photos.map(([category, position], index) => {
    const id = String(index)
    return { id, item_id: id, storage_key: `a-studio/${id}.png`, position, category }
  })
  await writePhotos(folder, rows)
  return Promise.all(rows.map(({ storage_key }) => readFile(join(folder, storage_key))))
}

const different = (pictures: readonly Buffer[]) => new Set(pictures.map((picture) => picture.toString('base64'))).size

test('every category has a picture of its own', async () => {
  expect(catalogue).toHaveLength(16)
  expect(different(await written(catalogue.map(({ category }) => [category, 0])))).toBe(16)
})

test('the photos of an item differ, and the same item has the same ones every time', async () => {
  const pictures = await written([0, 1, 2, 0].map((position) => ['Microphones', position]))
  expect(pictures[3]).toEqual(pictures[0])
  expect(different(pictures)).toBe(3)
})

test('every picture is a small PNG of 320 by 240', async () => {
  const pictures = await written(
    catalogue.flatMap(({ category }) => [0, 1, 2].map((place) => [category, place] as const)),
  )
  for (const picture of pictures) {
    expect(picture.subarray(0, 8).toString('latin1')).toBe('\x89PNG\r\n\x1a\n')
    expect([picture.readUInt32BE(16), picture.readUInt32BE(20)]).toEqual([320, 240])
    expect(picture.length).toBeLessThan(15_000)
  }
})
