import { describe, expect, test } from 'vitest'
import { type Value, workbook } from '../support/workbook.ts'
import { expectDone, sentences, useWorkbooks } from './support.ts'

const { importer, load, rowsOf: rowsWith, studio, wrong } = useWorkbooks()
const day = (text: string) => new Date(`${text}T00:00:00Z`)
const header = ['external_key', 'name', 'serial_number', 'purchase_price', 'acquisition_date', 'archived']
const columns = 'external_key, name, serial_number, purchase_price::text as price, acquisition_date::text as day'

const rowsOf = (prefix: string, wanted = columns) => rowsWith(prefix, wanted)
const merged = (...refs: string[]) => ({
  tail: `<mergeCells>${refs.map((ref) => `<mergeCell ref="${ref}"/>`).join('')}</mergeCells>`,
})

describe('a workbook', () => {
  test('is imported: numbers, days, formulas by their values, formatted text', async () => {
    const rows: Value[][] = [
      header,
      [1001, 'Mic', 104512, 1234.5, day('2024-03-01'), false],
      [],
      ['K2', { t: 's', v: '0' }, '0042', 0.1 + 0.2],
      [
        { t: 'str', f: '"K"&amp;3', v: 'K3' },
        { t: 's', f: 'A1', v: '1' },
        { t: 'str', f: '""', v: '' },
        { f: 'D2*2', v: '2469' },
      ],
    ]
    const texts = ['<r><t xml:space="preserve">Ribbon </t></r><r><rPr><b/></rPr><t>mic</t></r>', '<t>Desk</t>']
    const bytes = workbook({ Gear: rows }, { texts })
    expectDone(await load(bytes), { rows: 3, added: 3 })
    expect(await importer.rows(studio(), 'items', columns)).toEqual([
      { external_key: '1001', name: 'Mic', serial_number: '104512', price: '1234.50', day: '2024-03-01' },
      { external_key: 'K2', name: 'Ribbon mic', serial_number: '0042', price: '0.30', day: null },
      { external_key: 'K3', name: 'Desk', serial_number: '', price: '2469.00', day: null },
    ])
    expectDone(await load(bytes), { unchanged: 3 })
  })

  test('needs no format for cells that are days and numbers, only for those that are text', async () => {
    const rows = [header, ['D1', 'a', '', 1234.5, day('2024-03-01')], ['D2', 'b', '', '1.234,50', '01/03/2024']]
    const formats = { dates: 'dd/mm/yyyy', decimal: 'comma' } as const
    expectDone(await load(workbook({ Gear: rows }), { formats }), { added: 2 })
    const same = { price: '1234.50', day: '2024-03-01' }
    expect(await rowsOf('D')).toMatchObject([same, same])
  })

  test('is told by its rows', async () => {
    const rows = [
      header,
      [],
      ['X1', null, 4.00638133393e18, 'ask Jo', day('2024-03-01')],
      ['X3', 'x', '', 1, null, 'no', 'beyond'],
    ]
    expect(await wrong(workbook({ Gear: rows }))).toEqual([
      'line 3, name: is empty; write a value such as Neumann U 87 Ai',
      'line 3, purchase_price "ask Jo": is not an amount; write a number such as 1234.50',
      'line 3, serial_number "4.00638133393e+18": was shortened by the spreadsheet; format the column as text and write all digits',
      'line 4: has 7 cells, but the header has 6; name the column in the header, or empty the cell',
    ])
  })

  test('is read from its first sheet that is shown, or from the one that is named', async () => {
    const row = (key: string) => [header.slice(0, 2), [key, key]]
    const bytes = workbook({ Notes: row('HIDDEN'), Gear: row('SHOWN'), Old: row('OLD') }, { hidden: ['Notes'] })
    expectDone(await load(bytes), { added: 1 })
    expectDone(await load(bytes, { sheet: 'Old' }), { added: 1 })
    expect([...(await rowsOf('SHOWN')), ...(await rowsOf('OLD')), ...(await rowsOf('HIDDEN'))]).toHaveLength(2)
    expect(await wrong(bytes, { sheet: 'New' })).toEqual(['line 1: has no sheet New; its sheets: Notes, Gear, Old'])
  })

  test('says which sheets it has when the first one is a text about it, and may have a title above its table', async () => {
    const summary = [['This document was exported from Numbers.'], ['Name', 'Excel Worksheet Name']]
    const bytes = workbook({ 'Export Summary': summary, 'Sheet 1': [header, ['N1', 'n']] })
    expect(await wrong(bytes)).toEqual([
      `line 1: has none of our columns in the first row of its sheet "Export Summary"; name the sheet: --sheet 'Sheet 1'`,
    ])
    const titled = workbook({ Gear: [['Gear of 2024'], [], header, ['N2', 'n']], Notes: [] }, merged('A1:C1'))
    const { notes } = await load(titled)
    expect(notes).toEqual(['1 row above the header left out'])
    expect(await wrong(titled, { sheet: 'Notes' })).toEqual([
      'line 1: has nothing in its sheet "Notes"; name the sheet: --sheet Gear',
    ])
  })
})

