import fc from 'fast-check'
import { beforeEach, expect, test } from 'vitest'
import { deeper } from '../../support/depth.ts'
import { amount, cents, day, iso, life } from './exact.ts'
import { useBooks } from './use-books.ts'

const { studio, analyst, open } = useBooks()
beforeEach(() => open())

type Month = Record<'starts_on' | 'ends_on' | 'opening_value' | 'charge' | 'closing_value', string> & { month: number }
const scheduleOf = (item: string) =>
  analyst().rows<Month>(
    `select month, starts_on::text, ends_on::text, opening_value, charge, closing_value from api_v1.depreciation_schedule
     where item_id = $1 order by month`,
    [item],
  )

const straight = { purchase_price: 100, residual_value: 0, depreciation_method: 'straight_line' }

// https://www.coursehero.com/file/5230239/dep-example1a1/: 110,000 over five years, bought on 1
// March, by calendar years
test('the year’s charges of a published example by 200 % declining balance and by the straight line', async () => {
  await open(1)
  const desk = {
    ...{ purchase_price: 110_000, residual_value: 20_000, useful_life_months: 60 },
    ...{ acquisition_date: '2024-03-01', category: 'Microphones' },
  }
  await studio().add('items', { ...desk, depreciation_method: 'double_declining_balance' })
  const years = `select concat_ws(' ', year_start, opening_value, additions, charge, closing_value) as said
    from api_v1.depreciation_years order by year_start`
  expect((await analyst().rows(years)).map(({ said }) => said)).toEqual([
    '2024-01-01 0.00 110000.00 36666.67 73333.33',
    '2025-01-01 73333.33 0.00 29333.33 44000.00',
    '2026-01-01 44000.00 0.00 17600.00 26400.00',
    '2027-01-01 26400.00 0.00 6400.00 20000.00',
    '2028-01-01 20000.00 0.00 0.00 20000.00',
    '2029-01-01 20000.00 0.00 0.00 20000.00',
  ])
  const months = await scheduleOf(await studio().add('items', { ...desk, depreciation_method: 'straight_line' }))
  expect(months.map(({ charge }) => charge)).toEqual(Array(60).fill('1500.00'))
  expect(months[9]).toMatchObject({ ends_on: '2024-12-31', closing_value: '95000.00' })
})

test('months follow each other from the day of acquisition, the end of a month standing in for a missing day', async () => {
  const item = await studio().add('items', { ...straight, acquisition_date: '2024-01-31', useful_life_months: 4 })
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
  const item = await studio().add('items', { ...straight, acquisition_date: '2024-01-31', ...columns })
  expect(await scheduleOf(item)).toEqual([])
})

/** Charges add up to price less residual value and never rise, and each month begins where the last
 * one ended. */
async function expectSchedule(id: string, price: bigint, residual: bigint | null): Promise<void> {
  const months = await scheduleOf(id)
  const last = months.at(-1)
  const inCents = (text: string) => BigInt(text.replace('.', ''))
  // Without one, the item has that of its category.
  const known = await analyst().value<string | null>('select residual_value from api_v1.workings where item_id = $1', [
    id,
  ])
  const least = residual ?? inCents(known ?? '0')
  if (last === undefined) return expect(least).toBeGreaterThanOrEqual(price)
  expect(inCents(last.closing_value)).toBe(least)
  let before = amount(price)
  for (const [n, { month, opening_value, charge, closing_value }] of months.entries()) {
    expect([month, opening_value]).toEqual([n + 1, before])
    expect(inCents(charge)).toBe(inCents(opening_value) - inCents(closing_value))
    expect(inCents(charge)).toBeGreaterThanOrEqual(0n)
    before = closing_value
  }
  const on = 'select current_estimated_value from api_v1.items_on($1) where id = $2'
  expect(await analyst().value(on, [last.ends_on, id])).toBe(last.closing_value)
}

test('the months of each item of random studios add up, to the cent', async () => {
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
    fc.asyncProperty(fc.array(one, { minLength: 1, maxLength: 8 }), start, async (items, startMonth) => {
      await open(startMonth)
      for (const { method, price, acquired, life, residual, category } of items) {
        const id = await studio().add('items', {
          ...{ category, depreciation_method: method, purchase_price: amount(price), useful_life_months: life },
          ...{ acquisition_date: acquired && iso(acquired), residual_value: amount(residual) },
        })
        if (method !== 'none' && acquired !== null) await expectSchedule(id, price, residual)
      }
    }),
    { numRuns: 5 * deeper },
  )
})

test('a useful life longer than the calendar: years end with 9999', async () => {
  await studio().add('items', { ...straight, acquisition_date: '9990-05-05', useful_life_months: 2_147_483_647 })
  const end = await analyst().row('select max(year_end)::text as day from api_v1.depreciation_years')
  expect(end).toEqual({ day: '9999-12-31' })
})
