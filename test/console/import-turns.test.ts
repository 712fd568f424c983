import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { choicesIn } from '../../src/console/import/choices.ts'
import { createImports, maxRows } from '../../src/console/import/imports.ts'
import type { startImport } from '../../src/importer/import-process.ts'
import { useImporter } from '../importer/support.ts'
import { useFolder } from '../support/folder.ts'
import { workbook } from '../support/workbook.ts'

const importer = useImporter()
const folder = useFolder()

test('two large files of two studios do not keep the small file of a third one waiting', async () => {
  const ends: (() => void)[] = []
  const start: typeof startImport = () => {
    const { promise, resolve } = Promise.withResolvers<never>()
    ends.push(() => resolve({} as never))
    return { outcome: promise, end: async () => undefined }
  }
  const imports = createImports({ writerUrl: 'none', photosDir: folder.path }, start)
  const choices = choicesIn({ kind: 'items' }, { name: 'gear.csv' })
  if (typeof choices === 'string') throw new Error(choices)
  const run = (bytes: number, studio: string = randomUUID()) =>
    imports.run(studio, { content: Buffer.alloc(bytes), choices }, {})
  const begun = async (count: number) => expect.poll(() => ends.length).toBe(count)

  const large = [run(9_000_000), run(9_000_000)]
  await begun(2)
  await expect(run(9_000_000)).rejects.toMatchObject({ name: 'Busy', reason: 'all' })
  const small = run(500)
  await begun(3)
  const other = run(500)
  await begun(4)
  await expect(run(500)).rejects.toMatchObject({ name: 'Busy', reason: 'all' })
  for (const end of ends) end()
  await Promise.all([...large, small, other].map((each) => each.catch(() => undefined)))
})

test('a file with more rows than the console takes is refused before its rows are read', async () => {
  const studio = await importer.studio()
  const rows = Array.from({ length: 3 }, (_, at) => [`K${at}`, 'Mic'])
  const csv = [['external_key', 'name'], ...rows].map((row) => `${row.join(',')}\n`).join('')
  const told = [
    'line 1: has 4 rows, and the most is 2; split it, or ask the operator of the service to import it: studio-inventory import',
  ]
  expect(await importer.wrong(studio, 'items', csv, { maxRows: 2 })).toEqual(told)
  expect((await importer.into(studio, 'items', csv, { maxRows: 3 })).added).toBe(3)

  const many = Array.from({ length: 30 }, (_, at) => [`X${at}`, 'Mic'])
  const book = await folder.file('many.xlsx', workbook({ Gear: [['external_key', 'name'], ...many] }))
  expect((await importer.path(studio, 'items', book, { maxRows: 2 })).errors.count).toBe(1)
  expect((await importer.path(studio, 'items', book, { maxRows })).added).toBe(30)
})
