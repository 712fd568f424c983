import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { contentTypeOf } from '../../src/domain/photo-keys.ts'
import type { Studio } from '../sql/support.ts'
import { expectDone, sentences, useImporter } from './support.ts'

const importer = useImporter()

const png = (more = '') => Buffer.concat([Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), Buffer.from(more)])
const jpg = (more = '') => Buffer.concat([Buffer.from('ffd8ffe000104a46494600010100', 'hex'), Buffer.from(more)])
const webp = (more = '') => Buffer.concat([Buffer.from('RIFF\x10\x00\x00\x00WEBPVP8 ', 'latin1'), Buffer.from(more)])

let studio: Studio
let folder: string
let folders = 0

beforeEach(async () => {
  studio = await importer.studio()
  folders += 1
  folder = join(importer.folder, `photos-${folders}`)
  await mkdir(folder)
  await importer.into(studio, 'items', 'external_key,name\nMIC,a\nMIC-001,b\nA/B,c\nÄ,d\n')
})

async function put(files: Record<string, Buffer | string>): Promise<void> {
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content)
}

const load = (options?: Parameters<typeof importer.path>[3]) => importer.path(studio, 'photos', folder, options)

type Photo = { item: string; position: number; storage_key: string; id: string }

const photos = () =>
  importer.admin.rows<Photo>(
    `select i.external_key as item, p.position, p.storage_key, p.id
     from app.item_photos p join app.items i on i.id = p.item_id where p.studio_id = $1 order by 1, 2, 4`,
    [studio.id],
  )

const kept = async () =>
  (await readdir(importer.photosDir, { recursive: true }).catch(() => [])).filter(
    (name) => name.includes(studio.id) && name.includes('.'),
  )

const content = async (photo: Photo | undefined) => readFile(join(importer.photosDir, photo?.storage_key ?? ''))

