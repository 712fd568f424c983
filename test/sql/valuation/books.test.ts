import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { minorUnits } from '../../../src/domain/vocabulary.ts'
import { type Columns, type Session, type Studio, useSql } from '../support.ts'
import { cents, day, life } from './arbitraries.ts'
import { type Asset, bookValue, type Convention, dayAfter, type Terms } from './books.ts'
import { amount, type Day, iso } from './exact.ts'

const sql = useSql()
let studio: Studio
let analyst: Session

beforeAll(async () => {
  await sql.stopClock('2026-11-22T12:00:00Z')
  analyst = await sql.connect('studio_graphql')
})
beforeEach(() => open())
afterAll(() => sql.startClock())

async function open(start: number | null = null, convention: Convention = 'full_month', currency = 'EUR') {
  studio = await sql.studio({ currency })
  await analyst.rows(`select set_config('studio.id', $1, false)`, [studio.id])
  await sql.owner.rows('select access.set_financial_year($1, $2)', [studio.id, start])
  await sql.owner.rows('select access.set_first_period($1, $2)', [studio.id, convention])
}

const item = (columns: Columns) =>
  studio.add('items', { depreciation_method: 'straight_line', residual_value: 0, ...columns })

const change = (itemId: string, columns: Columns) => studio.add('depreciation_changes', { item_id: itemId, ...columns })

const worthOn = async (itemId: string, at: string) =>
  analyst.value('select current_estimated_value from api_v1.items_on($1, $2)', [at, itemId])

/** Charges of the years as percentages of the price, as tables print them, to so many decimals. */
async function percentages(decimals: number): Promise<number[]> {
  const rows = await analyst.rows<{ charge: string; cost: string }>(
    `select sum(charge) as charge, max(closing_cost) as cost from api_v1.depreciation_years group by year_start order by year_start`,
  )
  return rows.map(({ charge, cost }) => Number(((100 * Number(charge)) / Number(cost)).toFixed(decimals)))
}

const reconciliation = () =>
  analyst.rows(
    `select extract(year from year_start)::integer as year, opening_cost, additions, disposed_cost, closing_cost,
       opening_accumulated, charge, disposed_accumulated, closing_accumulated, opening_value, closing_value, proceeds, gain
     from api_v1.depreciation_years order by 1`,
  )

describe('a disposal', () => {
  // IAS 16.73: what the year opens with, what comes, what leaves, what is charged, what it closes with.
  test('ends in its year, and never rewrites the years before', async () => {
    await open(1)
    const both = { acquisition_date: '2024-01-01', useful_life_months: 48 }
    const sold = await item({ ...both, purchase_price: 12_000 })
    await item({ ...both, purchase_price: 2_400 })
    const before = await reconciliation()
    expect(before[1]).toMatchObject({ year: 2025, closing_value: '7200.00' })
    await studio.change('items', sold, { disposed_on: '2026-03-31', disposal_proceeds: 6_000 })
    const after = await reconciliation()
    expect(after.slice(0, 2)).toEqual(before.slice(0, 2))
    expect(after[2]).toEqual({
      ...{
        year: 2026,
        opening_cost: '14400.00',
        additions: '0.00',
        disposed_cost: '12000.00',
        closing_cost: '2400.00',
      },
      ...{ opening_accumulated: '7200.00', charge: '1350.00', disposed_accumulated: '6750.00' },
      ...{ closing_accumulated: '1800.00', opening_value: '7200.00', closing_value: '600.00' },
      ...{ proceeds: '6000.00', gain: '750.00' },
    })
    expect(await worthOn(sold, '2026-03-30')).toBe('5500.00')
    expect(await analyst.rows('select from api_v1.items_on($1, $2)', ['2026-03-31', sold])).toEqual([])
  })

  test('that is recorded later counts from its own day, and one that is archived from that day', async () => {
    const both = { acquisition_date: '2026-01-01', useful_life_months: 48, purchase_price: 4_800 }
    const sold = await item(both)
    await studio.change('items', sold, { disposed_on: '2026-09-30' })
    expect((await studio.get('items', sold)).archived_at).not.toBeNull()
    const there = async (at: string) =>
      (await analyst.rows('select id from api_v1.items_on($1)', [at])).map(({ id }: Columns) => id)
    expect([await there('2026-09-29'), await there('2026-09-30'), await there('2026-10-31')]).toEqual([[sold], [], []])
    const gone = await item(both)
    await studio.change('items', gone, { archived_at: '2026-11-20T12:00:00Z' })
    expect(await there('2026-11-19')).toEqual([gone])
    expect((await reconciliation())[0]).toMatchObject({
      disposed_cost: '9600.00',
      closing_value: '0.00',
      charge: '1900.00',
    })
  })

  test.each([
    ['after today', { disposed_on: '2026-11-23' }, 'is after today'],
    ['before the acquisition', { disposed_on: '2025-12-31' }, 'disposed_of_after_acquisition'],
    ['without a day, with proceeds', { disposal_proceeds: 1 }, 'proceeds_of_a_disposal'],
  ])('%s is refused', async (_what, columns, says) => {
    const sold = await item({ acquisition_date: '2026-01-01', purchase_price: 10 })
    await expect(studio.change('items', sold, columns)).rejects.toThrow(says)
  })

  test('of an item that comes back is taken back with it', async () => {
    const sold = await item({ acquisition_date: '2026-01-01', purchase_price: 10, disposed_on: '2026-02-01' })
    await expect(studio.change('items', sold, { archived_at: null })).rejects.toThrow('disposed_of_is_archived')
    await studio.change('items', sold, { archived_at: null, disposed_on: null })
    expect(await worthOn(sold, '2026-11-22')).not.toBeUndefined()
  })
})

