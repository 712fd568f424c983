import fc from 'fast-check'
import { expect, test } from 'vitest'
import { minorUnits } from '../../../src/domain/vocabulary.ts'
import { deeper } from '../../support/depth.ts'
import type { Columns } from '../support.ts'
import { cents, day, life } from './arbitraries.ts'
import { type Asset, bookValue, type Convention, dayAfter, type Switch, type Terms } from './books.ts'
import { amount, type Day, iso } from './exact.ts'
import { useBooks } from './use-books.ts'

const { owner, analyst, studio, open, item, change } = useBooks()

/** Terms; without rate or switch as their category, or as before the change. */
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
          // Null is as before, so a rate that was given once stays.
          const begins = { ...first, rate: first.rate ?? rate, switches: first.switches ?? switches }
          const asset = { ...begins, price, acquired, changes: dated.map(({ on, to }) => ({ on, terms: given(to) })) }
          assets.set(id, { asset, gone })
        }
        const to = { ...from, year: from.year + 1 }
        const register = await analyst().rows<Record<string, string>>(
          'select * from api_v1.depreciation_schedule($1, $2)',
          [iso(from), iso(to.month === 2 && to.day === 29 ? { ...to, day: 28 } : to)],
        )
        const end = to.month === 2 && to.day === 29 ? { ...to, day: 28 } : to
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
          `select y.year_start::text, (y.opening_cost, y.additions, y.disposed_cost, y.closing_cost, y.opening_accumulated, y.charge,
             y.disposed_accumulated, y.closing_accumulated, y.opening_value, y.closing_value)::text as said,
           (r.opening_cost, r.additions, r.disposed_cost, r.closing_cost, r.opening_accumulated, r.charge,
             r.disposed_accumulated, r.closing_accumulated, r.opening_value, r.closing_value)::text as summed
         from api_v1.depreciation_years y
         cross join lateral (select coalesce(sum(r.opening_cost), y.opening_cost * 0) as opening_cost, coalesce(sum(r.additions), y.additions * 0) as additions,
             coalesce(sum(r.disposed_cost), y.disposed_cost * 0) as disposed_cost, coalesce(sum(r.closing_cost), y.closing_cost * 0) as closing_cost,
             coalesce(sum(r.opening_accumulated), y.opening_accumulated * 0) as opening_accumulated, coalesce(sum(r.charge), y.charge * 0) as charge,
             coalesce(sum(r.disposed_accumulated), y.disposed_accumulated * 0) as disposed_accumulated,
             coalesce(sum(r.closing_accumulated), y.closing_accumulated * 0) as closing_accumulated,
             coalesce(sum(r.opening_value), y.opening_value * 0) as opening_value, coalesce(sum(r.closing_value), y.closing_value * 0) as closing_value
           from api_v1.depreciation_schedule(y.year_start, y.year_end) as r) as r
         where y.year_start < '2060-01-01'`,
        )
        for (const { year_start, said, summed } of years) expect([year_start, said]).toEqual([year_start, summed])
      },
    ),
    { numRuns: 15 * deeper },
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