type Case = [what: string, column: string, value: Value, wanted: string]

/** Imports a workbook with a row for each case, on the lines from 2 on. */
function loadCases(cases: readonly Case[], formats: readonly string[]) {
  const rows = cases.map(([, column, value], at) =>
    header.map((name) => (name === column ? value : { external_key: `cell-${at}`, name: 'n' }[name])),
  )
  return load(workbook({ Gear: [header, ...rows] }, { formats }))
}

describe('a cell', () => {
  const text = (is: string) => ({ t: 'inlineStr', is })
  const numbers = ['000000', '_-* #,##0.00 "€"_-;-* #,##0.00', 'hh:mm', '[h]:mm', '"SN-"0000', '0%']
  const formats = ['[$-409]d "day" mmm yyyy', ...numbers]
  const [dated, worded, zeros, crowns, timed, lasting, prefixed, percent] = [1, 2, 3, 4, 5, 6, 7, 8]

  const read: Case[] = [
    ['an ISO date', 'acquisition_date', { t: 'd', v: '2024-03-01T00:00:00.000Z' }, '2024-03-01'],
    ['a date and a time', 'acquisition_date', { s: dated, v: '45293.6041666667' }, '2024-01-02'],
    ['a day of a formula', 'acquisition_date', { s: worded, f: 'DATE(2024,1,1)', v: '45292' }, '2024-01-01'],
    ['a text with a time', 'acquisition_date', '2023-01-23 00:00:00', '2023-01-23'],
    ['runs of text', 'name', text('<r><t>Y03</t></r><r><t>-A</t></r>'), 'Y03-A'],
    ['a pronunciation', 'name', text('<t>東京</t><rPh sb="0" eb="2"><t>トウキョウ</t></rPh>'), '東京'],
    ['an escaped character', 'name', text('<t>a_x0009_b_x005F_x0009_</t>'), 'a\tb_x0009_'],
    ['a number with zeros before it', 'serial_number', { s: zeros, v: '42' }, '000042'],
    ['a price as runs of text', 'purchase_price', text('<r><t>12</t></r><r><t>50.00</t></r>'), '1250.00'],
    ['a price with a currency', 'purchase_price', { s: crowns, v: '1234.5' }, '1234.50'],
    ['yes', 'archived', true, 'true'],
  ]
  const refused: Case[] = [
    ['an error in a name', 'name', { t: 'e', f: 'NA()', v: '#N/A' }, '"#N/A": is the error of a formula'],
    ['an error in a key', 'external_key', { t: 'e', f: '#REF!', v: '#REF!' }, '"#REF!": is the error of a formula'],
    ['an error in a day', 'acquisition_date', { t: 'e', s: dated, f: 'x', v: '#SPILL!' }, '"#SPILL!": is the error of'],
    ['a formula without a value', 'purchase_price', { f: 'B2*2' }, '"=B2*2": is a formula whose value is not known'],
    ['a formula with an empty value', 'purchase_price', { f: 'B2*2', v: '' }, 'is a formula whose value is not known'],
    ['a date below 1', 'acquisition_date', { s: dated, v: '0' }, '"0": is not a day that a spreadsheet can show'],
    ['a time alone', 'acquisition_date', { s: timed, v: '45292.5' }, 'is a time or a duration of the spreadsheet'],
    ['a duration', 'name', { s: lasting, v: '1.5' }, '"1.5": is a time or a duration of the spreadsheet'],
    ['a shared text out of range', 'name', { t: 's', v: '7' }, '"7": cannot be read from the workbook'],
    ['a yes in a text', 'name', true, '"true": is the TRUE or FALSE of a spreadsheet'],
    ['a date in a text', 'serial_number', day('2024-03-01'), '"2024-03-01": is a date of the spreadsheet'],
    [
      'a number with words',
      'serial_number',
      { s: prefixed, v: '42' },
      '"42": is a number that the spreadsheet shows in',
    ],
    ['a percentage', 'purchase_price', { s: percent, v: '0.5' }, '"0.5": has a number format that is not read'],
    ['a number that is none', 'purchase_price', { v: 'NaN' }, '"NaN": cannot be read from the workbook'],
    ['a number of a day', 'acquisition_date', 45292, '"45292": is the spreadsheet\'s number of a day'],
    ['an unknown type', 'name', { t: 'x', v: 'a' }, '"a": cannot be read from the workbook'],
  ]

  test('is read as the sheet shows it', async () => {
    expectDone(await loadCases(read, formats), { added: read.length })
    const wanted = `external_key, name, serial_number, purchase_price::text, acquisition_date::text, (archived_at is not null)::text as archived`
    const rows = new Map((await rowsOf('cell-', wanted)).map((row) => [row.external_key, row]))
    for (const [at, [what, column, , value]] of read.entries())
      expect(rows.get(`cell-${at}`)?.[column], what).toBe(value)
  })

  test('is refused with its line and column where it is not known what the sheet shows', async () => {
    const told = sentences(await loadCases(refused, formats))
    for (const [at, [what, column, , says]] of refused.entries()) {
      const found = told.filter((sentence) => sentence.startsWith(`line ${at + 2}, ${column} `))
      expect(found.join('\n'), what).toContain(says)
    }
  })

  test('counts days as its workbook does, and has no value that was not calculated', async () => {
    const rows = [header, ['C1904', 'x', null, null, { s: dated, v: '43830' }]]
    expectDone(await load(workbook({ Gear: rows }, { properties: '<workbookPr date1904="1"/>' })), { added: 1 })
    expect(await rowsOf('C1904')).toMatchObject([{ day: '2024-01-01' }])
    const formula = [header, ['C2', 'x', null, { f: 'B2*2', v: '0' }]]
    const outcome = await load(workbook({ Gear: formula }, { calculation: '<calcPr fullCalcOnLoad="1"/>' }))
    expect(sentences(outcome)).toEqual([
      'line 2, purchase_price "=B2*2": is a formula whose value is not known; open the workbook in a spreadsheet program and save it',
    ])
  })
})

