import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Workbook } from '@cj-tech-master/excelts'
import { zipSync } from 'fflate'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { limits, requireBounded } from '../../src/importer/xlsx.ts'
import type { Studio } from '../sql/support.ts'
import { expectDone, sentences, useImporter } from './support.ts'

const importer = useImporter()
let studio: Studio
let folder: string
const path = () => join(folder, 'gear.xlsx')

beforeAll(async () => {
  studio = await importer.studio()
  folder = await mkdtemp(join(tmpdir(), 'studio-inventory-xlsx-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

type Sheets = Record<string, unknown[][]>

/** Writes a workbook; of cells that are days the format is one of days. */
async function workbook(sheets: Sheets, hidden: string[] = []): Promise<void> {
  const book = new Workbook()
  for (const [name, rows] of Object.entries(sheets)) {
    const sheet = book.addWorksheet(name, hidden.includes(name) ? { state: 'hidden' } : {})
    for (const row of rows) {
      const added = sheet.addRow(row as never)
      row.forEach((value, index) => {
        if (value instanceof Date) added.getCell(index + 1).numFmt = 'dd.mm.yyyy'
      })
    }
  }
  await book.xlsx.writeFile(path())
}

const load = (options: Parameters<typeof importer.path>[3] = {}) => importer.path(studio, 'items', path(), options)
const day = (text: string) => new Date(`${text}T00:00:00Z`)
const header = ['external_key', 'name', 'serial_number', 'purchase_price', 'acquisition_date', 'archived']
const columns = 'external_key, name, serial_number, purchase_price::text as price, acquisition_date::text as day'

describe('a workbook', () => {
  test('is imported: numbers, days, formulas by their values, formatted text and links', async () => {
    await workbook({
      Gear: [
        header,
        [1001, 'Mic', 104512, 1234.5, day('2024-03-01'), false],
        [],
        [
          'K2',
          { richText: [{ text: 'Ribbon ' }, { text: 'mic', font: { bold: true } }] },
          '0042',
          0.1 + 0.2,
          null,
          null,
        ],
        [
          { formula: '"K"&3', result: 'K3' },
          { text: 'Desk', hyperlink: 'https://desk.example' },
          null,
          { formula: 'D2*2', result: 2469 },
        ],
      ],
    })
    expectDone(await load(), { rows: 3, added: 3 })
    expect(await importer.rows(studio, 'items', columns)).toEqual([
      { external_key: '1001', name: 'Mic', serial_number: '104512', price: '1234.50', day: '2024-03-01' },
      { external_key: 'K2', name: 'Ribbon mic', serial_number: '0042', price: '0.30', day: null },
      { external_key: 'K3', name: 'Desk', serial_number: '', price: '2469.00', day: null },
    ])
    expectDone(await load(), { unchanged: 3 })
  })

  test('has days and numbers that a formula calculated, and days with a time', async () => {
    const book = new Workbook()
    const sheet = book.addWorksheet('Gear')
    sheet.addRow(['external_key', 'name', 'acquisition_date', 'purchase_price'])
    const row = sheet.addRow(['F1', 'a'])
    row.getCell(3).value = { formula: 'DATE(2024,1,1)', result: day('2024-01-01') }
    row.getCell(3).numFmt = '[$-409]d "day" mmm yyyy'
    row.getCell(4).value = { formula: '45000+292', result: 45292 }
    row.getCell(4).numFmt = '#,##0.00 "dollars"'
    const timed = sheet.addRow(['F2', 'b', new Date('2024-01-02T14:30:00Z')])
    timed.getCell(3).numFmt = 'yyyy-mm-dd hh:mm'
    await book.xlsx.writeFile(path())
    expectDone(await load(), { added: 2 })
    const rows = await importer.rows<{ external_key: string }>(studio, 'items', columns)
    expect(rows.filter(({ external_key }) => /^F\d/.test(external_key))).toMatchObject([
      { day: '2024-01-01', price: '45292.00' },
      { day: '2024-01-02' },
    ])
  })

  test('needs no format for cells that are days and numbers, only for those that are text', async () => {
    await workbook({
      Gear: [header, ['D1', 'a', '', 1234.5, day('2024-03-01')], ['D2', 'b', '', '1.234,50', '01/03/2024']],
    })
    expectDone(await load({ formats: { dates: 'dd/mm/yyyy', decimal: 'comma' } }), { added: 2 })
    const rows = await importer.rows<{ external_key: string; price: string; day: string }>(studio, 'items', columns)
    expect(
      rows.filter(({ external_key }) => external_key.startsWith('D')).map(({ price, day }) => [price, day]),
    ).toEqual([
      ['1234.50', '2024-03-01'],
      ['1234.50', '2024-03-01'],
    ])
  })

  test('is told by its rows', async () => {
    await workbook({
      Gear: [
        header,
        [],
        ['X1', null, 4.00638133393e18, 'n/a', day('2024-03-01')],
        ['X2', 'x', { error: '#N/A' }, 1, null],
        ['X3', 'x', '', 1, null, 'no', 'beyond'],
      ],
    })
    expect(sentences(await load())).toEqual([
      'line 3, name: is empty; write a value such as Neumann U 87 Ai',
      'line 3, purchase_price "n/a": is not an amount; write a number such as 1234.50',
      'line 3, serial_number "4.00638133393e+18": was shortened by the spreadsheet; format the column as text and write all digits',
      'line 4, serial_number "#N/A": is the error of a formula; correct the formula, or empty the cell',
      'line 5: has 7 cells, but the header has 6; name the column in the header, or empty the cell',
    ])
  })

  test('is read from its first sheet that is shown, or from the one that is named', async () => {
    const row = (key: string) => [header.slice(0, 2), [key, key]]
    await workbook({ Notes: row('HIDDEN'), Gear: row('SHOWN'), Old: row('OLD') }, ['Notes'])
    expectDone(await load({ dryRun: true }), { added: 1 })
    expectDone(await load({ sheet: 'Old' }), { added: 1 })
    const keys = await importer.rows<{ external_key: string }>(studio, 'items', 'external_key')
    expect(keys.map(({ external_key }) => external_key)).toContain('OLD')
    expect(sentences(await load({ sheet: 'New' }))).toEqual(['line 1: has no sheet New; its sheets: Notes, Gear, Old'])
  })
})

describe('what is no workbook, or too large', () => {
  const refused = 'is a spreadsheet or an archive, not a CSV file or an XLSX workbook'

  test('an archive of something else is refused', async () => {
    await writeFile(path(), zipSync({ 'letter.txt': Buffer.from('hello') }))
    expect(sentences(await load())).toEqual([expect.stringContaining(refused)])
  })

  test('half a workbook is refused', async () => {
    await workbook({ Gear: [header, ['A', 'a']] })
    await truncate(path(), 3000)
    expect(sentences(await load())).toEqual([expect.stringContaining(refused)])
  })

  test('one that is small only as long as it is packed is refused before it is read', async () => {
    const zeros = new Uint8Array(3 * 1024 * 1024)
    await writeFile(path(), zipSync({ 'xl/workbook.xml': Buffer.from('x'), 'xl/sharedStrings.xml': zeros }))
    const mebibyte = 1024 * 1024
    await expect(requireBounded(path(), { ...limits, unpacked: 2 * mebibyte })).rejects.toThrow(
      'is too large: unpacked workbooks are at most 2 MiB',
    )
    await expect(requireBounded(path(), { ...limits, texts: mebibyte })).rejects.toThrow('its texts are at most 1 MiB')
    await expect(requireBounded(path(), { ...limits, file: 1 })).rejects.toThrow('is too large: workbooks are at most')
    await expect(requireBounded(path())).resolves.toBeUndefined()
  })
})
