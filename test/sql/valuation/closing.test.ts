import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { inStudio, type Session, type Studio, useSql } from '../support.ts'

const sql = useSql()
let studio: Studio
let declining: string
let analyst: Session

beforeAll(async () => {
  analyst = await sql.connect('studio_graphql')
})
beforeEach(async () => {
  await sql.stopClock('2025-01-10T12:00:00Z')
  await sql.owner.rows(`update app.studios set closes_since = '9999-01-01'`)
  studio = await sql.studio()
  await sql.owner.rows(`update app.studios set closes_since = '2025-01-10' where id = $1`, [studio.id])
  await analyst.rows(`select set_config('studio.id', $1, false)`, [studio.id])
})
afterAll(() => sql.startClock())

/** An item that loses 10.00 a month for ten months. */
const falling = {
  ...{ purchase_price: 100, residual_value: 0, useful_life_months: 10 },
  ...{ acquisition_date: '2024-12-31', depreciation_method: 'straight_line' },
}

/** Closes every month that is due. Returns the number of closed values. */
async function close(): Promise<number> {
  const next = (hash: number | null) => sql.writer.value<number | null>('select valuation.next_to_close($1)', [hash])
  let values = 0
  for (let studioHash = await next(null); studioHash !== null; studioHash = await next(studioHash)) {
    for (let due = true; due; ) {
      const text = 'select due, closed from valuation.close_month($1, 1000)'
      const batch = await sql.writer.row<{ due: boolean; closed: number }>(text, [studioHash])
      due = batch.due
      values += batch.closed
    }
  }
  return values
}

const closed = (columns: string) =>
  analyst.rows(`select month_end::text as month, ${columns} from api_v1.closed_values order by month_end, item_id`)
const closedMonths = () => closed('current_estimated_value as value, closed_at::date::text as closed_on')
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
    if (month === 11) await studio.change('items', gone, { archived_at: '2025-10-15' })
    await close()
  }
  const sums = `select to_char(month_end, 'MM') || ' ' || count(*) || ' ' || sum(current_estimated_value) as sum
    from api_v1.closed_values group by month_end order by month_end`
  expect((await analyst.rows(sums)).map(({ sum }) => sum)).toEqual([
    ...['01 3 340.00', '02 3 310.00', '03 3 280.00'], // in January 90 + 180 + 70
    ...['04 3 310.00', '05 3 270.00', '06 3 230.00'], // in April 60 + 300 * 6 / 10 + 70
    ...['07 3 215.00', '08 3 185.00', '09 3 155.00'], // in July 55 + 90 + 70
    ...['10 2 55.00', '11 2 55.00', '12 2 55.00'],
  ])
  const changed = ['purchase_price']
  expect(await corrections()).toEqual([
    { month: '2025-01-31', closed_value: '180.00', corrected_value: '270.00', difference: '90.00', changed },
    { month: '2025-02-28', closed_value: '160.00', corrected_value: '240.00', difference: '80.00', changed },
    { month: '2025-03-31', closed_value: '140.00', corrected_value: '210.00', difference: '70.00', changed },
  ])
  const late = await studio.add('items', { purchase_price: 5, acquisition_date: '2025-12-24' })
  const december = { month: '2025-12-31', corrected_value: '5.00', changed: ['added'] }
  expect((await corrections()).slice(3)).toEqual([{ ...december, closed_value: null, difference: '5.00' }])
  await studio.change('items', late, { acquisition_date: '2026-01-02' })
  expect(await corrections()).toHaveLength(3)
  await sql.owner.rows(`update app.studios set currency = 'GBP' where id = $1`, [studio.id])
  const inPounds = { ...december, closed_value: '55.00', corrected_value: '55.00', difference: null }
  expect(await corrections()).toContainEqual({ ...inPounds, changed: ['currency'] })
})

