import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ValueForm } from '../../../src/importer/cells.ts'
import { kinds } from '../../../src/importer/kinds/index.ts'
import { csvLine } from '../../../src/importer/row-errors.ts'
import { type Stored, serialOf, type Value, workbook } from '../../support/workbook.ts'
import { count, type Read, read, runs, useFuzz } from './support.ts'

useFuzz()

/** A cell, and its text, number, day or yes as the sheet shows it; undefined: refused. */
type Made = { value: Value; shown: (reads: ValueForm | undefined) => string | undefined }

const days = ['yyyy-mm-dd', '[$-407]d. mmmm yyyy;@']
const formats = ['0000', '#,##0.00', '[$EUR] #,##0.00_-', ...days, 'hh:mm', '[h]:mm', '0.0%', '"SN "0']
const styleOf = (format: string) => formats.indexOf(format) + 2
const word = fc.string({
  unit: fc.constantFrom('a', 'Z', '7', '0', ' ', 'é', '<', '&', '"', '💡', '-', '.'),
  maxLength: 8,
})
const whole = fc.integer({ min: 1, max: 10 ** 12 })
const price = fc.integer({ min: 1, max: 10 ** 9 }).map((cents) => cents / 100)
const moment = fc.date({ min: new Date('1900-04-01'), max: new Date('2199-12-31'), noInvalidDate: true })
const numeric = (reads: ValueForm | undefined) => reads === 'amount' || reads === 'whole'
const dated = (reads: ValueForm | undefined) => reads === 'day' || reads === 'moment'
const unreadable: Stored[] = [
  ...['3', '-1'].map((v) => ({ t: 's', v })),
  ...['12:00:00', '2024-13-01'].map((v) => ({ t: 'd', v })),
  ...[{ t: 'b', v: '2' }, { v: '1e999' }, { t: 'zz', v: 'x' }, { v: 'x1' }, { v: '1', s: 99 }, { is: '<t>x</t>' }],
]
const never = (value: Stored): Made => ({ value, shown: () => undefined })
const xml = (text: string) => text.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`)

const cells: fc.Arbitrary<Made> = fc.oneof(
  word.map((text): Made => ({ value: text, shown: () => text })),
  fc.tuple(word, word).map(([one, two]): Made => {
    const phonetic = `<rPh sb="0" eb="1"><t>x</t></rPh>`
    const is = `<r><t xml:space="preserve">${xml(one)}</t></r><r><rPr><b/></rPr><t>${xml(two)}</t></r>${phonetic}`
    return { value: { t: 'inlineStr', is }, shown: () => one + two }
  }),
  fc
    .integer({ min: 0, max: 2 })
    .map((at): Made => ({ value: { t: 's', v: `${at}` }, shown: () => ['one', ' two', ''][at] })),
  fc.oneof(whole, price).map((number): Made => ({ value: { v: `${number}` }, shown: () => `${number}` })),
  fc.oneof(whole, price).map((number): Made => ({ value: { f: 'A1*2', v: `${number}` }, shown: () => `${number}` })),
  fc.integer({ min: 1, max: 99_999 }).map((number): Made => {
    return { value: { s: styleOf('0000'), v: `${number}` }, shown: () => `${number}`.padStart(4, '0') }
  }),
  fc.tuple(price, fc.constantFrom('#,##0.00', '[$EUR] #,##0.00_-')).map(([number, format]): Made => {
    return {
      value: { s: styleOf(format), v: `${number}` },
      shown: (reads) => (numeric(reads) ? `${number}` : undefined),
    }
  }),
  fc.tuple(moment, fc.constantFrom(...days), fc.boolean()).map(([date, format, typed]): Made => {
    const day = date.toISOString().slice(0, 10)
    const midnight = new Date(`${day}T00:00:00Z`)
    const value = typed ? { t: 'd', v: `${day}T00:00:00` } : { s: styleOf(format), v: `${serialOf(midnight)}` }
    return { value, shown: (reads) => (dated(reads) ? day : undefined) }
  }),
  fc.boolean().map((yes): Made => ({ value: yes, shown: (reads) => (reads === 'yesNo' ? `${yes}` : undefined) })),
  fc.constantFrom('#N/A', '#REF!', '#SPILL!').map((error) => never({ t: 'e', f: 'x', v: error })),
  fc.constantFrom<Stored>({ f: 'A1' }, { f: 'A1', v: '' }, { t: 'str', f: 'A1' }, { t: 'b', f: 'A1' }).map(never),
  fc.constantFrom<Stored>(...unreadable).map(never),
  fc.constantFrom('hh:mm', '[h]:mm', '0.0%').map((format) => never({ s: styleOf(format), v: '1.5' })),
  fc.constantFrom('0', '0.5', '-3', '59', '3000000').map((serial) => never({ s: styleOf('yyyy-mm-dd'), v: serial })),
)

/** A column of some kind with cells for it; the other columns of its rows are right. */
const columnsOfAll = kinds.flatMap((kind) => kind.columns.map((column) => ({ kind, column })))

describe('a cell of any type and format, in any column', () => {
  const texts = ['<t>one</t>', '<r><t> two</t></r>', '<t/>']

  test('is read as the sheet shows it, or is refused on its line in its column', async () => {
    const table = fc.tuple(fc.constantFrom(...columnsOfAll), fc.array(cells, { minLength: 1, maxLength: 20 }))
    await fc.assert(
      fc.asyncProperty(table, async ([{ kind, column }, made]) => {
        const other = kind.columns.filter(({ name, required }) => required && name !== column.name)
        const fill = other.map(({ example }) => example || 'K')
        const names = [column, ...other].map(({ name }) => name)
        if (!names.includes(kind.key)) return
        const sheet = [names, ...made.map(({ value }): Value[] => [value, ...fill])]
        const { reads } = column.cell
        const lines = made.map(({ shown }) => csvLine([shown(reads) ?? '', ...fill]))
        const got = await read(workbook({ Table: sheet }, { formats, texts }), kind)
        const wanted = await read(Buffer.from(csvLine(names) + lines.join('')), kind)
        for (const [at, { shown }] of made.entries()) {
          const line = at + 2
          const refused = (of: Read) => of.errors.some((error) => error.line === line && error.column === column.name)
          const text = shown(reads)
          if (text === undefined || refused(wanted)) expect(refused(got), `line ${line}`).toBe(true)
          else expect(firstOf(got, line, reads), `line ${line}`).toEqual(firstOf(wanted, line, reads))
          count('cells', refused(got) ? 'refused' : 'read')
        }
      }),
      { numRuns: runs },
    )
  })

  const firstOf = ({ rows }: Read, line: number, reads: ValueForm | undefined) => {
    const [first = 'missing'] = rows.get(line) ?? []
    return first !== null && numeric(reads) ? Number(first) : first
  }
})
