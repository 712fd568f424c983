import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { useSql } from '../support.ts'
import { amount, cents, day, depreciated, iso, life, type Method, method, methods, wholeMonths } from './exact.ts'

const sql = useSql()

/** An asset, `months` after its acquisition; amounts are cents. `firstYear`: months of the first
 * year; a whole year when it is not given. */
type Case = { method: Method; price: bigint; months: number; life: number; residual: bigint; firstYear?: number }

const valuesOf = async (cases: Case[]) => {
  const rows = await sql.owner.rows<{ value: string | null }>(
    `select case when c.price > 0 then valuation.worth(valuation.depreciate(p.plan, months, months), months, 2) end as value
     from unnest($1::text[], $2::numeric[], $3::integer[], $4::integer[], $5::numeric[], $6::integer[])
       with ordinality as c (method, price, months, life, residual, first_year, n)
     cross join lateral (select row(price, 2, date '2000-01-01', 'item', 1, first_year, array[row(0, method, life, residual,
       valuation.annual_rate(method, life, null), null, 'no', null)::valuation.term])::valuation.plan as plan) as p
     order by c.n`,
    [
      ...[cases.map((c) => c.method), cases.map((c) => amount(c.price)), cases.map((c) => c.months)],
      ...[cases.map((c) => c.life), cases.map((c) => amount(c.residual)), cases.map((c) => c.firstYear ?? 12)],
    ],
  )
  return rows.map((row) => row.value)
}

/** The cases in which the database gives another value than the exact rule, with both values. */
const wrongAmong = async (cases: Case[]) => {
  const values = await valuesOf(cases)
  return cases
    .map((one, n) => ({ ...one, database: values[n], exact: amount(depreciated(one)) }))
    .filter(({ database, exact }) => database !== exact)
    .slice(0, 10)
}

const [straight, declining, double] = methods

describe('half a cent is rounded up', () => {
  test.each<[why: string, one: Case, value: string]>([
    ['a tie by straight_line', { method: straight, price: 1n, months: 1, life: 2, residual: 0n }, '0.01'],
    // 2.16 × 5/6 × 71/72 = 1.775
    [
      'a tie in the second year, with periodic fractions on the way',
      { method: double, price: 216n, months: 13, life: 144, residual: 0n },
      '1.78',
    ],
    // 0.03 × (1 − 10/12) = 0.005
    [
      'a tie at the end of a first year of ten months',
      { method: double, price: 3n, months: 10, life: 20, residual: 0n, firstYear: 10 },
      '0.01',
    ],
  ])('%s', async (_why, one, value) => {
    expect(await valuesOf([one])).toEqual([value])
  })

  test('wherever it comes up', async () => {
    const chosen = fc.record({
      method: fc.constantFrom<Method>(declining, double),
      k: fc.integer({ min: 2, max: 30 }),
      years: fc.integer({ min: 1, max: 5 }),
      n: fc.bigInt(0n, 500n),
    })
    const tie = chosen.map(({ method, k, years, n }): Case => {
      const price = (BigInt(2 * k) ** BigInt(years) * (2n * n + 1n)) / 2n
      return { method, price, months: 12 * years, life: (method === declining ? 36 : 48) * k, residual: 0n }
    })
    expect(await wrongAmong(fc.sample(tie, 2_000))).toEqual([])
  })
})

test('every value is exact to the cent', async () => {
  const [months, firstYear] = [fc.integer({ min: -24, max: 1200 }), fc.integer({ min: 1, max: 12 })]
  const anyCase = fc.record({ method, price: cents, months, life, residual: cents, firstYear })
  expect(await wrongAmong(fc.sample(anyCase, 4_000))).toEqual([])
})

test('before its acquisition an item is worth its price', async () => {
  const future = methods.map((name): Case => ({ method: name, price: 5_000n, months: -3, life: 12, residual: 0n }))
  expect(await valuesOf(future)).toEqual(['50.00', '50.00', '50.00'])
})

test.each(methods)('by %s nothing that can be stored raises', async (name) => {
  const extremes = [1, 2, 2_147_483_647].flatMap((useful) =>
    [0, 1, 1_200, 119_987].map((months): Case => {
      return { method: name, price: 99_999_999_999_999n, months, life: useful, residual: 0n }
    }),
  )
  // The test cannot compute a power with a hundred thousand digits.
  const withinReason = ({ months }: Case) => name === straight || months <= 1_200
  expect(await valuesOf(extremes)).toEqual(
    extremes.map((one) => (withinReason(one) ? amount(depreciated(one)) : expect.any(String))),
  )
})

/** The ends of years: of the asset, and of the calendar for one that was bought on 1 March. */
const [years, calendar] = [
  [12, 24, 36, 48, 60, 72, 84, 96],
  [10, 22, 34, 46, 58, 60],
]
const march = { years: 5, firstYear: 10 }
type Asset = { method: Method; price: number; years: number; residual: number; firstYear?: number }

