import { rm } from 'node:fs/promises'
import fc from 'fast-check'
import { afterAll, expect, test, vi } from 'vitest'
import type { ValueForm } from '../../src/importer/cells.ts'
import { rowsImport, unreadable } from '../../src/importer/csv/import-rows.ts'
import { kinds } from '../../src/importer/kinds/index.ts'
import type { Kind } from '../../src/importer/kinds/kind.ts'
import { openSource } from '../../src/importer/open-source.ts'
import { noProgress } from '../../src/importer/progress.ts'
import { csvLine, UnreadableFile } from '../../src/importer/row-errors.ts'
import { useFolder } from '../support/folder.ts'
import { partsOf, type Stored, serialOf, type Value, workbook, zipped } from '../support/workbook.ts'
import { kindNamed } from './support.ts'

/** How many files of each kind the test tries. The nightly run tries more. */
const runs = Number(process.env.TEST_FUZZ_RUNS ?? 15)
vi.setConfig({ testTimeout: 30_000 + runs * 300 })
const counts: Record<string, number> = {}
const count = (what: string, ended: string) => {
  counts[`${what}: ${ended}`] = (counts[`${what}: ${ended}`] ?? 0) + 1
}

const folder = useFolder()
let files = 0
afterAll(() => {
  if (process.env.TEST_FUZZ_RUNS !== undefined) console.info(counts, process.resourceUsage().maxRSS / 1024)
})

/** The rows that an import would write, by their lines, and the lines and columns of its errors. */
type Read = { rows: Map<number, (string | null)[]>; errors: { line: number; column: string | null }[] }

const unescaped = (text: string) =>
  text === '\\N'
    ? null
    : text.replace(/\\(.)/g, (_, letter: string) => ({ n: '\n', r: '\r', t: '\t' })[letter] ?? letter)

/** Reads a file as an import does, up to the database. Everything but a refusal is thrown. */
async function read(bytes: Buffer, kind: Kind): Promise<Read> {
  files += 1
  const path = await folder.file(String(files), bytes)
  const found: Read = { rows: new Map(), errors: [] }
  const fail = ({ line, column }: { line: number | null; column: string | null }) =>
    found.errors.push({ line: line ?? 0, column })
  const copyIn = async (statement: string, text: string) => {
    for (const line of text.split('\n').slice(0, -1)) {
      const [first, second = null, invalid = null, ...values] = line.split('\t').map(unescaped)
      if (statement.includes('import_row_errors')) fail({ line: Number(first), column: second })
      else if (invalid === null) found.rows.set(Number(first), values)
    }
  }
  const began = process.cpuUsage()
  try {
    const source = await openSource(path, kind, {})
    try {
      for (const error of source.header.errors) fail(error)
      if (found.errors.length === 0)
        await rowsImport(kind, source).stage({ copyIn } as never, noProgress, { timezone: 'UTC', currency: 'EUR' })
    } finally {
      source.close()
    }
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error
    fail(unreadable(error))
  }
  await rm(path)
  const { user, system } = process.cpuUsage(began)
  expect(user + system).toBeLessThan(2_000_000)
  return found
}

/** A cell, and what the sheet shows in it. `shown` returns undefined where an import must refuse it. */
type Made = { value: Value; shown: (reads: ValueForm | undefined) => string | undefined }

