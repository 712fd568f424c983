import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { expectConsistent } from '../invariants.ts'
import { inStudio, parsed, type Session, type Studio, useSql } from '../support.ts'
import { iso, monthsLater } from './exact.ts'
import { refreshAll } from './refresh-all.ts'

const sql = useSql()
let studio: Studio

/** Loses 10.00 a month for ten months, then stays at nothing. */
const falling = {
  purchase_price: 100,
  depreciation_method: 'straight_line',
  acquisition_date: '2025-01-31',
  useful_life_months: 10,
  residual_value: 0,
}

beforeEach(async () => {
  await sql.stopClock('2025-01-31T12:00:00Z')
  // What other tests have left behind must not be due.
  await sql.admin.rows('truncate app.item_valuations')
  studio = await sql.studio()
})
afterAll(() => sql.startClock())

const refresh = async (session = sql.owner, rebuildMissing = false) =>
  Number(await session.value(refreshAll, [rebuildMissing]))

/** When the valuation of an item last changed, in milliseconds. */
const valuedAt = (id: string) => studio.updatedAt('item_valuations', id)

const worthOf = async (id: string) => (await studio.valuation(id))?.current_estimated_value

describe('month by month', () => {
  test('the valuations that are due move, once, until there is nothing more to lose; no item does', async () => {
    const item = await studio.add('items', { ...falling, reported_insured_value: 75 })
    const steady = await studio.add('items', { purchase_price: 100 })
    const archived = await studio.add('items', { ...falling, archived_at: '2025-01-31T00:00:00Z' })
    const values: (string | null | undefined)[] = []
    for (let month = 1; month <= 11; month++) {
      await sql.stopClock(`${iso(monthsLater({ year: 2025, month: 1, day: 31 }, month))}T00:00:00Z`)
      const times = async () => [
        ...[await studio.updatedAt('items', item), await valuedAt(steady), await valuedAt(item)],
      ]
      const before = await times()
      const version = await studio.dataVersion()
      expect(await refresh(), `month ${month}`).toBe(month <= 10 ? 2 : 0)
      expect(await refresh(), `month ${month}, again`).toBe(0)
      const after = await times()
      expect(after.slice(0, 2)).toEqual(before.slice(0, 2))
      expect((after[2] ?? 0) > (before[2] ?? 0)).toBe(month <= 10)
      expect((await studio.dataVersion()) > version).toBe(month <= 10)
      await expectConsistent(sql, studio)
      values.push(await worthOf(item))
    }
    expect(values).toEqual([
      ...['90.00', '80.00', '70.00', '60.00', '50.00', '40.00', '30.00', '20.00', '10.00', '0.00', '0.00'],
    ])
    expect(await worthOf(archived)).toBe('0.00')
  })

  test('months that were missed are made up for at once', async () => {
    const item = await studio.add('items', falling)
    await sql.stopClock('2025-08-15T00:00:00Z')
    expect(await refresh()).toBe(1)
    expect(await worthOf(item)).toBe('40.00')
  })

  test('a month whose loss is below a cent moves nothing, and the next that shows is not missed', async () => {
    const item = await studio.add('items', { ...falling, purchase_price: '0.02', useful_life_months: 8 })
    const moved: number[] = []
    for (let month = 1; month <= 8; month++) {
      await sql.stopClock(`${iso(monthsLater({ year: 2025, month: 1, day: 31 }, month))}T00:00:00Z`)
      const before = await valuedAt(item)
      moved.push(await refresh())
      expect((await valuedAt(item)) > before).toBe(moved.at(-1) === 1)
      await expectConsistent(sql, studio)
    }
    expect(moved.reduce((sum, n) => sum + n)).toBe(2)
    expect(await worthOf(item)).toBe('0.00')
  })

  test('an item whose estimates changed before its depreciation begins is due from the beginning on', async () => {
    await sql.owner.rows('select access.set_first_period($1, $2)', [studio.id, 'half_year'])
    const item = await studio.add('items', { ...falling, acquisition_date: '2025-01-10', useful_life_months: 20 })
    await studio.add('depreciation_changes', { item_id: item, effective_on: '2025-01-20', useful_life_months: 10 })
    await sql.stopClock('2025-09-15T00:00:00Z')
    await refresh()
    expect(await worthOf(item)).toBe('80.00') // two months from 1 July
  })

  test('the day begins at midnight of each studio', async () => {
    const [east, west] = [
      await sql.studio({ timezone: 'Pacific/Kiritimati' }),
      await sql.studio({ timezone: 'Pacific/Pago_Pago' }),
    ]
    await east.add('items', falling)
    await west.add('items', falling)
    await sql.stopClock('2025-02-27T09:59:59Z')
    expect(await refresh()).toBe(0)
    await sql.stopClock('2025-02-27T10:00:00Z') // the 28th at UTC+14
    expect(await refresh()).toBe(1)
    await sql.stopClock('2025-02-28T10:59:59Z')
    expect(await refresh()).toBe(0)
    await sql.stopClock('2025-02-28T11:00:00Z') // the 28th at UTC−11
    expect(await refresh()).toBe(1)
  })
})

describe('projections that are missing', () => {
  test('are left missing, and rebuilt when asked', async () => {
    const item = await studio.add('items', falling)
    await inStudio(sql.owner, studio, (s) => s.rows('delete from app.item_valuations'))
    await sql.stopClock('2025-03-31T00:00:00Z')
    expect(await refresh()).toBe(0)
    expect(await studio.valuation(item)).toBeNull()
    const before = await valuedAt(item)
    await refresh(sql.owner, true)
    expect(await worthOf(item)).toBe('80.00')
    expect(await valuedAt(item)).toBeGreaterThan(before)
    expect(await refresh(sql.owner, true)).toBe(0)
    await expectConsistent(sql, studio)
  })
})

