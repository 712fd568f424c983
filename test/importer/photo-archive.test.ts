import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type archiveLimits, unpackPhotos } from '../../src/importer/photos/archive.ts'
import { sentence } from '../../src/importer/row-errors.ts'
import { zipped } from '../support/workbook.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'studio-inventory-zip-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')
let archives = 0
async function unpack(content: Buffer, within?: typeof archiveLimits) {
  archives += 1
  const path = join(folder, `${archives}.zip`)
  await writeFile(path, content)
  const errors = await unpackPhotos(path, `${path}-unpacked`, within)
  return { errors: errors.map(sentence), files: await readdir(`${path}-unpacked`).catch(() => []) }
}

test('photos of an archive are unpacked by their names alone; what systems leave there is not', async () => {
  const left = { '__MACOSX/._MIC-001.jpg': png, '.DS_Store': png }
  const photos = { 'Photos/MIC-001.jpg': png, 'a/b/E\u0301tude\u202e.png': png }
  const { errors, files } = await unpack(zipped({ ...photos, ...left }))
  expect(errors).toEqual([])
  expect(files.toSorted()).toEqual(['MIC-001.jpg', 'Étude.png'])
})

const small = { files: 3, file: 1000, all: 1500 }
test.each([
  ['more files than are allowed', { 'a.png': png, 'b.png': png, 'c.png': png, 'd.png': png }, 'has more than 3 files'],
  ['a file that unpacks to more than it seems', { 'a.png': Buffer.alloc(100_000) }, 'is larger than'],
  ['files too large together', { 'a.png': Buffer.alloc(900), 'b.png': Buffer.alloc(900) }, 'unpacked; split it'],
  ['two files of one name', { 'x/a.png': png, 'y/A.png': png }, 'file "y/A.png": has the name of another file'],
  ['a path that leaves the folder', { '../a.png': png }, 'is not a ZIP archive of photos, or is damaged'],
  ['an absolute path', { '/etc/a.png': png }, 'is not a ZIP archive of photos, or is damaged'],
])('an archive with %s is refused, and nothing of it is unpacked', async (_, parts, why) => {
  const { errors, files } = await unpack(zipped(parts), small)
  expect(errors.join()).toContain(why)
  expect(files).toEqual([])
})

test('what is no archive, or a damaged one, is refused in words', async () => {
  const whole = zipped({ 'a.png': png })
  const broken = Buffer.from(whole)
  broken.writeUInt8(broken.readUInt8(40) ^ 255, 40)
  for (const content of [Buffer.from('name,photo\n'), whole.subarray(0, 60), broken]) {
    expect((await unpack(content)).errors.join()).toContain('is not a ZIP archive of photos, or is damaged')
  }
})
