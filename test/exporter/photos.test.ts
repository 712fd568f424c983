import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { expectDone, useImporter } from '../importer/support.ts'
import type { Studio } from '../sql/support.ts'
import { exporterOf } from './support.ts'

const importer = useImporter()
const exportOf = exporterOf(importer)
let pictures = 0

beforeAll(() => mkdir(join(importer.photosDir, 'p'), { recursive: true }))

const pictureOf = (text: string) =>
  Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.from(text.padEnd(16))])

/** Adds photos with these contents to an item, stored as an uploader would have stored them. */
async function addPhotos(studio: Studio, item: string, contents: readonly string[]): Promise<string[]> {
  const keys: string[] = []
  for (const [position, content] of contents.entries()) {
    pictures += 1
    keys.push(`p/${pictures}.png`)
    await writeFile(join(importer.photosDir, `p/${pictures}.png`), pictureOf(content))
    await studio.add('item_photos', { item_id: item, storage_key: `p/${pictures}.png`, position })
  }
  return keys
}

/** Each photo of a studio in its order, as the name of its item and its content. */
async function photosOf(studio: Studio): Promise<string[]> {
  const rows = await importer.admin.rows<{ name: string; storage_key: string }>(
    `select i.name, p.storage_key from app.item_photos p join app.items i on i.id = p.item_id
     where p.studio_id = $1 order by i.name collate "C", p.position, p.id`,
    [studio.id],
  )
  const contentOf = async (key: string) => (await readFile(join(importer.photosDir, key))).toString('latin1', 8).trim()
  return Promise.all(rows.map(async ({ name, storage_key }) => `${name}: ${await contentOf(storage_key)}`))
}

async function importInto(studio: Studio, folder: string) {
  expectDone(await importer.path(studio, 'items', join(folder, 'items.csv')), {})
  return importer.path(studio, 'photos', join(folder, 'photos'))
}

const awkward = [
  ...['MIC-001', 'MIC-001-2', 'MIC-001-2-2', 'mic-001', 'MIC-001.jpg', 'MIC;1', 'A,"B"', 'photo-1', 'photos'],
  ...['.hidden', '..', '.', 'Thumbs.db', '@eaDir', 'CON', 'a*b?', '%', '%41', 'A', 'Ä', 'A\u0308'],
  ...['日本'.repeat(33), '/'.repeat(200)],
]
const key = fc.oneof(
  fc.constantFrom(...awkward),
  fc.string({ minLength: 1, maxLength: 12 }),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 12 }),
)
const storable = (text: string) => !text.includes('\0') && Buffer.byteLength(text) <= 300
const inventory = fc.uniqueArray(fc.record({ key: key.filter(storable), photos: fc.integer({ min: 1, max: 3 }) }), {
  selector: (item) => item.key,
  minLength: 1,
  maxLength: 12,
})

test('whatever the keys of items are, each has its photos in their order after an export and an import', async () => {
  const known = awkward.map((text, index) => ({ key: text, photos: 1 + (index % 3) }))
  await fc.assert(
    fc.asyncProperty(inventory, async (items) => {
      const [from, to] = [await importer.studio(), await importer.studio()]
      for (const [index, { key: external_key, photos }] of items.entries()) {
        const item = await from.add('items', { external_key, name: `item ${index}` })
        const contents = Array.from({ length: photos }, (_, place) => `${index} at ${place}`)
        await addPhotos(from, item, contents)
      }
      const { folder, exported } = await exportOf(from)
      expect(exported.photos).toBe(items.reduce((sum, { photos }) => sum + photos, 0))
      expectDone(await importInto(to, folder), { added: exported.photos })
      expect(await photosOf(to)).toEqual(await photosOf(from))
    }),
    { numRuns: 3, examples: [[known]] },
  )
}, 120_000)

test('an export changes nothing in its studio, also where some photos were imported and some were not', async () => {
  const studio = await importer.studio()
  const item = await studio.add('items', { external_key: 'MIC', name: 'Microphone' })
  await addPhotos(studio, item, ['uploaded', 'twice', 'twice'])
  const folder = join(importer.folder, 'mixed')
  await mkdir(folder)
  await writeFile(join(folder, 'MIC.png'), pictureOf('imported'))
  expectDone(await importer.path(studio, 'photos', folder), { added: 1 })

  const before = await photosOf(studio)
  const { photos } = await exportOf(studio)
  expectDone(await importer.path(studio, 'photos', photos, { dryRun: true }), { rows: 4, unchanged: 4 })
  expectDone(await importer.path(studio, 'photos', photos), { rows: 4, unchanged: 4 })
  expect(await photosOf(studio)).toEqual(before)
})

test('a photo that is missing is counted; one that cannot be copied ends the export and is named', async () => {
  const studio = await importer.studio()
  const item = await studio.add('items', { external_key: 'MIC', name: 'Microphone' })
  const [first = '', second = ''] = await addPhotos(studio, item, ['one', 'two'])
  await rm(join(importer.photosDir, first))
  const { exported, photos } = await exportOf(studio)
  expect(exported).toMatchObject({ photos: 1, photos_elsewhere: 1 })
  expect(await readFile(join(photos, 'photos.csv'), 'utf8')).toBe('file,item,place\n0002-MIC.png,MIC,2\n')

  await symlink(second.slice(2), join(importer.photosDir, first))
  await rm(join(importer.photosDir, second))
  await symlink(first.slice(2), join(importer.photosDir, second))
  const before = await readdir(importer.folder)
  await expect(exportOf(studio)).rejects.toThrow(join(importer.photosDir, first))
  expect(await readdir(importer.folder)).toEqual(before)
})
