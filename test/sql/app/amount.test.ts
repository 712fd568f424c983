import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Studio, useSql } from '../support.ts'

const sql = useSql()
let studio: Studio

beforeAll(async () => {
  studio = await sql.studio()
})

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

describe('app.amount, of one column for all of them', () => {
  const refused = ['NaN', 'Infinity', '-Infinity', '-0.01', '-1', '1000000000000', '999999999999.995', '1e300']

  test.each(refused)('refuses %s', async (amount) => {
    await expect(write(amount)).rejects.toMatchObject({ code: expect.stringMatching(/^(23514|22003)$/) })
  })

  const kept: [written: string, stored: string][] = [
    ['0', '0.00'],
    ['-0', '0.00'],
    ['0.004', '0.00'],
    ['0.005', '0.01'],
    ['1e3', '1000.00'],
    ['-0.004', '0.00'],
    ['1.005', '1.01'],
    ['2.675', '2.68'],
    ['19.999', '20.00'],
    ['9999999999.99', '9999999999.99'],
    ['999999999999.99', '999999999999.99'],
    ['999999999999.994', '999999999999.99'],
  ]

  test.each(kept)('stores %s as %s', async (written, stored) => {
    expect(await write(written)).toBe(stored)
  })
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

async function write(amount: string): Promise<unknown> {
  const { purchase_price } = await studio.get<{ purchase_price: string }>(
    'items',
    await studio.add('items', { purchase_price: amount }),
  )
  return purchase_price
}
