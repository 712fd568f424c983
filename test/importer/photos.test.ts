import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { contentTypeOf } from '../../src/domain/vocabulary.ts'
import { type archiveLimits, unpackPhotos } from '../../src/importer/photos/archive.ts'
import { sentence } from '../../src/importer/row-errors.ts'
import type { Studio } from '../sql/support.ts'
import { zipped } from '../support/workbook.ts'
import { expectDone, sentences, useImporter } from './support.ts'

const importer = useImporter()

const png = (more = '') => Buffer.concat([Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), Buffer.from(more)])
const jpg = (more = '') => Buffer.concat([Buffer.from('ffd8ffe000104a46494600010100', 'hex'), Buffer.from(more)])
const webp = (more = '') => Buffer.concat([Buffer.from('RIFF\x10\x00\x00\x00WEBPVP8 ', 'latin1'), Buffer.from(more)])

let studio: Studio
let folder: string
let folders = 0

const newStudio = async () => {
  studio = await importer.studio()
  folders += 1
  folder = join(importer.folder, `photos-${folders}`)
  await mkdir(folder)
  await importer.into(studio, 'items', 'external_key,name\nMIC,a\nMIC-001,b\nA/B,c\nÄ,d\n')
}

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

const places = async () => (await photos()).map(({ item, position }) => `${item} ${position}`)

const kept = async () =>
  (await readdir(importer.photosDir, { recursive: true }).catch(() => [])).filter(
    (name) => name.includes(studio.id) && name.includes('.'),
  )

const content = async (photo: Photo | undefined) => readFile(join(importer.photosDir, photo?.storage_key ?? ''))

