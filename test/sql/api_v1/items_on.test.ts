import { afterAll, beforeEach, expect, test } from 'vitest'
import { type Session, type Studio, useSql } from '../support.ts'

const sql = useSql()
let studio: Studio
let analyst: Session

beforeEach(async () => {
  await sql.stopClock('2026-03-15T12:00:00Z')
  studio = await sql.studio({ timezone: 'Europe/Berlin' })
  analyst ??= await sql.connect('studio_graphql')
  await analyst.rows(`select set_config('studio.id', $1, false)`, [studio.id])
})
afterAll(() => sql.startClock())

/** The item has been worth 10.00 since 2025. */
const bought = { purchase_price: 10, acquisition_date: '2025-01-01' }

const on = async (day: string, item: string) => {
  const [row] = await analyst.rows<{ current_estimated_value: string | null; value_source: string }>(
    'select * from api_v1.items_on($1) where id = $2',
    [day, item],
  )
  return row && [row.current_estimated_value, row.value_source]
}

/** app.items keeps this moment, which the writer may not set. */
const recorded = (item: string, moment: string) =>
  sql.admin.rows(
    `begin; select set_config('studio.id', '${studio.id}', true);
     update app.items set created_at = '${moment}' where id = '${item}'; commit`,
  )

test('the value of a day equals what the API shows after its end', async () => {
  for (const n of [1, 2, 3, 4]) {
    await studio.add('items', {
      purchase_price: 1000 * n,
      acquisition_date: `2025-0${n}-16`,
      depreciation_method: n % 2 ? 'straight_line' : 'declining_balance',
    })
  }
  const read = (from: string) =>
    analyst.rows(
      `select id, current_estimated_value, value_source, reported_insured_value, coverage_state, gap_amount, name
       from ${from} order by id`,
    )
  const said = await read(`api_v1.items_on('2026-03-15')`)
  await sql.stopClock('2026-03-15T23:00:00Z')
  await sql.owner.rows('select valuation.refresh_studio($1)', [studio.id])
  const shown = await read('api_v1.items')
  expect(shown).toHaveLength(4)
  expect(said).toEqual(shown)
})

test('an item is there from its acquisition, or from when it was recorded if that was before', async () => {
  const [january, ordered, undated] = [
    await studio.add('items', { ...bought, acquisition_date: '2026-01-02' }),
    await studio.add('items', { ...bought, acquisition_date: '2026-12-01' }),
    await studio.add('items', { ...bought, acquisition_date: null }),
  ]
  for (const item of [ordered, undated]) await recorded(item, '2026-03-15T11:00:00Z')
  const price = ['10.00', 'purchase_price']
  expect([await on('2026-01-01', january), await on('2026-01-02', january)]).toEqual([undefined, price])
  expect([await on('2026-03-14', ordered), await on('2026-03-15', ordered)]).toEqual([undefined, price])
  expect([await on('2026-03-14', undated), await on('2026-03-15', undated)]).toEqual([undefined, price])
  await recorded(undated, '2026-02-28T23:30:00Z') // 1 March in Berlin
  expect([await on('2026-02-28', undated), await on('2026-03-01', undated)]).toEqual([undefined, price])
})

test('an archived item is there until the day before, never today or later', async () => {
  const item = await studio.add('items', bought)
  await studio.change('items', item, { archived_at: '2026-02-10T12:00:00Z' })
  expect(await on('2026-02-09', item)).toEqual(['10.00', 'purchase_price'])
  expect(await on('2026-02-10', item)).toBeUndefined()
  await studio.change('items', item, { archived_at: '2026-12-31T12:00:00Z' })
  expect(await on('2026-03-14', item)).toEqual(['10.00', 'purchase_price'])
  expect([await on('2026-03-15', item), await on('2026-06-01', item)]).toEqual([undefined, undefined])
})

