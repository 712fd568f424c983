import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { cleanText } from '../../src/domain/text.ts'
import { categories, depreciationMethods } from '../../src/domain/vocabulary.ts'
import { exactHeader } from '../../src/importer/csv/source.ts'
import { doubtNames } from '../../src/importer/doubts.ts'
import { csvLine } from '../../src/importer/row-errors.ts'
import type { Studio } from '../sql/support.ts'
import { deeper } from '../support/depth.ts'
import { expectDone, kindNamed, useImporter } from './support.ts'

const importer = useImporter()
let studio: Studio

beforeAll(async () => {
  studio = await importer.studio()
  await importer.into(studio, 'locations', 'external_key,name\nROOM,Live room\n')
})

/** Any text that PostgreSQL can store and that is no blank line: well-formed, without NUL. */
const text = fc
  .oneof(
    fc.string({ unit: 'grapheme', maxLength: 12 }),
    fc.string({ unit: fc.constantFrom(...'a1 ",;|\t\n\\.N=-é'), maxLength: 12 }),
  )
  .map((value) => value.replaceAll('\0', '').replaceAll('\r', '\r\n'))
const filled = text.filter((value) => cleanText(value) !== '')
const digits = filled.filter((value) => !/^\d(?:[.,]\d+)?E\+\d+$/i.test(value.trim()))
const tag = filled.map(cleanText)
const key = digits.map(cleanText).filter((value) => !/\p{Cc}/u.test(value))
const cents = fc
  .bigInt(0n, 99_999_999_999_999n)
  .map((value) => `${value / 100n}.${String(value % 100n).padStart(2, '0')}`)
const day = fc
  .date({ min: new Date('0001-01-01T00:00:00Z'), max: new Date('9999-12-31T00:00:00Z'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10))
const optional = <Value>(arbitrary: fc.Arbitrary<Value>) => fc.option(arbitrary, { nil: null })

const fields = {
  name: filled,
  manufacturer: text,
  model: text,
  serial_number: digits,
  barcode: digits,
  category: fc.constantFrom(...categories),
  tags: fc.array(tag, { maxLength: 4 }),
  location: fc.constantFrom('ROOM', null),
  purchase_price: cents,
  acquisition_date: optional(day),
  depreciation_method: fc.constantFrom(...depreciationMethods),
  useful_life_months: optional(fc.integer({ min: 1, max: 2_147_483_647 })),
  residual_value: optional(cents),
  manual_value: optional(cents),
  replacement_cost: optional(cents),
  reported_insured_value: cents,
  archived: fc.boolean(),
}
const item = fc.record(fields)
const header = ['external_key', ...Object.keys(fields)]
type Item = typeof item extends fc.Arbitrary<infer Value> ? Value : never

const anyCase = (value: string, upper: boolean) => (upper ? value.toUpperCase() : value.toLowerCase())

/** A row as somebody could write it. */
function written(key: string, row: Item, upper: boolean): Record<string, string> {
  return {
    ...Object.fromEntries(Object.entries(row).map(([name, value]) => [name, value === null ? '' : String(value)])),
    external_key: key,
    category: anyCase(row.category, upper),
    tags: row.tags.map((value) => `${value.replace(/[\\|;]/g, '\\$&')}|`).join(upper ? '' : ' '),
    archived: row.archived ? 'yes' : 'no',
  }
}

const files = fc.record({
  rows: fc.uniqueArray(fc.tuple(key, item), { selector: ([key]) => cleanText(key), minLength: 1, maxLength: 12 }),
  columns: fc.shuffledSubarray(header, { minLength: header.length }),
  upper: fc.boolean(),
  encoding: fc.constantFrom('utf8' as const, 'utf16le' as const),
  mark: fc.boolean(),
})

/** A row as an import stores it. */
const cleaned = (row: Item): Item => ({
  ...row,
  ...Object.fromEntries(texts.map((name) => [name, cleanText(row[name])])),
})
const texts = ['name', 'manufacturer', 'model', 'serial_number', 'barcode'] as const

/** Imports rows, reads them back, and imports them again. */
async function expectRead(rows: [string, Item][], file: Buffer): Promise<void> {
  // Random rows are doubtful in every way.
  const job = { accepted: new Set(doubtNames) }
  expectDone(await importer.into(studio, 'items', file, job), { rows: rows.length })
  const found = await importer.admin.rows<{ external_key: string }>(
    `select external_key, name, manufacturer, model, serial_number, barcode, category, tags,
       case when location_id is not null then 'ROOM' end as location, purchase_price, acquisition_date,
       depreciation_method, useful_life_months, residual_value, manual_value, replacement_cost,
       reported_insured_value, archived_at is not null as archived
     from app.items where studio_id = $1 and external_key = any ($2)`,
    [studio.id, rows.map(([key]) => key)],
  )
  const byKey = new Map(found.map((row) => [row.external_key, row]))
  for (const [key, row] of rows) expect(byKey.get(key)).toEqual({ external_key: key, ...row })
  expectDone(await importer.into(studio, 'items', file, job), { rows: rows.length, unchanged: rows.length })
}

test('any rows, written as CSV and imported, are read back with clean texts, and change nothing the second time', async () => {
  await fc.assert(
    fc.asyncProperty(files, async ({ rows, columns, upper, encoding, mark }) => {
      const lines = rows.map(([key, row]) => {
        const cells = written(key, row, upper)
        return csvLine(columns.map((column) => cells[column] ?? ''))
      })
      const content = `${csvLine(columns)}${lines.join('')}`
      const file = Buffer.from(`${mark || encoding === 'utf16le' ? '\ufeff' : ''}${content}`, encoding)
      await expectRead(
        rows.map(([key, row]) => [key, cleaned(row)]),
        file,
      )
    }),
    { numRuns: 5 * deeper },
  )
}, 120_000)

test('any rows, written as a studio’s export writes them, are read back to the byte', async () => {
  const kind = kindNamed('items')
  await fc.assert(
    fc.asyncProperty(files, async ({ rows, upper }) => {
      const lines = rows.map(([key, row]) => {
        const cells = written(key, row, upper)
        return csvLine(kind.columns.map(({ name }) => cells[name] ?? ''))
      })
      await expectRead(rows, Buffer.from(`${exactHeader(kind)}\n${lines.join('')}`))
    }),
    { numRuns: 3 * deeper },
  )
}, 120_000)