const aMonthLater = '2025-02-28T12:00:00Z'
type Refreshed = { valued: number; moved: number }
const hashOf = (of: Studio) => sql.admin.value<number>('select studio_hash from app.studios where id = $1', [of.id])
const refreshDue = async (session: Session = sql.writer, of = studio) =>
  session.row<Refreshed>('select valued, moved from valuation.refresh_due($1)', [await hashOf(of)])
const isDue = async () =>
  sql.writer.value('select valuation.next_due($1 - 1) is not distinct from $1', [await hashOf(studio)])

test('a transaction values at most a thousand items; the next continues where it ended', async () => {
  await studio.write((s) =>
    s.rows(
      `insert into app.items (studio_id, name, purchase_price, depreciation_method, acquisition_date, useful_life_months,
         residual_value)
       select $1, 'x', 100, 'straight_line', '2025-01-31', 10, 0 from generate_series(1, 1001)`,
      [studio.id],
    ),
  )
  await sql.stopClock(aMonthLater)
  expect(await isDue()).toBe(true)
  expect(await refreshDue()).toEqual({ valued: 1000, moved: 1000 })
  expect(await isDue()).toBe(true)
  expect(await refreshDue()).toEqual({ valued: 1, moved: 1 })
  expect(await refreshDue()).toEqual({ valued: 0, moved: 0 })
  expect(await isDue()).toBe(false)
  const values = 'select current_estimated_value as worth, count(*)::int as items from app.item_valuations group by 1'
  expect(await sql.admin.rows(values)).toEqual([{ worth: '90.00', items: 1001 }])
})

test('an item that somebody is writing to is not waited for, and is refreshed later', async () => {
  const [edited, free] = [await studio.add('items', falling), await studio.add('items', falling)]
  await sql.stopClock(aMonthLater)
  const editor = await sql.connect('studio_writer')
  await editor.begin(studio)
  await editor.rows(`update app.items set name = 'Y' where id = $1`, [edited])
  await sql.writer.rows(`set lock_timeout = '1s'`)
  expect(await refreshDue()).toEqual({ valued: 1, moved: 1 })
  expect([await worthOf(free), await worthOf(edited)]).toEqual(['90.00', '100.00'])
  expect(await refreshDue()).toEqual({ valued: 0, moved: 0 })
  expect(await isDue()).toBe(true)
  await editor.rows('rollback')
  expect(await refreshDue()).toEqual({ valued: 1, moved: 1 })
  expect(await worthOf(edited)).toBe('90.00')
  expect(await isDue()).toBe(false)
})

test('an open refresh of one studio holds up neither that of another nor its writers', async () => {
  const other = await sql.studio()
  const item = await studio.add('items', falling)
  const theirs = await other.add('items', falling)
  await sql.stopClock(aMonthLater)
  const refreshing = await sql.connect('studio_writer')
  await refreshing.rows('begin')
  expect(await refreshDue(refreshing)).toEqual({ valued: 1, moved: 1 })
  await sql.writer.rows(`set lock_timeout = '1s'`)
  expect(await refreshDue()).toEqual({ valued: 0, moved: 0 })
  expect(await refreshDue(sql.writer, other)).toEqual({ valued: 1, moved: 1 })
  await other.change('items', theirs, { name: 'Y' })
  await refreshing.rows('commit')
  expect(await worthOf(item)).toBe('90.00')
})

test('a tick moves valuations and no item, and no answer from before is kept; what somebody writes moves both', async () => {
  const item = await studio.add('items', { ...falling, reported_insured_value: 95 })
  const ask = (operation: string, since: number | null = null) => {
    const from = since && new Date(since).toISOString()
    return studio.ask(operation, 1, 1, null, null, from)
  }
  const moved = async (list: string, since: number) => parsed(await ask(list, since + 1)).length === 1
  const written: [what: string, write: () => Promise<unknown>, both: boolean, worth: number][] = [
    ['the calendar', () => sql.stopClock(aMonthLater).then(() => refreshDue()), false, 90],
    ['an insured value', () => studio.change('items', item, { reported_insured_value: 20 }), true, 90],
    ['a price', () => studio.change('items', item, { purchase_price: 200 }), true, 180],
    ['a market value', () => studio.market(item, '70'), true, 70],
    // The book value falls on, though another value counts.
    ['the calendar again', () => sql.stopClock('2025-03-31T12:00:00Z').then(() => refreshDue()), false, 70],
  ]
  for (const [what, write, both, worth] of written) {
    const [ofItem, ofValues] = [await studio.updatedAt('items', item), await valuedAt(item)]
    const { version } = await ask('list_items')
    await write()
    expect(await moved('list_items', ofItem), what).toBe(both)
    expect(await moved('list_valuations', ofValues), what).toBe(true)
    expect((await ask('list_items')).version, what).not.toBe(version)
    const [detail] = parsed<{ current_estimated_value: number }>(await studio.ask('get_item', item))
    expect(detail?.current_estimated_value, what).toBe(worth)
    await expectConsistent(sql, studio)
  }
})

test('an item whose coverage state the calendar changes is found by the new one, and does not move', async () => {
  const item = await studio.add('items', { ...falling, reported_insured_value: 95 })
  const before = await studio.updatedAt('items', item)
  const found = async (state: string) => parsed(await studio.ask('list_items', 1, 1, null, state)).length
  expect([await found('under_covered'), await found('fully_covered')]).toEqual([1, 0])
  await sql.stopClock(aMonthLater)
  await refreshDue()
  expect([await found('under_covered'), await found('fully_covered')]).toEqual([0, 1])
  expect(await studio.updatedAt('items', item)).toBe(before)
  await expectConsistent(sql, studio)
})