describe('a folder of photos', () => {
  test('is copied and ordered by the names of its files', async () => {
    await put({
      'MIC-001.jpg': jpg('1'),
      'MIC-001-2.PNG': png('2'),
      'MIC-001-10.webp': webp('10'),
      'MIC-3.jpeg': jpg('3'),
    })
    expectDone(await load(), { rows: 4, added: 4 })
    const found = await photos()
    expect(found.map(({ item, position }) => `${item} ${position}`)).toEqual([
      'MIC 2',
      'MIC-001 0',
      'MIC-001 1',
      'MIC-001 9',
    ])
    expect(await content(found[1])).toEqual(jpg('1'))
    expect(await content(found[2])).toEqual(png('2'))
    expect(found.map(({ storage_key }) => contentTypeOf(storage_key))).toEqual([
      'image/jpeg',
      'image/jpeg',
      'image/png',
      'image/webp',
    ])
  })

  test('again changes nothing; a changed file changes its photo and its item alone', async () => {
    await put({ 'MIC-001.jpg': jpg('1'), 'MIC-001-2.jpg': jpg('2'), 'MIC.png': png('3') })
    await load()
    const [before, items, version] = [
      await photos(),
      await importer.rows(studio, 'items', '*'),
      await studio.dataVersion(),
    ]
    expectDone(await load(), { rows: 3, unchanged: 3 })
    expect(await photos()).toEqual(before)
    expect(await importer.rows(studio, 'items', '*')).toEqual(items)
    expect(await studio.dataVersion()).toBe(version)

    await put({ 'MIC-001-2.jpg': jpg('another') })
    expectDone(await load(), { rows: 3, changed: 1, unchanged: 2 })
    const after = await photos()
    expect(after.map(({ id }) => id)).toEqual(before.map(({ id }) => id))
    expect(await content(after[2])).toEqual(jpg('another'))
    const moved = (await importer.rows<{ external_key: string }>(studio, 'items', '*')).filter(
      (item, index) => JSON.stringify(item) !== JSON.stringify(items[index]),
    )
    expect(moved.map(({ external_key }) => external_key)).toEqual(['MIC-001'])
  })

  test('a name that is the key of an item means that item', async () => {
    await importer.into(studio, 'items', 'external_key,name\nMIC-001-2,e\n')
    await put({ 'MIC-001-2.jpg': jpg() })
    await load()
    expect((await photos()).map(({ item, position }) => `${item} ${position}`)).toEqual(['MIC-001-2 0'])
  })

  test('what a file name cannot contain is escaped, and letters may be composed either way', async () => {
    await put({ 'A%2FB-2.jpg': jpg(), 'A\u0308.png': png() })
    expectDone(await load(), { added: 2 })
    expect((await photos()).map(({ item, position }) => `${item} ${position}`)).toEqual(['A/B 1', 'Ä 0'])
  })

  test('keys may be composed either way too, and one that is written as the file is comes first', async () => {
    await importer.into(studio, 'items', 'external_key,name\nO\u0308-1,decomposed\nU\u0308,decomposed\nÜ,composed\n')
    await put({ 'Ö-1.jpg': jpg(), 'O\u0308-1-2.jpg': jpg('2'), 'O%CC%88-1-3.jpg': jpg('3'), 'U\u0308.png': png() })
    expectDone(await load(), { added: 4 })
    expect((await photos()).map(({ item, position }) => `${item} ${position}`).toSorted()).toEqual(
      ['O\u0308-1 0', 'O\u0308-1 1', 'O\u0308-1 2', 'Ü 0'].toSorted(),
    )
  })

  test('photos that were not imported stay as they are', async () => {
    const [item] = await importer.admin.rows<{ id: string }>(
      `select id from app.items where studio_id = $1 and external_key = 'MIC'`,
      [studio.id],
    )
    const own = await studio.add('item_photos', { item_id: item?.id, storage_key: `${studio.id}/own.png` })
    await put({ 'MIC.png': png() })
    expectDone(await load(), { added: 1 })
    expect((await photos()).map(({ id }) => id === own).toSorted()).toEqual([false, true])
  })

  test('everything that is wrong is told by file, and then nothing is copied or written', async () => {
    await put({
      'MIC.jpg': jpg(),
      'MIC-1.png': png(),
      'MIC-0.png': png(),
      'NOBODY.jpg': jpg(),
      'MIC-2.jpg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
      'MIC-3.gif': 'GIF89a..............',
      'MIC-4.png': '',
      'notes.txt': 'a note',
      '.DS_Store': 'x',
      'Thumbs.db': 'x',
    })
    await mkdir(join(folder, 'more'))
    const outcome = await load()
    expect(sentences(outcome).toSorted()).toEqual(
      [
        'file "MIC-2.jpg": is not a PNG, JPEG or WebP picture; save it as one of them',
        'file "MIC-3.gif": is not called a picture; end its name in .png, .jpg, .jpeg, .webp',
        'file "MIC-4.png": is not a PNG, JPEG or WebP picture; save it as one of them',
        'file "MIC-0.png": names no item of this studio; call it by an item\'s external key, such as MIC-001.jpg or MIC-001-2.jpg',
        'file "NOBODY.jpg": names no item of this studio; call it by an item\'s external key, such as MIC-001.jpg or MIC-001-2.jpg',
        'file "MIC.jpg": is photo 1 of MIC like "MIC-1.png"; give one of them another number',
        'file "more": is not a file; folders in the folder are not read: put the pictures into it, or move it away',
        'file "notes.txt": is not called a picture; end its name in .png, .jpg, .jpeg, .webp',
      ].toSorted(),
    )
    expect(await photos()).toEqual([])
    expect(await kept()).toEqual([])
  })

  test('an item of another studio is no item of this one', async () => {
    const other = await importer.studio()
    await importer.into(other, 'items', 'external_key,name\nTHEIRS,x\n')
    await put({ 'THEIRS.jpg': jpg() })
    expect(sentences(await load())).toHaveLength(1)
  })

  test('a dry run copies nothing', async () => {
    await put({ 'MIC.jpg': jpg() })
    expectDone(await load({ dryRun: true }), { added: 1 })
    expect(await photos()).toEqual([])
    expect(await kept()).toEqual([])
  })

  test('files that were copied are taken back when the rest fails, and a lost one is copied again', async () => {
    await put({ 'MIC.jpg': jpg() })
    await load()
    const [photo] = await photos()
    await rm(join(importer.photosDir, photo?.storage_key ?? ''))
    expectDone(await load(), { unchanged: 1 })
    expect(await content(photo)).toEqual(jpg())

    await put({ 'MIC-2.jpg': jpg('2') })
    const blocked = join(importer.folder, 'blocked')
    await mkdir(join(blocked, studio.id), { recursive: true })
    await writeFile(join(blocked, studio.id, 'imported'), 'in the way')
    await expect(load({ photosDir: blocked })).rejects.toThrow()
    expect(await photos()).toEqual([photo])
  })
})
