import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { deeper } from '../../support/depth.ts'
import { type Session, type Studio, useSql } from '../support.ts'
import { cents, day, life, method } from './arbitraries.ts'
import { amount, iso } from './exact.ts'

const sql = useSql()
let studio: Studio
let analyst: Session

beforeAll(async () => {
  await sql.stopClock('2026-11-22T12:00:00Z')
  analyst = await sql.connect('studio_graphql')
})
beforeEach(async () => {
  studio = await sql.studio()
  await analyst.rows(`select set_config('studio.id', $1, false)`, [studio.id])
})
afterAll(() => sql.startClock())

type Month = {
  month: number
  starts_on: string
  ends_on: string
  opening_value: string
  charge: string
  closing_value: string
}
const scheduleOf = (item: string) =>
  analyst.rows<Month>(
    `select month, starts_on::text, ends_on::text, opening_value, charge, closing_value from api_v1.depreciation_schedule
     where item_id = $1 order by month`,
    [item],
  )
const years = () =>
  analyst.rows(
    `select year_start::text, opening_value, additions, charge, closing_value from api_v1.depreciation_years
     order by year_start, category`,
  )
const nameYear = (month: number) => sql.owner.rows('select access.set_financial_year($1, $2)', [studio.id, month])

describe('published examples', () => {
  // https://www.coursehero.com/file/5230239/dep-example1a1/: 110,000 over five years, bought on 1
  // March, by calendar years
  test('the year’s charges by 200 % declining balance and by the straight line', async () => {
    await nameYear(1)
    const desk = {
      purchase_price: 110_000,
      acquisition_date: '2024-03-01',
      useful_life_months: 60,
      residual_value: 20_000,
    }
    await studio.add('items', { ...desk, depreciation_method: 'double_declining_balance', category: 'Microphones' })
    expect(await years()).toEqual(
      [
        ['2024-01-01', '0.00', '110000.00', '36666.67', '73333.33'],
        ['2025-01-01', '73333.33', '0.00', '29333.33', '44000.00'],
        ['2026-01-01', '44000.00', '0.00', '17600.00', '26400.00'],
        ['2027-01-01', '26400.00', '0.00', '6400.00', '20000.00'],
        ['2028-01-01', '20000.00', '0.00', '0.00', '20000.00'],
        ['2029-01-01', '20000.00', '0.00', '0.00', '20000.00'],
      ].map(([year_start, opening_value, additions, charge, closing_value]) => ({
        ...{ year_start, opening_value, additions, charge, closing_value },
      })),
    )
    const line = await studio.add('items', { ...desk, depreciation_method: 'straight_line' })
    const months = await scheduleOf(line)
    expect(months).toHaveLength(60)
    expect(new Set(months.map(({ charge }) => charge))).toEqual(new Set(['1500.00']))
    expect(months[9]).toMatchObject({ ends_on: '2024-12-31', closing_value: '95000.00' })
  })
})

test('months follow each other from the day of acquisition, the end of a month standing in for a missing day', async () => {
  const item = await studio.add('items', {
    purchase_price: 100,
    acquisition_date: '2024-01-31',
    useful_life_months: 4,
    residual_value: 0,
    depreciation_method: 'straight_line',
  })
  expect((await scheduleOf(item)).map(({ starts_on, ends_on }) => [starts_on, ends_on])).toEqual([
    ['2024-01-31', '2024-02-28'],
    ['2024-02-29', '2024-03-30'],
    ['2024-03-31', '2024-04-29'],
    ['2024-04-30', '2024-05-30'],
  ])
})

test.each([
  ['no acquisition date', { acquisition_date: null }],
  ['no purchase price', { purchase_price: 0 }],
  ['the method none', { depreciation_method: 'none' }],
  ['a residual value above its price', { residual_value: 200 }],
])('an item with %s has no schedule', async (_what, columns) => {
  const item = await studio.add('items', {
    ...{ purchase_price: 100, acquisition_date: '2024-01-31', depreciation_method: 'straight_line', ...columns },
  })
  expect(await scheduleOf(item)).toEqual([])
})

