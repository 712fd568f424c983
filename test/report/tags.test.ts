import { getDocumentProxy } from 'unpdf'
import { beforeAll, expect, it } from 'vitest'
import { coverageLabels, dayInWords, disclaimers, groupDigits } from '../../src/report/words.ts'
import { useWorld } from '../support/world.ts'
import { allOf, linesOf, made, structureOf, type Tagged } from './support.ts'

const world = useWorld()
let pages: Tagged[][]
let pdf: Buffer
let lines: Record<string, string>[]

beforeAll(async () => {
  for (let n = 0; n < 30; n += 1) await world.add('items', { name: `Cable no. ${n}`, purchase_price: '12.50' })
  pdf = (await made(world, { format: 'pdf' })).bytes
  pages = await structureOf(pdf)
  lines = (await linesOf(world)).lines
}, 60_000)

/** The rows that have content on the page, with their cells. */
const rowsOf = (page: readonly Tagged[]) =>
  allOf('TR', page)
    .map(({ within }) => within)
    .filter((cells) => cells.some(({ text }) => text !== ''))

it('a screen reader finds the title, the language, and that the PDF has tags', async () => {
  const document = await getDocumentProxy(new Uint8Array(pdf))
  expect(await document.getMarkInfo()).toMatchObject({ Marked: true })
  const { info } = await document.getMetadata()
  expect(info).toMatchObject({ Title: expect.stringContaining('Attic Sound'), Language: 'en-GB' })
  expect(await document.getViewerPreferences()).toMatchObject({ DisplayDocTitle: true })
})

it('a screen reader finds a row for every item, with its name as header and a header for each column', () => {
  const heads = allOf('THead', pages.flat()).filter(({ text }) => text.startsWith('Photo'))
  const columns = heads.flatMap(({ within }) => within.flatMap((row) => row.within))
  expect(columns.map(({ role, text }) => `${role} ${text}`)).toEqual([
    ...['TH Photo', 'TH Item maker, model', 'TH Serial number barcode', 'TH Location'],
    ...['TH Purchase price acquired, repl. cost', 'TH Value source', 'TH Reported as insured', 'TH Gap declaration'],
    ...['TH Under policies less reported', 'TH Policies declared under each'],
  ])
  const rows = pages.flatMap(rowsOf).filter((cells) => cells.length === columns.length && cells[0]?.role === 'TD')
  expect(rows.map((cells) => cells[1]?.role)).toEqual(lines.map(() => 'TH'))
  for (const [at, line] of lines.entries()) {
    const [, item, serial, location, , value, , , , policies] = (rows[at] ?? []).map(({ text }) => text)
    const ofLine = (...names: string[]) =>
      names
        .map((name) => line[name] ?? '')
        .join(' ')
        .replace(/\s+/g, ' ')
        .trim()
    expect(item).toBe(ofLine('Name', 'Manufacturer', 'Model'))
    expect([serial, location]).toEqual([ofLine('Serial number', 'Barcode'), ofLine('Location')])
    expect(value).toBe(`${groupDigits(line.Value ?? '') || '–'} ${line.Source}`.trim())
    expect(policies).toBe(line.Policies?.replace(/\d(?=\d{3}\.)/g, '$&,'))
  }
})

it('a screen reader reads headings and disclaimers once, and nothing that pages repeat', () => {
  const all = pages.flat()
  expect(allOf('H1', all).map(({ text }) => text)).toEqual(['Schedule of equipment'])
  const headings = allOf('H2', all).map(({ text }) => text)
  const categories = [...new Set(lines.map(({ Category }) => Category))]
  expect(headings.slice(0, categories.length).map((text) => text.replace(/ \d+ items?$/, ''))).toEqual(categories)
  expect(headings.slice(categories.length)).toEqual([
    ...['Totals by category', 'Totals by source of the value', 'Totals by policy', 'Totals by location'],
    ...['Under-Declared and Not Declared', 'Depreciation by financial year (IAS 16.73)'],
  ])
  const text = all.map((each) => each.text).join(' ')
  for (const disclaimer of disclaimers) expect(text.split(disclaimer)).toHaveLength(2)
  expect(text).not.toMatch(/Page \d+ of|, continued|Made \d/)
  expect(text).toContain(dayInWords(lines[0]?.Day ?? ''))
  expect(text).toContain(coverageLabels.uninsured)
})

it('a screen reader finds in each row of a table of totals one cell for each header', () => {
  const tables = allOf('Table', pages.flat()).filter(({ within }) => within[0]?.role === 'THead')
  expect(tables.length).toBeGreaterThan(6)
  for (const { within } of tables) {
    const [head, ...bodies] = within
    const columns = allOf('TH', [head as Tagged]).length
    for (const row of allOf('TR', bodies).filter(({ text }) => text !== '')) {
      const isBand = allOf('H2', [row]).length === 1
      expect(row.within, row.text).toHaveLength(isBand ? 1 : columns)
      expect(row.within.filter(({ role }) => role === 'TH')).toHaveLength(1)
    }
  }
})
