import { afterAll, beforeEach, expect, test } from 'vitest'
import { inStudio, type Session, type Studio, useSql } from '../support.ts'
import { closeMonths, falling } from './closing.ts'

const sql = useSql()
let studio: Studio
let declining: string
let analyst: Session

beforeEach(async () => {
  await sql.stopClock('2025-01-10T12:00:00Z')
  await sql.owner.rows(`update app.studios set closes_since = '9999-01-01'`)
  studio = await sql.studio()
  await sql.owner.rows(`update app.studios set closes_since = '2025-01-10' where id = $1`, [studio.id])
  analyst = await sql.connect('studio_graphql')
  await analyst.rows(`select set_config('studio.id', $1, false)`, [studio.id])
})
afterAll(() => sql.startClock())

const close = () => closeMonths(sql)
const closedMonths = () =>
  analyst.rows(
    `select month_end::text as month, current_estimated_value as value, closed_at::date::text as closed_on
     from api_v1.closed_values order by month_end, item_id`,
  )
const corrections = () =>
  analyst.rows(
    `select month_end::text as month, closed_value, corrected_value, difference, changed from api_v1.corrections
     order by month_end, item_id`,
  )

test('a month closes once, when it ends on the studio’s own calendar', async () => {
  const honolulu = await sql.studio({ timezone: 'Pacific/Honolulu' })
  await sql.owner.rows(`update app.studios set closes_since = '2025-01-01T12:00Z' where id = $1`, [honolulu.id])
  for (const one of [studio, honolulu]) await one.add('items', falling)
  await sql.stopClock('2025-01-31T23:59:59Z')
  expect(await close()).toBe(0)
  await sql.stopClock('2025-02-01T00:00:00Z')
  expect([await close(), await close()]).toEqual([1, 0])
  expect(await closedMonths()).toEqual([{ month: '2025-01-31', value: '90.00', closed_on: '2025-02-01' }])
  await sql.stopClock('2025-02-01T10:00:00Z')
  expect([await close(), await close()]).toEqual([1, 0])
})

test.each([
  ['Pacific/Honolulu', '2024-12-31'], // there the evening before
  ['UTC', '2025-01-31'],
])('in %s the first closed month follows the studio’s calendar', async (timezone, first) => {
  await sql.stopClock('2025-01-01T05:00:00Z')
  const one = await sql.studio({ timezone })
  await sql.stopClock('2025-02-02T00:00:00Z')
  await close()
  const month = await sql.admin.value('select min(month_end)::text from app.closings where studio_id = $1', [one.id])
  expect(month).toBe(first)
})

test('a year closes month by month, with corrections', async () => {
  const [amp, desk, gone] = [
    await studio.add('items', falling),
    await studio.add('items', { ...falling, purchase_price: 200, reported_insured_value: 50 }),
    await studio.add('items', { purchase_price: 70, acquisition_date: '2024-01-01' }),
  ]
  for (let month = 2; month <= 13; month++) {
    if (month === 5) await studio.change('items', desk, { purchase_price: 300 })
    if (month === 8) await studio.market(amp, '55.00', '2025-07-10T00:00:00Z')
    await sql.stopClock(`${month > 12 ? 2026 : 2025}-${String(((month - 1) % 12) + 1).padStart(2, '0')}-01T08:00:00Z`)
    if (month === 11) {
      await inStudio(sql.writer, studio, (s) =>
        s.rows(`update app.items set archived_at = '2025-10-15' where id = $1`, [gone]),
      )
    }
    await close()
  }
  const counts = await analyst.rows(
    `select to_char(month_end, 'MM') as month, count(*)::int as items, sum(current_estimated_value) as value
     from api_v1.closed_values group by month_end order by month_end`,
  )
  expect(counts).toEqual([
    { month: '01', items: 3, value: '340.00' }, // 90 + 180 + 70
    { month: '02', items: 3, value: '310.00' },
    { month: '03', items: 3, value: '280.00' },
    { month: '04', items: 3, value: '310.00' }, // 60 + 300 * 6 / 10 + 70
    { month: '05', items: 3, value: '270.00' },
    { month: '06', items: 3, value: '230.00' },
    { month: '07', items: 3, value: '215.00' }, // 55 + 90 + 70
    { month: '08', items: 3, value: '185.00' },
    { month: '09', items: 3, value: '155.00' },
    { month: '10', items: 2, value: '55.00' },
    { month: '11', items: 2, value: '55.00' },
    { month: '12', items: 2, value: '55.00' },
  ])
  const changed = ['purchase_price']
  expect(await corrections()).toEqual([
    { month: '2025-01-31', closed_value: '180.00', corrected_value: '270.00', difference: '90.00', changed },
    { month: '2025-02-28', closed_value: '160.00', corrected_value: '240.00', difference: '80.00', changed },
    { month: '2025-03-31', closed_value: '140.00', corrected_value: '210.00', difference: '70.00', changed },
  ])
  const late = await studio.add('items', { purchase_price: 5, acquisition_date: '2025-12-24' })
  const added = {
    month: '2025-12-31',
    closed_value: null,
    corrected_value: '5.00',
    difference: '5.00',
    changed: ['added'],
  }
  expect((await corrections()).slice(3)).toEqual([added])
  await studio.change('items', late, { acquisition_date: '2026-01-02' })
  expect(await corrections()).toHaveLength(3)
  await sql.owner.rows(`update app.studios set currency = 'GBP' where id = $1`, [studio.id])
  expect(await corrections()).toContainEqual({
    ...{
      month: '2025-12-31',
      closed_value: '55.00',
      corrected_value: '55.00',
      difference: null,
      changed: ['currency'],
    },
  })
})

