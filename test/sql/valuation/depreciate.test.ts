import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { useSql } from '../support.ts'
import { cents, life, method, methods } from './arbitraries.ts'
import { amount, depreciated, type Method } from './exact.ts'
import { worthAt } from './plans.ts'

const sql = useSql()

type Case = {
  method: Method
  price: bigint
  months: number | null
  life: number
  residual: bigint
  /** Months of the first year; a whole year when it is not given. */
  firstYear?: number
}

const valuesOf = async (cases: Case[]) => {
  const rows = await sql.owner.rows<{ value: string | null }>(
    `select case when c.price > 0 then ${worthAt('c.months', {
      ...{ method: 'c.method', price: 'c.price', life: 'c.life', residual: 'c.residual', firstYear: 'c.first_year' },
    })} end as value
     from unnest($1::text[], $2::numeric[], $3::integer[], $4::integer[], $5::numeric[], $6::integer[])
       with ordinality as c (method, price, months, life, residual, first_year, n) order by c.n`,
    [
      cases.map((c) => c.method),
      cases.map((c) => amount(c.price)),
      cases.map((c) => c.months),
      cases.map((c) => c.life),
      cases.map((c) => amount(c.residual)),
      cases.map((c) => c.firstYear ?? 12),
    ],
  )
  return rows.map((row) => row.value)
}

const months = fc.integer({ min: -24, max: 1200 })
const firstYear = fc.integer({ min: 1, max: 12 })
const anyCase = fc.record({ method, price: cents, months, life, residual: cents, firstYear })

/** The cases that the database values otherwise than the exact rule, with both values. */
const wrongAmong = async (cases: Case[]) => {
  const values = await valuesOf(cases)
  return cases
    .map((one, n) => ({ ...one, database: values[n], exact: amount(depreciated(one)) }))
    .filter(({ database, exact }) => database !== exact)
    .slice(0, 10)
}

/** Purchase price 1,000.00, residual value 100.00, useful life 40 months: 30 % and 60 % a year, or
 * 45 % and 60 %. */
const example: [method: Method, month: number, value: string][] = [
  ['straight_line', 0, '1000.00'],
  ['straight_line', 40, '100.00'],
  ['declining_balance', 12, '550.00'],
  ['declining_balance', 13, '529.38'], // a twelfth of 45 % of 550.00
  ['declining_balance', 37, '149.78'], // four months are left for what is above 100.00
  ['declining_balance', 40, '100.00'],
  ['double_declining_balance', 12, '400.00'],
  ['double_declining_balance', 30, '130.00'], // 60 % of 160.00 would be more than the 60.00 that are left
  ['double_declining_balance', 36, '100.00'],
]

test.each(example)('by %s after %i months 1,000.00 are worth %s', async (name, age, value) => {
  const one: Case = { method: name, price: 100_000n, months: age, life: 40, residual: 10_000n }
  expect(await valuesOf([one])).toEqual([value])
  expect(amount(depreciated(one))).toBe(value)
})

describe('half a cent is rounded up', () => {
  test.each<[why: string, one: Case, value: string]>([
    ['a tie by straight_line', { method: 'straight_line', price: 1n, months: 1, life: 2, residual: 0n }, '0.01'],
    // 2.16 × 5/6 × 71/72 = 1.775
    [
      'a tie in the second year, with periodic fractions on the way',
      { method: 'double_declining_balance', price: 216n, months: 13, life: 144, residual: 0n },
      '1.78',
    ],
    // 0.03 × (1 − 10/12) = 0.005
    [
      'a tie at the end of a first year of ten months',
      { method: 'double_declining_balance', price: 3n, months: 10, life: 20, residual: 0n, firstYear: 10 },
      '0.01',
    ],
  ])('%s', async (_why, one, value) => {
    expect(await valuesOf([one])).toEqual([value])
  })
})

test('half a cent is rounded up wherever it comes up', async () => {
  const chosen = fc.record({
    method: fc.constantFrom<Method>('declining_balance', 'double_declining_balance'),
    k: fc.integer({ min: 2, max: 30 }),
    years: fc.integer({ min: 1, max: 5 }),
    n: fc.bigInt(0n, 500n),
  })
  const tie = chosen.map(({ method, k, years, n }): Case => {
    const price = (BigInt(2 * k) ** BigInt(years) * (2n * n + 1n)) / 2n
    return { method, price, months: 12 * years, life: (method === 'declining_balance' ? 36 : 48) * k, residual: 0n }
  })
  expect(await wrongAmong(fc.sample(tie, 2_000))).toEqual([])
})

test('every value is exact to the cent', async () => {
  expect(await wrongAmong(fc.sample(anyCase, 6_000))).toEqual([])
})

test('before its acquisition an item is worth its price', async () => {
  const future = methods.map((name): Case => ({ method: name, price: 5_000n, months: -3, life: 12, residual: 0n }))
  expect(await valuesOf(future)).toEqual(['50.00', '50.00', '50.00'])
})

test.each(methods)('by %s nothing that can be stored raises', async (name) => {
  const extremes: Case[] = [1, 2, 2_147_483_647].flatMap((useful) =>
    [0, 1, 1_200, 119_987].map((age) => ({
      method: name,
      price: 99_999_999_999_999n,
      months: age,
      life: useful,
      residual: 0n,
    })),
  )
  expect(await valuesOf(extremes)).toEqual(
    extremes.map((one) => (exactWithinReason(one) ? amount(depreciated(one)) : expect.any(String))),
  )
})

/** A power of a hundred thousand digits is beyond a test. */
function exactWithinReason(one: Case): boolean {
  return one.method === 'straight_line' || (one.months ?? 0) <= 1_200
}