describe('a change of estimate', () => {
  const bought = { purchase_price: 100_000, acquisition_date: '2020-07-01', useful_life_months: 120 }

  // IAS 8.36 to 38: prospectively, from the carrying amount.
  test('that is dated leaves the years before: 70,000 after three years, then 14,000 a year over the five that remain', async () => {
    await open(7)
    const one = await item(bought)
    await change(one, { effective_on: '2023-07-01', useful_life_months: 96 })
    const years = ['2023-06-30', '2024-06-30', '2025-06-30', '2028-06-30']
    const worth = []
    for (const year of years) worth.push(await worthOn(one, year))
    expect(worth).toEqual(['70000.00', '56000.00', '42000.00', '0.00'])
  })

  test('that is not dated corrects from the beginning: 62,500', async () => {
    const one = await item(bought)
    await studio.change('items', one, { useful_life_months: 96 })
    expect(await worthOn(one, '2023-06-30')).toBe('62500.00')
  })

  test('of the method shows in the item, and is taken back', async () => {
    const one = await item(bought)
    const id = await change(one, {
      effective_on: '2023-07-01',
      depreciation_method: 'declining_balance',
      depreciation_rate: 25,
    })
    const shown = () => analyst.value('select depreciation_method from api_v1.items where id = $1', [one])
    expect([await shown(), await worthOn(one, '2024-06-30')]).toEqual(['declining_balance', '52500.00'])
    expect(JSON.parse((await studio.get<{ document: string }>('items', one)).document)).toMatchObject({
      depreciation_method: 'declining_balance',
    })
    await studio.remove('depreciation_changes', id)
    expect([await shown(), await worthOn(one, '2024-06-30')]).toEqual(['straight_line', '60000.00'])
  })

  test('after today is refused', async () => {
    const one = await item(bought)
    await expect(change(one, { effective_on: '2026-11-23', useful_life_months: 96 })).rejects.toThrow(
      'today or earlier',
    )
  })
})

describe('published tables', () => {
  const usd = {
    purchase_price: 1_000_000,
    depreciation_method: 'double_declining_balance',
    switches_to_straight_line: true,
  }

  // IRS Publication 946, appendix A, table A-1: half-year convention, 200 % switching to straight line, 150 % for 15 years.
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

  // The same, table A-6: residential rental property, mid-month convention, straight line over 27.5 years.
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

  // ERPNext, erpnext/assets/doctype/asset/test_asset.py, test_schedule_for_prorated_straight_line_method.
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
    const one = await item({
      ...{ purchase_price: 10_000, acquisition_date: '2015-01-01', depreciation_method: 'declining_balance' },
      ...{ depreciation_rate: 25, useful_life_months: 24 },
    })
    expect([await worthOn(one, '2015-12-31'), await worthOn(one, '2016-12-31')]).toEqual(['7500.00', '5625.00'])
    expect(await worthOn(one, '2024-12-31')).toBe('563.14')
  })
})