test('missed months close one after the other, dated on the day of closing', async () => {
  await studio.add('items', falling)
  await sql.stopClock('2025-04-17T12:00:00Z')
  expect(await close()).toBe(3)
  expect(await closedMonths()).toEqual([
    { month: '2025-01-31', value: '90.00', closed_on: '2025-04-17' },
    { month: '2025-02-28', value: '80.00', closed_on: '2025-04-17' },
    { month: '2025-03-31', value: '70.00', closed_on: '2025-04-17' },
  ])
})

test('a repeated market value closes with the date of its last look-up in the month', async () => {
  const item = await studio.add('items', falling)
  const dates = () =>
    analyst.rows(
      `select month_end::text as month, market_value as value, market_value_as_of::date::text as as_of
       from api_v1.closed_values order by month_end`,
    )
  for (const day of ['2025-01-05', '2025-01-20']) await studio.market(item, '55.00', `${day}T00:00:00Z`)
  await sql.stopClock('2025-02-01T00:00:00Z')
  await close()
  const january = { month: '2025-01-31', value: '55.00', as_of: '2025-01-20' }
  expect(await dates()).toEqual([january])
  await studio.market(item, '55.00', '2025-02-03T00:00:00Z')
  await sql.stopClock('2025-03-01T01:00:00Z')
  await studio.market(item, '60.00', '2025-03-01T00:00:00Z')
  await close()
  // Look-ups that found 55.00 again are not kept: only the first date of an old value is known.
  expect(await dates()).toEqual([january, { month: '2025-02-28', value: '55.00', as_of: '2025-01-05' }])
})

test.each([
  ['depreciation_rate', () => studio.change('items', declining, { depreciation_rate: 40 })],
  ['switches_to_straight_line', () => studio.change('items', declining, { switches_to_straight_line: 'yes' })],
  [
    'depreciation_rate',
    () => sql.owner.rows(`select access.set_category_terms($1, 'Other / Uncategorised', 40)`, [studio.id]),
  ],
  ['first_period', () => sql.owner.rows(`select access.set_first_period($1, 'mid_month')`, [studio.id])],
] as const)('a correction names what was changed: %s', async (input, correct) => {
  declining = await studio.add('items', {
    ...{ purchase_price: 1200, acquisition_date: '2022-01-01', useful_life_months: 60, residual_value: 0 },
    depreciation_method: 'declining_balance',
  })
  await sql.stopClock('2025-02-01T12:00:00Z')
  await close()
  expect(await corrections()).toEqual([])
  await correct()
  expect((await corrections()).map(({ changed }) => changed)).toEqual([[input]])
})
