import { Workbook } from '@cj-tech-master/excelts'
import { beforeEach, expect, it } from 'vitest'
import { useImportConsole } from './import-here.ts'
import type { Visitor } from './support.ts'

const { world, path, as, preview, rows } = useImportConsole()
let owner: Visitor
beforeEach(async () => {
  owner = await as(world.cast.a.people.owner)
  await owner.get(path())
})

const header = ['external_key', 'name', 'category', 'purchase_price', 'acquisition_date']

/** A workbook as a spreadsheet program saves it: days are days, and amounts numbers. */
async function workbook(...sheets: unknown[][][]): Promise<Blob> {
  const book = new Workbook()
  sheets.forEach((lines, at) => {
    const sheet = book.addWorksheet(`Sheet ${at + 1}`)
    for (const line of lines) sheet.addRow(line as never)
    sheet.getColumn(5).numFmt = 'dd.mm.yyyy'
  })
  return new Blob([new Uint8Array(await book.xlsx.writeBuffer())])
}
const name = 'gear.xlsx'

it('a workbook is shown before it is imported: its first sheet, with amounts and days as the cells have them', async () => {
  const gear = [header, ['X-1', 'Coles 4038', 'Microphones', 1234.5, new Date('2024-03-01T00:00:00Z')]]
  const shown = await preview(owner, await workbook(gear, [['Notes'], ['not gear']]), { name })
  expect(shown.status, shown.text).toBe(200)
  expect(shown.text).toContain('gear.xlsx')
  expect(shown.text).toContain('1 row: 1 to add, 0 to change, 0 unchanged.')
  expect(await rows('id', 'Coles 4038')).toEqual([])

  const done = await owner.post(shown.at)
  expect(done.status, done.text).toBe(303)
  expect((await owner.get(done.location ?? '')).text).toContain('Imported: 1 added, 0 changed.')
  expect(await rows('external_key, purchase_price::text, acquisition_date', 'Coles 4038')).toEqual([
    { external_key: 'X-1', purchase_price: '1234.50', acquisition_date: '2024-03-01' },
  ])
  expect((await owner.get(`/console/studios/${world.cast.a.id}/audit-log`)).text).toContain('gear.xlsx')
})

it('a workbook with errors is shown with the rows of the sheet that have them, and not imported', async () => {
  const gear = [header, ['X-2', 'A', 'Microphones', 'n/a'], [], ['X-3', null, 'Zithers', 10]]
  const shown = await preview(owner, await workbook(gear), { name })
  expect(shown.text).toContain('Cannot be imported yet')
  for (const where of ['line 2, purchase_price', 'line 4, name', 'line 4, category']) {
    expect(shown.text).toContain(where)
  }
  expect((await owner.post(shown.at)).status).toBe(422)
})

it('a workbook of another tool is read by its columns, and its categories are chosen in the page', async () => {
  const gear = [
    ['Asset', 'Title', 'Kind'],
    ['X-4', 'A zither', 'Zithers'],
  ]
  const shown = await preview(owner, await workbook(gear), { name })
  const columns = { 'column-0': 'Asset', 'read-as-0': 'external_key', 'column-1': 'Title', 'read-as-1': 'name' }
  const more = { 'column-2': 'Kind', 'read-as-2': 'category', 'category-0': 'Zithers', 'ours-0': 'Guitars & Basses' }
  const read = await owner.upload(`${shown.at}/reading`, { ...columns, ...more })
  expect((await owner.get(read.location ?? '')).text).toContain('1 row: 1 to add')
  expect((await owner.post(read.location ?? '')).status).toBe(303)
  expect(await rows('category', 'A zither')).toEqual([{ category: 'Guitars & Basses' }])
})

it('half a workbook, and what only has its name, are refused in words', async () => {
  const whole = await workbook([header, ['X-5', 'A']])
  const half = await preview(owner, whole.slice(0, 3000), { name })
  expect(half.text).toContain('not a CSV file or an XLSX workbook')
  const text = await preview(owner, new Blob(['%PDF-1.7\n']), { name })
  expect(text.text).toContain('Cannot be imported yet')
})
