import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import type { Studio } from '../sql/support.ts'
import { expectDone, sentences, useImporter } from './support.ts'

const importer = useImporter()
let studio: Studio
let folder: string
let folders = 0

beforeEach(async () => {
  studio = await importer.studio()
  folders += 1
  folder = join(importer.folder, `list-${folders}`)
  await mkdir(folder)
  await importer.into(studio, 'items', 'external_key,name\nMIC-001,a\nMIC-001-2,b\nÄ,c\n')
})

async function load(files: readonly string[], list: string | Buffer) {
  for (const name of files)
    await writeFile(join(folder, name), Buffer.from(`ffd8ffe000104a46${Buffer.from(name).toString('hex')}`, 'hex'))
  await writeFile(join(folder, 'photos.csv'), list)
  return importer.path(studio, 'photos', folder)
}

const photos = async () => {
  const rows = await importer.admin.rows<{ item: string; position: number }>(
    `select i.external_key as item, p.position from app.item_photos p join app.items i on i.id = p.item_id
     where p.studio_id = $1 order by i.external_key collate "C", 2`,
    [studio.id],
  )
  return rows.map(({ item, position }) => `${item} ${position}`)
}

test('photos.csv says which item a file shows, and the names of the other files say it themselves', async () => {
  const files = ['MIC-001-2.jpg', 'any name.jpg', '.hidden.jpg', 'O\u0308.jpg', 'MIC-001.jpg']
  const list = 'file,item,place\nMIC-001-2.jpg,MIC-001,2\nany name.jpg,MIC-001-2,1\n.hidden.jpg,Ä,1\nÖ.jpg,Ä,2\n'
  expectDone(await load(files, list), { rows: 5, added: 5 })
  expect(await photos()).toEqual(['MIC-001 0', 'MIC-001 1', 'MIC-001-2 0', 'Ä 0', 'Ä 1'])
  expectDone(await load(files, list), { rows: 5, unchanged: 5 })
})

test.each([
  ['a spreadsheet', '\ufefffile;item;place\r\na.jpg;MIC-001;1\r\n'],
  ['other orders and further columns', 'note,Place,Item,File\n"x, y",1,MIC-001,a.jpg\n\n'],
])('photos.csv may be written by %s', async (_, list) => {
  expectDone(await load(['a.jpg'], list), { added: 1 })
  expect(await photos()).toEqual(['MIC-001 0'])
})

test('everything that is wrong in photos.csv is told, and then nothing is written', async () => {
  const lines = [
    'a.jpg,NOBODY,1',
    'b.jpg,,1',
    'c.jpg,MIC-001,0',
    'd.jpg,MIC-001,1',
    'd.jpg,MIC-001,2',
    'e.jpg,MIC-001,3',
  ]
  const outcome = await load(['a.jpg', 'd.jpg'], ['file,item,place', ...lines].join('\n'))
  expect(sentences(outcome).toSorted()).toEqual(
    [
      'file "a.jpg": names no item of this studio; write an item\'s external key into photos.csv',
      "line 3, item: is empty (photos.csv); write the item's external key",
      'line 4, place "0": is no place (photos.csv); write 1 for the first photo',
      'line 6, file "d.jpg": is listed twice (photos.csv); remove one of the lines',
      'file "e.jpg": is in photos.csv, not in the folder; put it there, or remove the line',
    ].toSorted(),
  )
  expect(await photos()).toEqual([])
})

test.each([
  [
    'has other columns',
    'file,key\na.jpg,MIC-001\n',
    'file "photos.csv": lacks a column (photos.csv); its first line is file,item,place',
  ],
  ['is not UTF-8', Buffer.from('file,item,place\na.jpg,\xc4,1\n', 'latin1'), 'file "photos.csv": cannot be read'],
  ['has lines of other lengths', 'file,item,place\na.jpg,MIC-001\n', 'file "photos.csv": cannot be read'],
])('a photos.csv that %s is refused', async (_, list, error) => {
  expect(sentences(await load([], list)).join()).toContain(error)
})
