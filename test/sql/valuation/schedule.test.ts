import { beforeEach, expect, test } from 'vitest'
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
// March
test('the monthly charges of a published example by the straight line', async () => {
  const desk = { ...straight, purchase_price: 110_000, residual_value: 20_000, useful_life_months: 60 }
  const months = await scheduleOf(await studio().add('items', { ...desk, acquisition_date: '2024-03-01' }))
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

test('a useful life longer than the calendar: years end with 9999', async () => {
  await studio().add('items', { ...straight, acquisition_date: '9990-05-05', useful_life_months: 2_147_483_647 })
  const end = await analyst().row('select max(year_end)::text as day from api_v1.depreciation_years')
  expect(end).toEqual({ day: '9999-12-31' })
})