test('by every method charges sum up to price less residual value, never rise, and each month begins where one ended', async () => {
  const drawn = fc.record({
    method,
    price: cents.filter((c) => c > 0n),
    acquired: day(2000, 2030),
    life,
    residual: cents,
  })
  await fc.assert(
    fc.asyncProperty(drawn, fc.option(fc.integer({ min: 1, max: 12 })), async (item, start) => {
      if (start !== null) await nameYear(start)
      const id = await studio.add('items', {
        purchase_price: amount(item.price),
        acquisition_date: iso(item.acquired),
        depreciation_method: item.method,
        useful_life_months: item.life,
        residual_value: amount(item.residual),
      })
      const months = await scheduleOf(id)
      const floor = item.residual < item.price ? item.residual : item.price
      const inCents = (text: string) => BigInt(text.replace('.', ''))
      expect(months.reduce((sum, { charge }) => sum + inCents(charge), 0n)).toBe(item.price - floor)
      let before = amount(item.price)
      for (const [n, month] of months.entries()) {
        expect(month.month).toBe(n + 1)
        expect(month.opening_value).toBe(before)
        expect(inCents(month.charge)).toBe(inCents(month.opening_value) - inCents(month.closing_value))
        expect(inCents(month.charge)).toBeGreaterThanOrEqual(0n)
        before = month.closing_value
      }
      const last = months.at(-1)
      if (last) {
        const [on] = await analyst.rows<{ value: string }>(
          `select current_estimated_value as value from api_v1.items_on($1) where id = $2`,
          [last.ends_on, id],
        )
        expect(on?.value).toBe(last.closing_value)
      }
    }),
    { numRuns: 10 * deeper },
  )
})

test('each year has, to the cent, what the schedules of its items say, for random studios', async () => {
  const one = fc.record({
    method: fc.constantFrom('none', 'straight_line', 'declining_balance', 'double_declining_balance'),
    price: fc.oneof({ weight: 1, arbitrary: fc.constant(0n) }, { weight: 6, arbitrary: cents }),
    acquired: fc.option(day(2000, 2030), { freq: 6 }),
    life: fc.option(life, { freq: 2 }),
    residual: fc.option(cents, { freq: 2 }),
    category: fc.constantFrom('Microphones', 'Computers & Software', 'Cables, Stands & Accessories'),
  })
  const start = fc.option(fc.integer({ min: 1, max: 12 }), { freq: 2 })
  await fc.assert(
    fc.asyncProperty(fc.array(one, { minLength: 1, maxLength: 10 }), start, async (items, startMonth) => {
      const drawn = await sql.studio()
      await sql.owner.rows('select access.set_financial_year($1, $2)', [drawn.id, startMonth])
      for (const { method, price, acquired, life, residual, category } of items) {
        await drawn.add('items', {
          ...{ category, depreciation_method: method, purchase_price: amount(price), useful_life_months: life },
          acquisition_date: acquired && iso(acquired),
          residual_value: residual === null ? null : amount(residual),
        })
      }
      await analyst.rows(`select set_config('studio.id', $1, false)`, [drawn.id])
      const said = await analyst.rows(
        `select year_start::text, year_end::text, category, items, opening_value, additions, charge, closing_value
         from api_v1.depreciation_years order by category, year_start`,
      )
      // All that depreciates, bought by a year's end, less what its months have taken off by then.
      const summed = await analyst.rows(
        `with schedule as materialized (select * from api_v1.depreciation_schedule), depreciating as (
           select i.id, i.category, i.purchase_price, i.acquisition_date,
             (i.acquisition_date + make_interval(months => w.useful_life_months))::date as ends_on
           from api_v1.items i join api_v1.workings w on w.item_id = i.id where w.depreciated_value is not null
         ), known as (
           select min(acquisition_date) as first_on, max(ends_on) as last_on, coalesce($1, 1) as month from depreciating
         ), years as (
           select y::date as year_start, (y + interval '1 year')::date - 1 as year_end
           from known, generate_series(date_trunc('month', first_on::timestamp)
             - make_interval(months => (extract(month from first_on)::integer - month + 12) % 12), last_on, interval '1 year') y
         )
         select y.year_start::text, y.year_end::text, d.category, count(*)::text as items,
           (coalesce(sum(d.purchase_price) filter (where d.acquisition_date < y.year_start), 0) - sum(m.before))::numeric(16,2)
             as opening_value,
           coalesce(sum(d.purchase_price) filter (where d.acquisition_date >= y.year_start), 0)::numeric(16,2) as additions,
           sum(m.during)::numeric(16,2) as charge,
           (sum(d.purchase_price) - sum(m.before + m.during))::numeric(16,2) as closing_value
         from years y join depreciating d on d.acquisition_date <= y.year_end
         cross join lateral (
           select coalesce(sum(s.charge) filter (where s.ends_on < y.year_start), 0) as before,
             coalesce(sum(s.charge) filter (where s.ends_on between y.year_start and y.year_end), 0) as during
           from schedule s where s.item_id = d.id
         ) as m
         group by y.year_start, y.year_end, d.category order by d.category, y.year_start`,
        [startMonth],
      )
      expect(said).toEqual(summed)
    }),
    { numRuns: 5 * deeper },
  )
})

test('a useful life longer than the calendar: years end with 9999', async () => {
  await studio.add('items', {
    ...{ purchase_price: 100, residual_value: 0, depreciation_method: 'straight_line' },
    ...{ acquisition_date: '9990-05-05', useful_life_months: 2_147_483_647 },
  })
  const end = await analyst.row('select max(year_end)::text as day from api_v1.depreciation_years')
  expect(end).toEqual({ day: '9999-12-31' })
})
