import { describe, expect, test } from 'vitest'
import { useSql } from '../support.ts'
import { worthAt } from './plans.ts'

const sql = useSql()

type Asset = { method: string; price: number; years: number; residual: number; firstYear?: number }

/** What an asset is worth after so many months, one figure for each. */
const worth = async ({ method, price, years, residual, firstYear = 12 }: Asset, months: number[]) => {
  const rows = await sql.owner.rows<{ value: string }>(
    `select ${worthAt('age', {
      ...{
        method: '$1::text',
        price: '$2::numeric',
        life: '$3::integer',
        residual: '$4::numeric',
        firstYear: '$5::numeric',
      },
    })} as value
     from unnest($6::integer[]) with ordinality as a (age, n) order by n`,
    [method, price, years * 12, residual, firstYear, months],
  )
  return rows.map(({ value }) => Number(value))
}

/** To whole amounts, as most examples are printed. */
const rounded = async (asset: Asset, months: number[]) => (await worth(asset, months)).map(Math.round)

/** The ends of the first so many years of the asset. */
const years = (count: number) => Array.from({ length: count }, (_, n) => 12 * (n + 1))

describe('published examples of 200 % declining balance', () => {
  // https://www.coursehero.com/file/5230239/dep-example1a1/ and
  // https://www.coursehero.com/file/5230237/dep-example2a1/
  const bought = { method: 'double_declining_balance', years: 5, firstYear: 10 }
  const calendarYears = [10, 22, 34, 46, 58, 60]

  test('110,000 over five years, bought on 1 March, by calendar years', async () => {
    const asset = { ...bought, price: 110_000, residual: 20_000 }
    expect(await worth(asset, [10, 22])).toEqual([73_333.33, 44_000])
    expect(await rounded(asset, calendarYears)).toEqual([73_333, 44_000, 26_400, 20_000, 20_000, 20_000])
  })

  test('220,000 over five years, bought on 1 March, by calendar years', async () => {
    const asset = { ...bought, price: 220_000, residual: 38_000 }
    expect(await rounded(asset, calendarYears)).toEqual([146_667, 88_000, 52_800, 38_000, 38_000, 38_000])
  })

  // https://www.coursehero.com/file/p4hsu/First-year-1500-3months12months-375-Table-Year-Cost-Depreciation-Expense/
  test('5,000 over three years, in service for the whole first year, and from 1 October', async () => {
    const asset = { method: 'double_declining_balance', price: 5_000, years: 3, residual: 500 }
    expect(await rounded(asset, years(3))).toEqual([1_667, 556, 500])
    expect(await rounded({ ...asset, firstYear: 3 }, [3, 15, 27])).toEqual([4_167, 1_389, 500])
  })

  // https://help.xero.com/au/FixedAssets-CalculateDVDepreciation-AU: 20 % a year of 1,300, less
  // previous depreciation. 200 % over ten years is a rate of 20 %.
  test('1,300 at a rate of 20 %', async () => {
    const asset = { method: 'double_declining_balance', price: 1_300, years: 10, residual: 0 }
    expect(await worth(asset, years(2))).toEqual([1_300 - 260, 1_300 - 260 - 208])
  })
})

describe('published examples of 150 % declining balance', () => {
  // http://smartstudyhelp.com/question-answer/questions/question/calculate-1500000-of-investment-to-be-deprecated-over-8-year-using-declining-balance-depreciation-method-and-declining-balance-rate-of-150-show-your-work-in-detail-please
  test('1,500,000 over eight years, until the last, whose charge is here what is left', async () => {
    const asset = { method: 'declining_balance', price: 1_500_000, years: 8, residual: 0 }
    expect(await rounded(asset, years(8))).toEqual([
      ...[1_218_750, 990_234, 804_565, 653_709, 531_139, 431_550, 350_635],
      0,
    ])
  })

  // https://www.scribd.com/document/522522813/Declining-Balance-150-depreciation
  test('17,200 over five years, in the years before the last', async () => {
    const asset = { method: 'declining_balance', price: 17_200, years: 5, residual: 1_000 }
    expect(await worth(asset, years(5))).toEqual([12_040, 8_428, 5_899.6, 4_129.72, 1_000])
  })
})

describe('a published example of the straight line', () => {
  // https://www.coursehero.com/file/5230239/dep-example1a1/
  test('110,000 over five years, bought on 1 March, by calendar years', async () => {
    const asset = { method: 'straight_line', price: 110_000, years: 5, residual: 20_000, firstYear: 10 }
    expect(await worth(asset, [10, 22, 34, 46, 58, 60])).toEqual([95_000, 77_000, 59_000, 41_000, 23_000, 20_000])
  })
})

test('after its first year 10,000 over five years is worth 6,000 by 200 %, a twelfth of the loss a month', async () => {
  const asset = { method: 'double_declining_balance', price: 10_000, years: 5, residual: 0 }
  expect(await worth(asset, [1, 6, 12])).toEqual([9_666.67, 8_000, 6_000])
})
