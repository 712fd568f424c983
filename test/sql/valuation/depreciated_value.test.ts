import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { useSql } from '../support.ts'
import { cents, life, method, methods } from './arbitraries.ts'
import { amount, depreciated, type Method } from './exact.ts'

const sql = useSql()

type Case = { method: Method; price: bigint; months: number | null; life: number; residual: bigint }

const valuesOf = async (cases: Case[]) => {
  const rows = await sql.owner.rows<{ value: string | null }>(
    `select valuation.depreciated_value(c.method, c.price, c.months, c.life, c.residual) as value
     from unnest($1::text[], $2::numeric[], $3::integer[], $4::integer[], $5::numeric[])
       with ordinality as c (method, price, months, life, residual, n) order by c.n`,
    [
      cases.map((c) => c.method),
      cases.map((c) => amount(c.price)),
      cases.map((c) => c.months),
      cases.map((c) => c.life),
      cases.map((c) => amount(c.residual)),
    ],
  )
  return rows.map((row) => row.value)
}

const months = fc.integer({ min: -24, max: 1200 })
const anyCase = fc.record({ method, price: cents, months, life, residual: cents })

/** The cases that the database values otherwise than the exact rule, with both values. */
const wrongAmong = async (cases: Case[]) => {
  const values = await valuesOf(cases)
  return cases
    .map((one, n) => ({ ...one, database: values[n], exact: amount(depreciated(one)) }))
    .filter(({ database, exact }) => database !== exact)
    .slice(0, 10)
}

/** Purchase price 1,000.00, residual value 100.00, useful life 10 months. */
const example: [method: Method, month: number, value: string][] = [
  ['straight_line', 0, '1000.00'],
  ['straight_line', 1, '910.00'],
  ['straight_line', 9, '190.00'],
  ['straight_line', 10, '100.00'],
  ['straight_line', 11, '100.00'],
  ['declining_balance', 0, '1000.00'],
  ['declining_balance', 1, '850.00'],
  ['declining_balance', 2, '722.50'],
  ['declining_balance', 3, '614.13'],
  ['declining_balance', 15, '100.00'],
  ['double_declining_balance', 0, '1000.00'],
  ['double_declining_balance', 1, '800.00'],
  ['double_declining_balance', 2, '640.00'],
  ['double_declining_balance', 10, '107.37'],
  ['double_declining_balance', 11, '100.00'],
]

test.each(example)('by %s after %i months 1,000.00 are worth %s', async (name, age, value) => {
  const one: Case = { method: name, price: 100_000n, months: age, life: 10, residual: 10_000n }
  expect(await valuesOf([one])).toEqual([value])
  expect(amount(depreciated(one))).toBe(value)
})

describe('half a cent is rounded up', () => {
  test.each<[why: string, one: Case, value: string]>([
    ['a tie by straight_line', { method: 'straight_line', price: 1n, months: 1, life: 2, residual: 0n }, '0.01'],
    ['a tie with thirds on the way', { method: 'straight_line', price: 3n, months: 3, life: 6, residual: 0n }, '0.02'],
    // 100.05 × 5/6 = 83.375
    [
      'a tie after one month',
      { method: 'double_declining_balance', price: 10_005n, months: 1, life: 12, residual: 0n },
      '83.38',
    ],
    // 0.03 × 5/6 = 0.025
    [
      'a tie of three cents',
      { method: 'double_declining_balance', price: 3n, months: 1, life: 12, residual: 0n },
      '0.03',
    ],
    // 0.06 × 3/4 = 0.045
    [
      'a tie by declining_balance',
      { method: 'declining_balance', price: 6n, months: 1, life: 6, residual: 0n },
      '0.05',
    ],
  ])('%s', async (_why, one, value) => {
    expect(await valuesOf([one])).toEqual([value])
  })
})

test('half a cent is rounded up wherever it comes up', async () => {
  // What is kept every month is a fraction a/b in its lowest terms. With an even b, an odd multiple of b^n / 2 cents ends
  // after n months at exactly half a cent.
  const chosen = fc.record({
    method: fc.constantFrom<Method>('declining_balance', 'double_declining_balance'),
    k: fc.integer({ min: 2, max: 30 }),
    months: fc.integer({ min: 1, max: 5 }),
    n: fc.bigInt(0n, 500n),
  })
  const tie = chosen.map(({ method, k, months, n }): Case => {
    const declining = method === 'declining_balance'
    const b = declining && k % 3 === 0 ? (2 * k) / 3 : 2 * k
    const price = (BigInt(b) ** BigInt(months) * (2n * n + 1n)) / 2n
    return { method, price, months, life: declining ? k : 4 * k, residual: 0n }
  })
  expect(await wrongAmong(fc.sample(tie, 2_000))).toEqual([])
})

test('every value is exact to the cent', async () => {
  expect(await wrongAmong(fc.sample(anyCase, 6_000))).toEqual([])
})

test('every value lies between the residual value and the purchase price', async () => {
  const cases = fc.sample(anyCase, 3_000).filter(({ price }) => price > 0n)
  const values = await valuesOf(cases)
  const outside = cases.filter(({ price, residual }, n) => {
    const value = toCents(values[n] ?? '-1')
    return value > price || value < (residual < price ? residual : price)
  })
  expect(outside).toEqual([])
})

test.each(methods)('by %s a value never rises with the months, starts at the price and ends', async (name) => {
  await fc.assert(
    fc.asyncProperty(cents, cents, life, async (price, residual, useful) => {
      fc.pre(price > 0n)
      const ages = Array.from({ length: 121 }, (_, n) => Math.floor((n * useful) / 60))
      const values = await valuesOf(ages.map((age) => ({ method: name, price, months: age, life: useful, residual })))
      const worth = values.map((value) => toCents(value ?? ''))
      expect(worth[0]).toBe(price)
      worth.forEach((value, n) => {
        if (n > 0) expect(value).toBeLessThanOrEqual(worth[n - 1] ?? -1n)
      })
      if (name === 'straight_line') expect(worth.at(-1)).toBe(residual < price ? residual : price)
    }),
    { numRuns: 40 },
  )
})

test('before its acquisition an item is worth its price', async () => {
  const future = methods.map((name): Case => ({ method: name, price: 5_000n, months: -3, life: 12, residual: 0n }))
  expect(await valuesOf(future)).toEqual(['50.00', '50.00', '50.00'])
})

test.each<[why: string, one: Partial<Case>]>([
  ['the method is none', { method: 'none' }],
  ['nothing was paid', { price: 0n }],
  ['the acquisition date is unknown', { months: null }],
])('there is no depreciated value when %s', async (_why, one) => {
  const whole: Case = { method: 'straight_line', price: 5_000n, months: 3, life: 12, residual: 0n }
  expect(await valuesOf([{ ...whole, ...one }])).toEqual([null])
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

function toCents(value: string): bigint {
  return BigInt(value.replace('.', ''))
}
