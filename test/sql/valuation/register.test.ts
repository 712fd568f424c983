import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { minorUnits } from '../../../src/domain/vocabulary.ts'
import { deeper } from '../../support/depth.ts'
import type { Columns } from '../support.ts'
import { type Asset, bookValue, type Convention, dayAfter, type Switch, type Terms } from './books.ts'
import { amount, cents, type Day, day, iso, life, monthsLater } from './exact.ts'
import { useBooks } from './use-books.ts'

const { owner, analyst, studio, open, item, change, worthOn, reconciliation } = useBooks()

/** The terms of an item. A missing rate or switch is that of the category, or that before the
 * change. */
type Drawn = Omit<Terms, 'switches'> & { switches: Switch | null }

const switches = fc.constantFrom<Switch>('no', 'yes', 'floor')

/** Terms, conventions, changes and disposals as they come. */
const terms = fc
  .record({
    method: fc.constantFrom<Terms['method']>('straight_line', 'declining_balance', 'double_declining_balance'),
    life,
    residual: fc.oneof(fc.constant(0n), cents),
    rate: fc.option(fc.integer({ min: 1, max: 100_000 }).map((thousandths) => thousandths / 1000)),
    switches: fc.option(switches),
  })
  .map((each) => ({ ...each, residual: each.residual % 1_000_000_000_000n }))
  .map((each) => (each.method === 'straight_line' ? { ...each, rate: null } : each))

const drawn = fc.record({
  terms,
  price: cents.filter((price) => price > 0n),
  acquired: day(2010, 2024),
  changes: fc.array(fc.record({ on: day(2015, 2026), to: terms }), { maxLength: 2 }),
  disposed: fc.option(day(2024, 2026), { freq: 3 }),
})
const books = fc.record({
  // Amounts are of the smallest unit, of which a currency has 1, 100 or 1,000.
  currency: fc.constantFrom('EUR', 'JPY', 'KWD'),
  category: fc.option(fc.record({ rate: fc.option(fc.integer({ min: 1, max: 100 })), switches })),
  start: fc.option(fc.integer({ min: 1, max: 12 })),
  convention: fc.constantFrom<Convention>('full_month', 'half_year', 'mid_month', 'day'),
})

/** What a year sums up. */
const sums = ['cost', 'accumulated', 'value'].flatMap((what) => [`opening_${what}`, `closing_${what}`])
sums.push('additions', 'disposed_cost', 'charge', 'disposed_accumulated')

const before = (one: Day, other: Day) => iso(one) < iso(other)
const today = { year: 2026, month: 11, day: 22 }

test('by every method, convention, change and disposal the register and the years are exact to the cent', async () => {
  await fc.assert(
    fc.asyncProperty(
      books,
      fc.array(drawn, { minLength: 1, maxLength: 4 }),
      day(2012, 2026),
      async (of, items, from) => {
        await open(of.start, of.convention, of.currency)
        const money = (units: bigint) => amount(units, minorUnits(of.currency))
        const { rate = null, switches = 'no' } = of.category ?? {}
        await owner().rows('select access.set_category_terms($1, $2, $3, $4)', [
          studio().id,
          'Microphones',
          rate,
          switches,
        ])
        const assets = new Map<string, { asset: Asset; gone: Day | null }>()
        for (const { terms: first, price: drawnPrice, acquired, changes, disposed } of items) {
          const price = drawnPrice % 1_000_000_000_000n || 1n
          const gone = disposed !== null && !before(disposed, acquired) && !before(today, disposed) ? disposed : null
          const days = new Set<string>()
          const dated = changes
            .filter(({ on }) => !before(on, acquired) && !before(today, on) && !days.has(iso(on)) && days.add(iso(on)))
            .toSorted((a, b) => (before(a.on, b.on) ? -1 : 1))
          const id = await item({
            ...{ category: 'Microphones', purchase_price: money(price), acquisition_date: iso(acquired) },
            ...columnsOf(first, money),
          })
          for (const { on, to } of dated) await change(id, { effective_on: iso(on), ...columnsOf(to, money) })
          if (gone !== null) await studio().change('items', id, { disposed_on: iso(gone) })
          // Null means "as before", so a rate that was given once stays.
          const begins = { ...first, rate: first.rate ?? rate, switches: first.switches ?? switches }
          const asset = { ...begins, price, acquired, changes: dated.map(({ on, to }) => ({ on, terms: given(to) })) }
          assets.set(id, { asset, gone })
        }
        const end = monthsLater(from, 12)
        const register = await analyst().rows<Record<string, string>>(
          'select * from api_v1.depreciation_schedule($1, $2)',
          [iso(from), iso(end)],
        )
        const rows = new Map(register.map((row) => [row.item_id, row]))
        for (const [id, { asset, gone }] of assets) {
          const isThere = !before(end, asset.acquired) && (gone === null || !before(gone, from))
          expect(rows.has(id)).toBe(isThere)
          const row = rows.get(id)
          if (row === undefined) continue
          const leaves = gone !== null && !before(end, gone)
          const opening = before(asset.acquired, from) ? bookValue(asset, of, from) : 0n
          const closing = bookValue(asset, of, dayAfter(leaves && gone ? gone : end))
          expect({ opening: row.opening_value, closing: row.closing_value, gone: row.disposed_accumulated }).toEqual({
            opening: money(opening),
            closing: money(leaves ? 0n : closing),
            gone: money(leaves ? asset.price - closing : 0n),
          })
        }
        // The years are the sums of their registers.
        const years = await analyst().rows(
          `select y.year_start::text, (${sums.map((name) => `y.${name}`)})::text as said, r.summed::text
           from api_v1.depreciation_years y
           cross join lateral (select (${sums.map((name) => `coalesce(sum(${name}), y.${name} * 0)`)}) as summed
             from api_v1.depreciation_schedule(y.year_start, y.year_end)) as r
           where y.year_start < '2045-01-01'`,
        )
        for (const { year_start, said, summed } of years) expect([year_start, said]).toEqual([year_start, summed])
      },
    ),
    { numRuns: 10 * deeper },
  )
}, 120_000)