const days = ['yyyy-mm-dd', '[$-407]d. mmmm yyyy;@']
const formats = ['0000', '#,##0.00', '[$EUR] #,##0.00_-', ...days, 'hh:mm', '[h]:mm', '0.0%', '"SN "0']
const styleOf = (format: string) => formats.indexOf(format) + 2
const word = fc.string({ unit: fc.constantFrom(...'aZ70 é<&"💡-.'), maxLength: 8 })
const whole = fc.integer({ min: 1, max: 10 ** 12 })
const price = fc.integer({ min: 1, max: 10 ** 9 }).map((cents) => cents / 100)
const moment = fc.date({ min: new Date('1900-04-01'), max: new Date('2199-12-31'), noInvalidDate: true })
const numeric = (reads: ValueForm | undefined) => reads === 'amount' || reads === 'whole'
const dated = (reads: ValueForm | undefined) => reads === 'day' || reads === 'moment'
const wrong: Stored[] = [
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
  fc.nat(2).map((at): Made => ({ value: { t: 's', v: `${at}` }, shown: () => ['one', ' two', ''][at] })),
  fc.oneof(whole, price).map((number): Made => ({ value: { v: `${number}` }, shown: () => `${number}` })),
  fc.oneof(whole, price).map((number): Made => ({ value: { f: 'A1*2', v: `${number}` }, shown: () => `${number}` })),
  fc.integer({ min: 1, max: 99_999 }).map((number): Made => {
    return { value: { s: styleOf('0000'), v: `${number}` }, shown: () => `${number}`.padStart(4, '0') }
  }),
  fc.tuple(price, fc.constantFrom('#,##0.00', '[$EUR] #,##0.00_-')).map(([number, format]): Made => {
    const value = { s: styleOf(format), v: `${number}` }
    return { value, shown: (reads) => (numeric(reads) ? `${number}` : undefined) }
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
  fc.constantFrom<Stored>(...wrong).map(never),
  fc.constantFrom('hh:mm', '[h]:mm', '0.0%').map((format) => never({ s: styleOf(format), v: '1.5' })),
  fc.constantFrom('0', '0.5', '-3', '59', '3000000').map((serial) => never({ s: styleOf('yyyy-mm-dd'), v: serial })),
)

const columnsOfAll = kinds.flatMap((kind) => kind.columns.map((column) => ({ kind, column })))

const texts = ['<t>one</t>', '<r><t> two</t></r>', '<t/>']

test('a cell of any type and format, in any column, is read as the sheet shows it, or is refused on its line', async () => {
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

/** Damage to bytes: some are changed, or left out, or the end is missing. */
const damages = fc.record({
  changes: fc.array(fc.tuple(fc.nat(9_999), fc.nat(255)), { minLength: 1, maxLength: 3 }),
  how: fc.constantFrom('changed', 'removed', 'cut', 'doubled'),
})
type Damage = typeof damages extends fc.Arbitrary<infer Of> ? Of : never

function damage(bytes: Buffer, { changes, how }: Damage): Buffer {
  let result = Buffer.from(bytes)
  for (const [place, byte] of changes) {
    const at = Math.floor((place / 10_000) * result.length)
    const [before, after] = [result.subarray(0, at), result.subarray(at)]
    if (how === 'changed') result[at] = byte
    else if (how === 'removed') result = Buffer.concat([before, after.subarray(1 + (byte % 40))])
    else if (how === 'cut') result = before
    else result = Buffer.concat([before, after.subarray(0, byte % 40), after])
  }
  return result
}

const items = kindNamed('items')
const names = ['external_key', 'name', 'serial_number', 'purchase_price', 'acquisition_date']
const rowOf = (at: number) => [`K${at}`, `Näme ${at} "x"`, at * 1000, at + 0.5, new Date('2024-03-01')]
const rows = Array.from({ length: 12 }, (_, at) => rowOf(at))
const shared = ['<t>shared</t>', '<r><t>ri</t></r><r><t>ch</t></r>']
const sheets = {
  Gear: [names, ...rows, ['K90', { t: 's', v: '0' }], ['K91', { t: 's', v: '1' }, null, { f: '1+1', v: '2' }]],
  Old: [['x']],
}
const book = partsOf(sheets, { texts: shared, tail: '<mergeCells><mergeCell ref="C14:C15"/></mergeCells>' })
const parts = Object.entries(book) as [string, string][]
const archive = zipped(book)
const lineOf = (row: (string | number | Date)[]) =>
  csvLine(row.map((cell) => (cell instanceof Date ? '2024-03-01' : `${cell}`)))
const csv = Buffer.from([names, ...rows].map(lineOf).join(''))
const ended = ({ errors, rows: written }: Read) =>
  errors.length === 0 ? 'read' : written.size === 0 ? 'refused at once' : 'refused'

const namesLines = ({ errors }: Read) => expect(errors.every(({ line }) => line >= 1)).toBe(true)

test('a file that is damaged as an archive has the same rows, or is refused', async () => {
  const wanted = await read(archive, items)
  expect([wanted.rows.size, wanted.errors]).toEqual([14, []])
  const stored = zipped(book, Infinity)
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(archive, stored), damages, async (bytes, how) => {
      const got = await read(damage(bytes, how), items)
      namesLines(got)
      if (got.errors.length === 0) expect(got.rows).toEqual(wanted.rows)
      count('archives', ended(got))
    }),
    { numRuns: runs * 4 },
  )
})

test('a file with its parts in any order has the same rows', async () => {
  const wanted = await read(archive, items)
  await fc.assert(
    fc.asyncProperty(fc.shuffledSubarray(parts, { minLength: parts.length }), async (order) => {
      expect(await read(zipped(Object.fromEntries(order)), items)).toEqual(wanted)
      count('orders', 'read')
    }),
    { numRuns: Math.ceil(runs / 4) },
  )
})

test('a file that is damaged in its XML ends in rows or a refusal', async () => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...parts), damages, async ([name, text], how) => {
      const got = await read(zipped({ ...book, [name]: damage(Buffer.from(text), how) }), items)
      namesLines(got)
      count('XML', ended(got))
    }),
    { numRuns: runs * 4 },
  )
})

test('a file that is damaged as CSV ends in rows or a refusal; cut short, all rows but the last are as they were', async () => {
  const wanted = await read(csv, items)
  await fc.assert(
    fc.asyncProperty(damages, async (how) => {
      const got = await read(damage(csv, how), items)
      namesLines(got)
      const kept = [...got.rows].slice(0, -1)
      if (how.how === 'cut') expect(kept).toEqual([...wanted.rows].slice(0, kept.length))
      count('CSV', ended(got))
    }),
    { numRuns: runs * 4 },
  )
})
