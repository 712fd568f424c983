import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { parsed, type Studio, useSql } from '../support.ts'

const sql = useSql()
let studio: Studio

beforeAll(async () => {
  studio = await sql.studio()
})

const columns: [table: string, column: string][] = [
  ['items', 'purchase_price'],
  ['items', 'residual_value'],
  ['items', 'manual_value'],
  ['items', 'replacement_cost'],
  ['items', 'reported_insured_value'],
  ['maintenance_records', 'cost'],
  ['policies', 'overall_limit'],
  ['policies', 'deductible'],
  ['policy_assignments', 'declared_value'],
  ['market_values', 'value'],
]

test('every column of money has the domain', async () => {
  const rows = await sql.admin.rows<{ place: string }>(
    `select c.relname || '.' || a.attname as place
     from pg_attribute a join pg_class c on c.oid = a.attrelid
     where c.relkind = 'r' and c.relnamespace = 'app'::regnamespace and a.atttypid = 'numeric'::regtype
       and a.attnum > 0 and not a.attisdropped`,
  )
  expect(rows.map((row) => row.place).sort()).toEqual([
    'categories.residual_rate',
    'closed_values.gap_amount',
    'item_valuations.gap_amount',
  ])
})

describe.each(columns)('%s.%s', (table, column) => {
  const refused = ['NaN', 'Infinity', '-Infinity', '-0.01', '-1', '1000000000000', '999999999999.995', '1e300']

  test.each(refused)('refuses %s', async (amount) => {
    await expect(write(table, column, amount)).rejects.toMatchObject({ code: expect.stringMatching(/^(23514|22003)$/) })
  })

  const kept: [written: string, stored: string][] = [
    ['0', '0.00'],
    ['-0', '0.00'],
    ['0.004', '0.00'],
    ['0.005', '0.01'],
    ['-0.004', '0.00'],
    ['1.005', '1.01'],
    ['2.675', '2.68'],
    ['19.999', '20.00'],
    ['9999999999.99', '9999999999.99'],
    ['999999999999.99', '999999999999.99'],
    ['999999999999.994', '999999999999.99'],
  ]

  test.each(kept)('stores %s as %s', async (written, stored) => {
    expect(await write(table, column, written)).toBe(stored)
  })
})

test('0.1 + 0.2 is 0.3', async () => {
  const id = await studio.write((session) =>
    session.value(
      `insert into app.items (studio_id, name, purchase_price) values ($1, 'x', $2::app.amount + $3::app.amount) returning id`,
      [studio.id, '0.1', '0.2'],
    ),
  )
  expect(await studio.get('items', id)).toMatchObject({ purchase_price: '0.30' })
})

test('every cent of an amount reaches the wire as it was written', async () => {
  const id = await studio.add('items')
  const amount = fc
    .tuple(fc.bigInt(0n, 999_999_999_999n), fc.integer({ min: 0, max: 99 }))
    .map(([whole, cents]) => `${whole}.${String(cents).padStart(2, '0')}`)
  await fc.assert(
    fc.asyncProperty(amount, async (written) => {
      await studio.change('items', id, { purchase_price: written })
      const answer = await studio.ask('get_item', id)
      expect(answer.data).toContain(`"purchase_price":${written},`)
      expect(answer.data).toContain(`"current_estimated_value":${written === '0.00' ? 'null' : written},`)
    }),
    { numRuns: 100 },
  )
})

test('an amount is a JSON number on the wire, not a string', async () => {
  const id = await studio.add('items', { purchase_price: '1234.5', reported_insured_value: '0.1' })
  expect(parsed(await studio.ask('get_item', id))[0]).toMatchObject({
    purchase_price: 1234.5,
    reported_insured_value: 0.1,
  })
})

async function write(table: string, column: string, amount: string) {
  if (table === 'items' || table === 'policies') {
    return stored(table, column, await studio.add(table, { [column]: amount }))
  }
  const item_id = await studio.add('items')
  if (table === 'market_values') {
    await studio.market(item_id, amount)
    return sql.admin.value('select value from app.market_values where item_id = $1', [item_id])
  }
  if (table === 'maintenance_records')
    return stored(table, column, await studio.add(table, { item_id, [column]: amount }))
  const policy_id = await studio.add('policies')
  return stored(table, column, await studio.add(table, { item_id, policy_id, [column]: amount }))
}

function stored(table: string, column: string, id: string): Promise<string> {
  return sql.admin.value(`select ${column} from app.${table} where id = $1`, [id])
}