function columnsOf(
  { method, life: months, residual, rate, switches }: Drawn,
  money: (units: bigint) => string,
): Columns {
  return {
    ...{ depreciation_method: method, useful_life_months: months, residual_value: money(residual) },
    ...{ depreciation_rate: rate, switches_to_straight_line: switches },
  }
}

const given = ({ rate, switches, ...rest }: Drawn): Partial<Terms> => ({
  ...rest,
  ...(rate === null ? {} : { rate }),
  ...(switches === null ? {} : { switches }),
})

/** Charges of the years as percentages of the price, as tables print them, to so many decimals. */
async function percentages(decimals: number): Promise<number[]> {
  const rows = await analyst().rows<{ charge: string; cost: string }>(
    'select sum(charge) as charge, max(closing_cost) as cost from api_v1.depreciation_years group by year_start order by year_start',
  )
  return rows.map(({ charge, cost }) => Number(((100 * Number(charge)) / Number(cost)).toFixed(decimals)))
}

describe('published tables', () => {
  const million = { purchase_price: 1_000_000, depreciation_method: 'double_declining_balance' }

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
    const switching = { ...million, switches_to_straight_line: 'yes', ...columns }
    await item({ ...switching, acquisition_date: '2020-11-05', useful_life_months: 12 * years })
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
    const acquisition_date = iso({ year: 2000, month, day: 20 })
    await item({ purchase_price: 1_000_000, acquisition_date, useful_life_months: 330 })
    const charges = await percentages(3)
    expect([charges.slice(0, 2), charges.filter((charge) => charge > 0).at(-1)]).toEqual([first, last])
  })

  // Odoo, account_asset, tests of computation: test_degressive_5_years_no_prorata_asset and
  // test_degressive_then_linear_5_years_no_prorata_asset. ERPNext, erpnext/assets/…/test_asset.py,
  // test_schedule_for_prorated_straight_line_method.
  const declines = { depreciation_method: 'declining_balance', depreciation_rate: 30, switches_to_straight_line: 'yes' }
  const odoo = { ...declines, purchase_price: 60_000, acquisition_date: '2020-01-01', useful_life_months: 60 }
  test.each<[string, Convention, Columns, number[]]>([
    ['Odoo, 30 % degressive', 'full_month', odoo, [18_000, 12_600, 9800, 9800, 9800]],
    [
      'Odoo, 30 % degressive then linear',
      'full_month',
      { ...odoo, switches_to_straight_line: 'floor' },
      [18_000, 12_600, 12_000, 12_000, 5400],
    ],
    [
      'ERPNext, by the day',
      'day',
      { purchase_price: 100_000, residual_value: 10_000, acquisition_date: '2030-01-30', useful_life_months: 36 },
      [27_616.44, 30_000, 30_000, 2383.56],
    ],
    [
      'https://www.scribd.com/document/522522813/Declining-Balance-150-depreciation',
      'full_month',
      {
        ...{ purchase_price: 17_200, residual_value: 1_000, acquisition_date: '2020-01-01', useful_life_months: 60 },
        depreciation_method: 'declining_balance',
      },
      [5160, 3612, 2528.4, 1769.88, 3129.72],
    ],
  ])('of %s', async (_whose, convention, columns, table) => {
    await open(1, convention)
    await item(columns)
    const charges = (await reconciliation()).map(({ charge }: Columns) => Number(charge))
    expect(charges.slice(0, table.length)).toEqual(table)
  })

  test('25 % reducing balance: 10,000, 7,500, 5,625, without an end', async () => {
    await open()
    const one = await item({
      ...{ purchase_price: 10_000, acquisition_date: '2015-01-01', depreciation_method: 'declining_balance' },
      ...{ depreciation_rate: 25, useful_life_months: 24 },
    })
    const worth = Array.fromAsync(['2015-12-31', '2016-12-31', '2024-12-31'], (at) => worthOn(one, at))
    expect(await worth).toEqual(['7500.00', '5625.00', '563.14'])
  })
})