/** Values after so many months as they are printed: to whole amounts, or to the cent. */
const toWhole = (months: number[], values: number[]) => ({ months, values, decimals: 0 })
const toCents = (months: number[], values: number[]) => ({ months, values, decimals: 2 })

test.each<[where: string, asset: Asset, printed: ReturnType<typeof toCents>]>([
  [
    'https://www.coursehero.com/file/5230239/dep-example1a1/, 200 %',
    { ...march, method: double, price: 110_000, residual: 20_000 },
    toCents(calendar, [73_333.33, 44_000, 26_400, 20_000, 20_000, 20_000]),
  ],
  [
    'https://www.coursehero.com/file/5230239/dep-example1a1/, straight line',
    { ...march, method: straight, price: 110_000, residual: 20_000 },
    toCents(calendar, [95_000, 77_000, 59_000, 41_000, 23_000, 20_000]),
  ],
  [
    'https://www.coursehero.com/file/p4hsu/First-year-1500-3months12months-375-Table-Year-Cost-Depreciation-Expense/',
    { method: double, price: 5_000, years: 3, residual: 500 },
    toWhole(years, [1_667, 556, 500]),
  ],
  // 20 % a year, less previous depreciation. 200 % over ten years is a rate of 20 %.
  [
    'https://help.xero.com/au/FixedAssets-CalculateDVDepreciation-AU',
    { method: double, price: 1_300, years: 10, residual: 0 },
    toCents(years, [1_300 - 260, 1_300 - 260 - 208]),
  ],
  // http://smartstudyhelp.com/question-answer/questions/question/calculate-1500000-of-investment-to-be-deprecated-over-8-year-using-declining-balance-depreciation-method-and-declining-balance-rate-of-150-show-your-work-in-detail-please
  // The charge of the last year is here what is left.
  [
    'smartstudyhelp.com: $1,500,000 over 8 years at 150 %',
    { method: declining, price: 1_500_000, years: 8, residual: 0 },
    toWhole(years, [1_218_750, 990_234, 804_565, 653_709, 531_139, 431_550, 350_635, 0]),
  ],
  [
    'https://www.scribd.com/document/522522813/Declining-Balance-150-depreciation',
    { method: declining, price: 17_200, years: 5, residual: 1_000 },
    toCents(years, [12_040, 8_428, 5_899.6, 4_129.72, 1_000]),
  ],
  [
    'ours: 200 % of a fifth is 40 % in the first year, a twelfth of it a month',
    { method: double, price: 10_000, years: 5, residual: 0 },
    toCents([1, 6, 12], [9_666.67, 8_000, 6_000]),
  ],
])('the values of an example: %s', async (_where, asset, { months, values, decimals }) => {
  const one = {
    ...asset,
    life: 12 * asset.years,
    price: BigInt(100 * asset.price),
    residual: BigInt(100 * asset.residual),
  }
  const worth = await valuesOf(months.slice(0, values.length).map((age): Case => ({ ...one, months: age })))
  expect(worth.map((value) => Number(Number(value).toFixed(decimals)))).toEqual(values)
})

const wholeMonthsOf = async (pairs: [from: string, to: string][]) => {
  const rows = await sql.owner.rows<{ months: number }>(
    `select valuation.whole_months(p.from_day, p.to_day) as months
     from unnest($1::date[], $2::date[]) with ordinality as p (from_day, to_day, n) order by p.n`,
    [pairs.map((pair) => pair[0]), pairs.map((pair) => pair[1])],
  )
  return rows.map((row) => row.months)
}

describe('whole months', () => {
  test.each([
    ['2026-01-15', '2026-02-14', 0, 'a day short of a month'],
    ['2025-01-31', '2025-02-27', 0, 'a day before the last of February'],
    ['2025-01-31', '2025-02-28', 1, 'the last of February stands in for the 31st'],
    ['2025-01-31', '2025-03-30', 1, 'March has a 31st of its own'],
    ['2024-02-29', '2028-02-28', 47, 'but not in the next leap year'],
    ['2024-02-29', '2028-02-29', 48, 'where it has a day of its own'],
    ['1900-02-28', '1900-03-01', 0, '1900 was no leap year'],
    ['2026-02-15', '2026-02-14', -1, 'a day into the future'],
    ['2026-02-28', '2026-01-31', -1, 'backwards from the end of February'],
    ['0001-01-01', '9999-12-31', 119987, 'as far as a calendar goes'],
  ])('from %s to %s are %i: %s', async (from, to, months) => {
    expect(await wholeMonthsOf([[from, to]])).toEqual([months])
  })

  test('of any two days are as many as one counts month by month', async () => {
    const pairs = fc.sample(fc.tuple(day(1950, 2060), day(1950, 2060)), 1_000)
    const counted = await wholeMonthsOf(pairs.map(([from, to]) => [iso(from), iso(to)]))
    expect(pairs.filter(([from, to], n) => counted[n] !== wholeMonths(from, to))).toEqual([])
  })
})
