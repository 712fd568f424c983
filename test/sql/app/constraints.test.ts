import { beforeAll, expect, test } from 'vitest'
import { type Columns, type Studio, useSql } from '../support.ts'

const sql = useSql()
let studio: Studio
/** The rows that a row of each table refers to. */
let refersTo: Record<string, Columns>

beforeAll(async () => {
  studio = await sql.studio()
  const item_id = await studio.add('items')
  const policy_id = await studio.add('policies')
  refersTo = {
    maintenance_records: { item_id },
    policy_assignments: { item_id, policy_id },
    market_values: { item_id },
  }
})

const each = (column: string, ...values: unknown[]): Columns[] => values.map((value) => ({ [column]: value }))
const windows: Columns[] = [
  { effective_start: '2026-02-02', effective_end: '2026-02-01' },
  { effective_start: 'infinity' },
  { effective_end: '10000-01-01' },
]
const refused: Record<string, Columns[]> = {
  items: [
    ...['manufacturer', 'model', 'serial_number', 'barcode', 'tags'].flatMap((column) => each(column, null)),
    ...each('name', ''),
    ...each('reported_insured_value', null),
    ...each('purchase_price', null, 'NaN', 'Infinity', '-0.01', '999999999999.995'),
    ...each('depreciation_method', 'straight-line', null),
    ...each('useful_life_months', 0),
    ...each('tags', ['a', null], [['a', 'b']]),
    // The wire has YYYY-MM-DD: four digits and no era.
    ...each('acquisition_date', '10000-01-01', '0044-03-15 BC', '-infinity'),
    ...each('category', null, 'Outboard - Dynamics & EQ', 'Other / Uncategorized', 'Microphones ', '*'),
  ],
  locations: [{ name: '' }, { type: 'Room' }, { country_code: 'de' }],
  maintenance_records: [
    ...[{ title: '' }, { maintenance_type: 'service' }, { scheduled_date: 'infinity' }],
    ...each('status', 'done', 'completed'),
    { status: 'scheduled', completed_date: '2026-02-28' },
  ],
  policies: windows,
  policy_assignments: windows,
}
const code = expect.stringMatching(/^(23514|23502|22003|0A000)$/)

const rows = Object.entries(refused).flatMap(([table, all]) => all.map((columns) => [table, columns] as const))

test.each(rows)('app.%s takes no %j', async (table, columns) => {
  await expect(studio.add(table, { ...refersTo[table], ...columns })).rejects.toMatchObject({ code })
})

test('what was stored cannot be changed into what is refused', async () => {
  const item = await studio.add('items', { category: 'Microphones' })
  await expect(studio.change('items', item, { category: 'Microphone' })).rejects.toMatchObject({ code })
  const record = await studio.add('maintenance_records', refersTo.maintenance_records)
  await expect(studio.change('maintenance_records', record, { status: 'completed' })).rejects.toMatchObject({ code })
})

test('a category in another case is stored as the vocabulary has it', async () => {
  const id = await studio.add('items', { category: 'eFFECTS & reverb UNITS' })
  expect(await studio.get('items', id)).toMatchObject({ category: 'Effects & Reverb Units' })
})

test('one assignment of an item is primary, at most', async () => {
  const item_id = await studio.add('items')
  const add = (is_primary: boolean) =>
    studio.add('policy_assignments', { ...refersTo.policy_assignments, item_id, is_primary })
  await add(true)
  await expect(add(true)).rejects.toMatchObject({ code: '23505' })
  const making = studio.change('policy_assignments', await add(false), { is_primary: true })
  await expect(making).rejects.toMatchObject({ code: '23505' })
})

test.each(['infinity', '10000-01-01T00:00:00Z'])('a market value is not as of %s', async (moment) => {
  await expect(studio.market(String(refersTo.market_values?.item_id), '1', moment)).rejects.toMatchObject({ code })
})

test('every column of money has the domain; rates, differences and sums do not', async () => {
  const found = await sql.admin.rows<{ place: string }>(
    `select c.relname || '.' || a.attname as place
     from pg_attribute a join pg_class c on c.oid = a.attrelid
     where c.relkind = 'r' and c.relnamespace = 'app'::regnamespace and a.atttypid = 'numeric'::regtype
       and a.attnum > 0 and not a.attisdropped`,
  )
  expect(found.map((row) => row.place).sort()).toEqual([
    'categories.residual_rate',
    'closed_values.depreciation_rate',
    'closings.estimated_value',
    'closings.reported_insured_value',
    'closings_under_way.estimated_value',
    'closings_under_way.reported_insured_value',
    'depreciation_changes.depreciation_rate',
    'item_valuations.gap_amount',
    'items.depreciation_rate',
  ])
})

test.each([
  ['-0', '0.00'],
  ['0.004', '0.00'],
  ['0.005', '0.01'],
  ['2.675', '2.68'],
  ['999999999999.994', '999999999999.99'],
])('an amount of %s is stored as %s', async (purchase_price, stored) => {
  expect(await studio.get('items', await studio.add('items', { purchase_price }))).toMatchObject({
    purchase_price: stored,
  })
})