describe('merged cells', () => {
  const names = ['external_key', 'name', 'manufacturer']

  test('below each other all have the value of the first', async () => {
    const rows = [names, ['V1', 'a', 'Neumann'], ['V2', 'b'], ['V3', 'c'], ['V4', 'd', 'AKG'], [], [null, null, null]]
    expectDone(await load(workbook({ Gear: rows }, merged('C2:C4', 'C6:C7'))), { added: 4 })
    const makers = (await rowsOf('V', 'manufacturer')).map(({ manufacturer }) => manufacturer)
    expect(makers).toEqual(['Neumann', 'Neumann', 'Neumann', 'AKG'])
  })

  test('of amounts below each other are refused, because they may be a sum', async () => {
    const rows = [
      ['external_key', 'name', 'purchase_price'],
      ['V6', 'a', 3000],
      ['V7', 'b'],
    ]
    const [only] = await wrong(workbook({ Gear: rows }, merged('C2:C3')))
    expect(only).toContain('line 3, purchase_price "3000": is merged with the cells above it, and may be their sum')
  })

  test('of several columns are refused, in the header too', async () => {
    const rows = [names, ['V5', 'a']]
    expect(await wrong(workbook({ Gear: rows }, merged('B2:C2')))).toEqual([
      'line 2, manufacturer "(merged)": is merged with the cell left of it; unmerge the cells and write each value',
    ])
    expect(await wrong(workbook({ Gear: rows }, merged('B1:C1')))).toEqual([
      expect.stringContaining('line 1: has a header with merged cells'),
    ])
  })
})