describe('a folder of photos', () => {
  beforeEach(newStudio)

  test('is copied and ordered by the names of its files', async () => {
    await put({ 'MIC-001.jpg': jpg('1'), 'MIC-001-2.PNG': png('2'), 'MIC-001-10.webp': webp(), 'MIC-3.jpeg': jpg('3') })
    expectDone(await load(), { rows: 4, added: 4 })
    const found = await photos()
    expect(await places()).toEqual(['MIC 2', 'MIC-001 0', 'MIC-001 1', 'MIC-001 9'])
    expect(await Promise.all(found.slice(1, 3).map(content))).toEqual([jpg('1'), png('2')])
    const types = found.map(({ storage_key }) => contentTypeOf(storage_key))
    expect(types).toEqual(['image/jpeg', 'image/jpeg', 'image/png', 'image/webp'])
  })

  test('again changes nothing; a changed file changes only its photo and item', async () => {
    await put({ 'MIC-001.jpg': jpg('1'), 'MIC-001-2.jpg': jpg('2'), 'MIC.png': png('3') })
    await load()
    const items = () => importer.rows<{ external_key: string }>(studio, 'items', '*')
    const state = async () => [await photos(), await items(), await studio.dataVersion()] as const
    const before = await state()
    expectDone(await load(), { rows: 3, unchanged: 3 })
    expect(await state()).toEqual(before)

    await put({ 'MIC-001-2.jpg': jpg('another') })
    expectDone(await load(), { rows: 3, changed: 1, unchanged: 2 })
    const after = await photos()
    expect(after.map(({ id }) => id)).toEqual(before[0].map(({ id }) => id))
    expect(await content(after[2])).toEqual(jpg('another'))
    const moved = (await items()).filter((item, at) => JSON.stringify(item) !== JSON.stringify(before[1][at]))
    expect(moved.map(({ external_key }) => external_key)).toEqual(['MIC-001'])
  })

  test('what a file name cannot contain is escaped, and letters may be composed either way', async () => {
    await put({ 'A%2FB-2.jpg': jpg(), 'A\u0308.png': png() })
    expectDone(await load(), { added: 2 })
    expect(await places()).toEqual(['A/B 1', 'Ä 0'])
  })

  test('keys may be composed either way too, and one that is written as the file is comes first', async () => {
    // An app writes keys to the byte; an import would compose them.
    for (const external_key of ['O\u0308-1', 'U\u0308', 'Ü']) await studio.add('items', { external_key, name: 'one' })
    await put({ 'Ö-1.jpg': jpg(), 'O\u0308-1-2.jpg': jpg('2'), 'O%CC%88-1-3.jpg': jpg('3'), 'U\u0308.png': png() })
    expectDone(await load(), { added: 4 })
    const wanted = ['O\u0308-1 0', 'O\u0308-1 1', 'O\u0308-1 2', 'Ü 0']
    expect((await places()).toSorted()).toEqual(wanted.toSorted())
  })

  test('a file may be called after the serial number or the name of one item, and a key goes before both', async () => {
    await importer.into(
      studio,
      'items',
      'external_key,name,serial_number\nP-1,Lamp,SN 9\nP-2,Twin,\nP-3,Twin,\nP-4,P-1,\n',
    )
    await put({ 'SN 9.jpg': jpg(), 'Lamp-2.jpg': jpg('2'), 'P-1-3.jpg': jpg('3') })
    expectDone(await load(), { added: 3 })
    expect((await places()).toSorted()).toEqual(['P-1 0', 'P-1 1', 'P-1 2'])
    await put({ 'Twin.jpg': jpg() })
    expect(sentences(await load())).toEqual([
      'file "Twin.jpg": matches no item in this studio; call it by an item\'s external key, serial number or name, such as MIC-001.jpg or MIC-001-2.jpg',
    ])
  })

  test('everything that is wrong is told by file, and then nothing is copied or written', async () => {
    await put({
      ...{ 'MIC.jpg': jpg(), 'MIC-1.png': png(), 'MIC-0.png': png(), 'NOBODY.jpg': jpg(), 'MIC-4.png': '' },
      ...{ 'MIC-2.jpg': '<svg xmlns="http://www.w3.org/2000/svg"/>', 'MIC-3.gif': 'GIF89a..............' },
      ...{ 'notes.txt': 'a note', '.DS_Store': 'x', 'Thumbs.db': 'x' },
    })
    await mkdir(join(folder, 'more'))
    const [another, unnamed] = ['is not a PNG, JPEG or WebP picture', 'is not called a picture; end its name in']
    const nobody =
      "matches no item in this studio; call it by an item's external key, serial number or name, such as MIC-001.jpg or"
    const wrong = [
      ...['MIC-2.jpg', 'MIC-4.png'].map((file) => `file "${file}": ${another}; save it as one of them`),
      ...['MIC-3.gif', 'notes.txt'].map((file) => `file "${file}": ${unnamed} .png, .jpg, .jpeg, .webp`),
      ...['MIC-0.png', 'NOBODY.jpg'].map((file) => `file "${file}": ${nobody} MIC-001-2.jpg`),
      'file "MIC.jpg": is photo 1 of MIC like "MIC-1.png"; give one of them another number',
      'file "more": is not a file; folders in the folder are not read: put the pictures into it, or move it away',
    ]
    expect(sentences(await load()).toSorted()).toEqual(wrong.toSorted())
    expect(await photos()).toEqual([])
    expect(await kept()).toEqual([])
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

describe('photos.csv', () => {
  beforeEach(async () => {
    await newStudio()
    await importer.into(studio, 'items', 'external_key,name\nMIC-001-2,e\n')
  })

  async function loadWith(files: readonly string[], list: string | Buffer) {
    await put({ ...Object.fromEntries(files.map((name) => [name, jpg(name)])), 'photos.csv': list })
    return load()
  }
  test('says which item a file shows, and the names of the other files say it themselves', async () => {
    const files = ['MIC-001-2.jpg', 'any name.jpg', '.hidden.jpg', 'O\u0308.jpg', 'MIC-001.jpg']
    const list = 'file,item,place\nMIC-001-2.jpg,MIC-001,2\nany name.jpg,MIC-001-2,1\n.hidden.jpg,Ä,1\nÖ.jpg,Ä,2\n'
    expectDone(await loadWith(files, list), { rows: 5, added: 5 })
    expect(await places()).toEqual(['MIC-001 0', 'MIC-001 1', 'MIC-001-2 0', 'Ä 0', 'Ä 1'])
    expectDone(await loadWith(files, list), { rows: 5, unchanged: 5 })
  })

  test.each([
    ['a spreadsheet', '\ufefffile;item;place\r\na.jpg;MIC-001;1\r\n'],
    ['other orders and further columns', 'note,Place,Item,File\n"x, y",1,MIC-001,a.jpg\n\n'],
  ])('may be written by %s', async (_, list) => {
    expectDone(await loadWith(['a.jpg'], list), { added: 1 })
    expect(await places()).toEqual(['MIC-001 0'])
  })

  test('everything that is wrong is told, and then nothing is written', async () => {
    const unknown = ['a.jpg,NOBODY,1', 'b.jpg,,1', 'c.jpg,MIC-001,0']
    const lines = [...unknown, 'd.jpg,MIC-001,1', 'd.jpg,MIC-001,2', 'e.jpg,MIC-001,3']
    const outcome = await loadWith(['a.jpg', 'd.jpg'], ['file,item,place', ...lines].join('\n'))
    const wrong = [
      'file "a.jpg": matches no item in this studio; write an item\'s external key into photos.csv',
      "line 3, item: is empty (photos.csv); write the item's external key",
      'line 4, place "0": is not a place (photos.csv); write 1 for the first photo',
      'line 6, file "d.jpg": is listed twice (photos.csv); remove one of the lines',
      'file "e.jpg": is in photos.csv, not in the folder; put it there, or remove the line',
    ]
    expect(sentences(outcome).toSorted()).toEqual(wrong.toSorted())
    expect(await places()).toEqual([])
  })

  test.each([
    ['has other columns', 'file,key\na.jpg,MIC\n', 'lacks a column (photos.csv); its first line is file,item,place'],
    ['is not UTF-8', Buffer.from('file,item,place\na.jpg,\xc4,1\n', 'latin1'), 'cannot be read'],
    ['has lines of other lengths', 'file,item,place\na.jpg,MIC-001\n', 'cannot be read'],
  ])('that %s is refused', async (_, list, error) => {
    expect(sentences(await loadWith([], list)).join()).toContain(`file "photos.csv": ${error}`)
  })
})

let archives = 0
async function unpack(content: Buffer, within?: typeof archiveLimits) {
  archives += 1
  const path = join(importer.folder, `${archives}.zip`)
  await writeFile(path, content)
  const errors = await unpackPhotos(path, `${path}-unpacked`, within)
  return { errors: errors.map(sentence), files: await readdir(`${path}-unpacked`).catch(() => []) }
}

test('photos of an archive are unpacked by their names alone; what systems leave there is not', async () => {
  const left = { '__MACOSX/._MIC-001.jpg': png(), '.DS_Store': png() }
  const photos = { 'Photos/MIC-001.jpg': png(), 'a/b/E\u0301tude\u202e.png': png() }
  const { errors, files } = await unpack(zipped({ ...photos, ...left }))
  expect(errors).toEqual([])
  expect(files.toSorted()).toEqual(['MIC-001.jpg', 'Étude.png'])
})

const small = { files: 3, file: 1000, all: 1500 }
test.each([
  ['too many files', { 'a.png': png(), 'b.png': png(), 'c.png': png(), 'd.png': png() }, 'has more than 3 files'],
  ['a file that unpacks to more than it seems', { 'a.png': Buffer.alloc(100_000) }, 'is larger than'],
  ['files too large together', { 'a.png': Buffer.alloc(900), 'b.png': Buffer.alloc(900) }, 'unpacked; split it'],
  ['two files of one name', { 'x/a.png': png(), 'y/A.png': png() }, 'file "y/A.png": has the name of another file'],
  ['a path that leaves the folder', { '../a.png': png() }, 'is not a ZIP archive of photos, or is damaged'],
  ['an absolute path', { '/etc/a.png': png() }, 'is not a ZIP archive of photos, or is damaged'],
])('an archive with %s is refused, and nothing of it is unpacked', async (_, parts, why) => {
  const { errors, files } = await unpack(zipped(parts), small)
  expect(errors.join()).toContain(why)
  expect(files).toEqual([])
})

test('what is no archive, or a damaged one, is refused in words', async () => {
  const whole = zipped({ 'a.png': png() })
  const broken = Buffer.from(whole)
  broken.writeUInt8(broken.readUInt8(40) ^ 255, 40)
  for (const content of [Buffer.from('name,photo\n'), whole.subarray(0, 60), broken]) {
    expect((await unpack(content)).errors.join()).toContain('is not a ZIP archive of photos, or is damaged')
  }
})
