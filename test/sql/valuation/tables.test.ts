import { describe, expect, test } from 'vitest'
import type { Columns } from '../support.ts'
import { iso } from './exact.ts'
import { useBooks } from './use-books.ts'

const { analyst, open, item, worthOn, reconciliation } = useBooks()

/** Charges of the years as percentages of the price, as tables print them, to so many decimals. */
async function percentages(decimals: number): Promise<number[]> {
  const rows = await analyst().rows<{ charge: string; cost: string }>(
    `select sum(charge) as charge, max(closing_cost) as cost from api_v1.depreciation_years group by year_start order by year_start`,
  )
  return rows.map(({ charge, cost }) => Number(((100 * Number(charge)) / Number(cost)).toFixed(decimals)))
}

describe('published tables', () => {
  const usd = {
    purchase_price: 1_000_000,
    depreciation_method: 'double_declining_balance',
    switches_to_straight_line: 'yes',
  }

  // IRS Publication 946, appendix A, table A-1: half-year convention, 200 % switching to straight
  // line, 150 % for 15 years.
  test.each([
    [3, {}, [33.33, 44.44, 14.81, 7.41]], // the table prints 44.45, so that it sums up to 100
    [5, {}, [20, 32, 19.2, 11.52, 11.52, 5.76]],
    [7, {}, [14.29, 24.49, 17.49, 12.49, 8.92, 8.92, 8.92, 4.46]], // the table alternates 8.92 and 8.93
    [10, {}, [10, 18, 14.4, 11.52, 9.22, 7.37, 6.55, 6.55, 6.55, 6.55, 3.28]],
    [
      15,
      { depreciation_method: 'declining_balance' },
      [5, 9.5, 8.55, 7.7, 6.93, 6.23, 5.9, 5.9, 5.91, 5.9, 5.91, 5.9, 5.91, 5.9, 5.91, 2.95],
    ],
  ])('of the IRS, half year, over %i years', async (years, columns, table) => {
    await open(1, 'half_year')
    await item({ ...usd, acquisition_date: '2020-11-05', useful_life_months: 12 * years, ...columns })
    const charges = (await percentages(4)).slice(0, table.length)
    for (const [n, printed] of table.entries())
      expect(Math.abs((charges[n] ?? 0) - printed)).toBeLessThanOrEqual(0.0101)
    expect(charges.reduce((sum, each) => sum + each, 0)).toBeCloseTo(100, 2)
  })

  // Table A-6: residential rental property, mid-month convention, 27.5 years.
  test.each([
    [1, [3.485, 3.636], 1.97],
    [6, [1.97, 3.636], 3.485],
    [12, [0.152, 3.636], 1.667],
  ])('of the IRS, mid month, in service in month %i', async (month, first, last) => {
    await open(1, 'mid_month')
    await item({
      purchase_price: 1_000_000,
      acquisition_date: iso({ year: 2000, month, day: 20 }),
      useful_life_months: 330,
    })
    const charges = await percentages(3)
    expect(charges.slice(0, 2)).toEqual(first)
    const left = charges.filter((charge) => charge > 0).at(-1)
    expect(left).toBe(last)
  })

  // Odoo, account_asset, tests of computation: test_degressive_5_years_no_prorata_asset and
  // test_degressive_then_linear_5_years_no_prorata_asset.
  test.each([
    ['degressive', 'yes', [18_000, 12_600, 9800, 9800, 9800]],
    ['degressive then linear', 'floor', [18_000, 12_600, 12_000, 12_000, 5400]],
  ])('of Odoo, 30 %% %s over five years', async (_method, switches, table) => {
    await open(1)
    await item({
      ...{ purchase_price: 60_000, acquisition_date: '2020-01-01', useful_life_months: 60 },
      ...{ depreciation_method: 'declining_balance', depreciation_rate: 30, switches_to_straight_line: switches },
    })
    const charges = (await reconciliation()).map(({ charge }: Columns) => Number(charge)).slice(0, 5)
    expect(charges).toEqual(table)
  })

  // ERPNext, erpnext/assets/…/test_asset.py, test_schedule_for_prorated_straight_line_method.
  test('of ERPNext, by the day', async () => {
    await open(1, 'day')
    await item({
      purchase_price: 100_000,
      residual_value: 10_000,
      acquisition_date: '2030-01-30',
      useful_life_months: 36,
    })
    const charges = (await reconciliation()).map(({ charge }: Columns) => charge).slice(0, 4)
    expect(charges).toEqual(['27616.44', '30000.00', '30000.00', '2383.56'])
  })

  test('25 % reducing balance: 10,000, 7,500, 5,625, without an end', async () => {
    await open()
    const one = await item({
      ...{ purchase_price: 10_000, acquisition_date: '2015-01-01', depreciation_method: 'declining_balance' },
      ...{ depreciation_rate: 25, useful_life_months: 24 },
    })
    expect([await worthOn(one, '2015-12-31'), await worthOn(one, '2016-12-31')]).toEqual(['7500.00', '5625.00'])
    expect(await worthOn(one, '2024-12-31')).toBe('563.14')
  })
})