describe('a category of the studio', () => {
  const terms = (rate: number | null, switches: boolean | null) =>
    sql.owner.value<number>('select access.set_category_terms($1, $2, $3, $4)', [
      ...[studio.id, 'computers & software', rate, switches],
    ])

  test('gives rate and switch to its items that have none of their own, at once', async () => {
    const declines = {
      depreciation_method: 'declining_balance',
      category: 'Computers & Software',
      purchase_price: 10_000,
    }
    const one = await item({ ...declines, acquisition_date: '2024-01-01' })
    const own = await item({ ...declines, acquisition_date: '2024-01-01', depreciation_rate: 40 })
    const steady = await item({ ...declines, acquisition_date: '2024-01-01', depreciation_method: 'straight_line' })
    const worth = async () => [await worthOn(one, '2025-12-31'), await worthOn(own, '2025-12-31')]
    const before = [await worthOn(one, '2025-12-31'), await worthOn(steady, '2025-12-31')]
    const moment = await studio.updatedAt('items', own)
    expect(await terms(25, null)).toBe(1)
    expect(await worth()).toEqual(['5625.00', '3600.00'])
    expect(await studio.updatedAt('items', own)).toBe(moment)
    // 25 % are 2,500 in the first year, and over four years the straight line is as much.
    expect(await terms(25, true)).toBe(2)
    expect(await worthOn(one, '2025-12-31')).toBe('5000.00')
    await studio.change('items', one, { switches_to_straight_line: false })
    expect(await worthOn(one, '2025-12-31')).toBe('5625.00')
    await studio.change('items', one, { switches_to_straight_line: null })
    await terms(null, null)
    expect([await worthOn(one, '2025-12-31'), await worthOn(steady, '2025-12-31')]).toEqual(before)
    expect(await sql.owner.value('select category_terms from app.studios where id = $1', [studio.id])).toBeNull()
  })

  test.each([
    ['Gramophones', 25, 'is no category'],
    ['Microphones', 0, '0 is no rate'],
    ['Microphones', 100.5, '100.5 is no rate'],
  ])('%s at %d %% is refused', async (category, rate, message) => {
    const text = 'select access.set_category_terms($1, $2, $3)'
    await expect(sql.owner.rows(text, [studio.id, category, rate])).rejects.toThrow(message)
  })
})

/** Terms; without rate or switch as their category, or as before the change. */
type Drawn = Omit<Terms, 'switches'> & { switches: boolean | null }

/** Terms, conventions, changes and disposals as they come. */
const terms = fc
  .record({
    method: fc.constantFrom<Terms['method']>('straight_line', 'declining_balance', 'double_declining_balance'),
    life,
    residual: fc.oneof(fc.constant(0n), cents),
    rate: fc.option(fc.integer({ min: 1, max: 100_000 }).map((thousandths) => thousandths / 1000)),
    switches: fc.option(fc.boolean()),
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
  category: fc.option(fc.record({ rate: fc.option(fc.integer({ min: 1, max: 100 })), switches: fc.boolean() })),
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
        const { rate = null, switches = false } = of.category ?? {}
        await sql.owner.rows('select access.set_category_terms($1, $2, $3, $4)', [
          studio.id,
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
          if (gone !== null) await studio.change('items', id, { disposed_on: iso(gone) })
          // Null is as before, so a rate that was given once stays.
          const begins = { ...first, rate: first.rate ?? rate, switches: first.switches ?? switches }
          const asset = { ...begins, price, acquired, changes: dated.map(({ on, to }) => ({ on, terms: given(to) })) }
          assets.set(id, { asset, gone })
        }
        const to = { ...from, year: from.year + 1 }
        const register = await analyst.rows<Record<string, string>>(
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
        const years = await analyst.rows(
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
    { numRuns: 40 },
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