test('a repeated market value closes with the date of its last look-up in the month', async () => {
  const item = await studio.add('items', falling)
  const dates = () => closed('market_value as value, market_value_as_of::date::text as as_of')
  for (const day of ['2025-01-05', '2025-01-20']) await studio.market(item, '55.00', `${day}T00:00:00Z`)
  await sql.stopClock('2025-02-01T00:00:00Z')
  await close()
  const january = { month: '2025-01-31', value: '55.00', as_of: '2025-01-20' }
  expect(await dates()).toEqual([january])
  await studio.market(item, '55.00', '2025-02-03T00:00:00Z')
  await sql.stopClock('2025-03-01T01:00:00Z')
  await studio.market(item, '60.00', '2025-03-01T00:00:00Z')
  await close()
  // The history does not keep look-ups that found 55.00 again, so an old value has only its first
  // date.
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

test('a large studio closes in batches, and its month appears after the last batch', async () => {
  for (let n = 0; n < 5; n++) await studio.add('items', falling)
  await sql.stopClock('2025-02-01T12:00:00Z')
  const studioHash = await sql.writer.value('select valuation.next_to_close()')
  const batch = () => sql.writer.row('select due, closed from valuation.close_month($1, 2)', [studioHash])
  const shown = () => analyst.value<number>('select count(*)::integer from api_v1.closed_values')
  expect(await batch()).toEqual({ due: true, closed: 2 })
  await batch()
  expect(await shown()).toBe(0)
  expect(await batch()).toEqual({ due: true, closed: 1 })
  expect(await shown()).toBe(5)
  expect(await batch()).toEqual({ due: false, closed: 0 })
})

test('a month stores nothing of an item that is as before, and of one that depreciates only the estimate', async () => {
  const bought = { purchase_price: 70, acquisition_date: '2024-01-01' }
  const items = [
    await studio.add('items', bought),
    await studio.add('items', bought),
    await studio.add('items', falling),
  ]
  await sql.stopClock('2025-04-01T12:00:00Z')
  await close()
  await studio.change('items', String(items[1]), { archived_at: '2025-04-15' })
  await sql.stopClock('2025-06-01T12:00:00Z')
  await close()
  const stored = await sql.admin.rows(
    `select array_position($2, item_id) as item, extract(month from month_end)::integer as month,
       current_estimated_value::integer as value, name is not null as whole
     from app.closed_values where studio_id = $1 order by item, month`,
    [studio.id, items],
  )
  expect(stored).toEqual([
    { item: 1, month: 1, value: 70, whole: true },
    { item: 2, month: 1, value: 70, whole: true },
    { item: 2, month: 4, value: null, whole: false },
    { item: 3, month: 1, value: 90, whole: true },
    ...[80, 70, 60, 50].map((value, n) => ({ item: 3, month: n + 2, value, whole: false })),
  ])
})

test('a second process skips the studio that the first is closing', async () => {
  const other = await sql.studio()
  await sql.owner.rows(`update app.studios set closes_since = '2025-01-01' where id = $1`, [other.id])
  for (const one of [studio, other]) await one.add('items', falling)
  await sql.stopClock('2025-02-01T12:00:00Z')
  const first = await sql.connect('studio_writer')
  await first.rows('begin')
  expect(await first.row('select due, closed from valuation.close_month(valuation.next_to_close())')).toEqual({
    due: true,
    closed: 1,
  })
  expect(await close()).toBe(1)
  await first.rows('commit')
  expect(await close()).toBe(0)
})

test('the closing login learns nothing about studios', async () => {
  await studio.add('items', falling)
  await sql.stopClock('2025-02-01T12:00:00Z')
  await sql.writer.rows('begin')
  const answers = await sql.writer.rows(
    `select studio_hash, valuation.close_month(studio_hash) from valuation.next_to_close() as studio_hash`,
  )
  expect(JSON.stringify(answers)).not.toContain(studio.id)
  expect(await sql.writer.value(`select current_setting('studio.id', true)`)).toBe('')
  await sql.writer.rows('commit')
  for (const text of [
    'select valuation.month_to_close()',
    'select from app.closings',
    'select from app.closed_values',
  ]) {
    await expect(sql.writer.rows(text), text).rejects.toMatchObject({ code: '42501' })
  }
})

test('what is closed nobody changes', async () => {
  const tables = ['app.closings', 'app.closed_values', 'app.market_value_history']
  await studio.market(await studio.add('items', falling), '55.00', '2025-01-05T00:00:00Z')
  await sql.stopClock('2025-02-01T12:00:00Z')
  await close()
  const all = () =>
    Array.fromAsync(tables, (table) => sql.admin.rows(`select * from ${table} where studio_id = $1`, [studio.id]))
  const before = await all()
  for (const rows of before) expect(rows).not.toEqual([])
  for (const table of tables) {
    for (const text of [`update ${table} set studio_id = studio_id`, `delete from ${table}`, `truncate ${table}`]) {
      for (const session of [sql.admin, sql.owner, sql.writer, sql.api, analyst]) {
        const code = expect.stringMatching(/^(42501|25006)$/)
        await expect(
          inStudio(session, studio, (s) => s.rows(text)),
          text,
        ).rejects.toMatchObject({ code })
      }
    }
  }
  expect(await all()).toEqual(before)
})