test('a market value counts from its day; a later one, a corrected and a removed one leave the days before as they were', async () => {
  const item = await studio.add('items', bought)
  await studio.market(item, '20', '2025-12-31T22:59:59Z')
  await studio.market(item, '30', '2026-02-28T23:00:00Z') // 1 March in Berlin
  const days = ['2025-12-30', '2025-12-31', '2026-02-28', '2026-03-01', '2026-03-15', '2026-04-01']
  const values = () => Array.fromAsync(days, async (day) => (await on(day, item))?.[0])
  expect(await values()).toEqual(['10.00', '20.00', '20.00', '30.00', '30.00', '30.00'])
  // Of each day since its date, the newest record is what is known now.
  await studio.market(item, '25', '2026-01-31T12:00:00Z')
  expect(await values()).toEqual(['10.00', '20.00', '25.00', '25.00', '25.00', '25.00'])
  await studio.write((s) => s.rows('delete from app.market_values where item_id = $1', [item]))
  expect(await values()).toEqual(['10.00', '20.00', '25.00', '25.00', '10.00', '10.00'])
})

test('a market value dated after today counts from today, because the API shows it', async () => {
  const item = await studio.add('items', bought)
  await studio.market(item, '20', '2026-12-24T12:00:00Z')
  expect(await studio.valuation(item)).toMatchObject({ value_source: 'market' })
  expect([await on('2026-03-14', item), await on('2026-03-15', item)]).toEqual([
    ['10.00', 'purchase_price'],
    ['20.00', 'market'],
  ])
})

test.each([null, 'infinity', '10000-01-01'])('of %s it says nothing', async (day) => {
  await studio.add('items', bought)
  expect(await analyst.rows('select * from api_v1.items_on($1::date)', [day])).toEqual([])
})

test('one item is asked for by its id; an item of another studio, an unknown one and one of another day are none', async () => {
  const stranger = await (await sql.studio()).add('items', { ...bought, name: 'Not yours' })
  const one = await studio.add('items', { ...bought, name: 'One' })
  await studio.add('items', { ...bought, name: 'Two' })
  const asked = (day: string, item: string | null) =>
    analyst.rows('select name from api_v1.items_on($1, $2)', [day, item])
  expect(await asked('2026-01-01', one)).toEqual([{ name: 'One' }])
  expect(await asked('2024-12-31', one)).toEqual([])
  for (const unknown of [stranger, '00000000-0000-4000-8000-000000000000']) {
    expect(await asked('2026-01-01', unknown)).toEqual([])
  }
  expect(await asked('2026-01-01', null)).toHaveLength(2)
})

test('a day has the book value besides the value that counts, and the columns for joins and lists', async () => {
  const [valued, plain] = [
    await studio.add('items', {
      ...{ external_key: 'MIC-1', purchase_price: 1200, acquisition_date: '2025-03-16', useful_life_months: 24 },
      ...{ depreciation_method: 'straight_line', residual_value: 0, replacement_cost: 1500 },
    }),
    await studio.add('items', bought),
  ]
  await studio.market(valued, '2000.00', '2026-01-01T12:00:00Z')
  await studio.add('item_photos', { item_id: valued, storage_key: 'a.jpg' })
  const then = await analyst.rows<{ id: string }>(`select * from api_v1.items_on('2026-03-15') order by id = $1`, [
    plain,
  ])
  const others = { replacement_cost: '1500.00', photo_count: 1, external_key: 'MIC-1' }
  expect(then).toMatchObject([
    { id: valued, current_estimated_value: '2000.00', book_value: '600.00', ...others },
    { id: plain, book_value: '10.00', replacement_cost: null, photo_count: 0 },
  ])
  expect(await analyst.row('select * from api_v1.items where id = $1', [valued])).toMatchObject(others)
})

test('an item counts its active policies, and names the primary one', async () => {
  const item = await studio.add('items', { purchase_price: 10 })
  const shown = () =>
    analyst.row('select primary_policy_id, active_policy_count from api_v1.items where id = $1', [item])
  expect(await shown()).toEqual({ primary_policy_id: null, active_policy_count: 0 })
  const now = await studio.add('policies', { effective_start: '2026-01-01' })
  const over = await studio.add('policies', { effective_start: '2025-01-01', effective_end: '2025-12-31' })
  await studio.add('policy_assignments', { item_id: item, policy_id: now })
  await studio.add('policy_assignments', { item_id: item, policy_id: over, is_primary: true })
  expect(await shown()).toEqual({ primary_policy_id: over, active_policy_count: 1 })
  expect(await analyst.rows('select distinct item_value from api_v1.assignments')).toEqual([{ item_value: '10.00' }])
})
