import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { expectConsistent, refreshAll } from '../invariants.ts'
import { parsed, type Session, type Studio, useSql } from '../support.ts'
import { iso, monthsLater } from './exact.ts'

const sql = useSql()
let studio: Studio

/** The item loses 10.00 a month for ten months, and is then worth nothing. */
const falling = {
  ...{ purchase_price: 100, residual_value: 0, useful_life_months: 10 },
  ...{ acquisition_date: '2025-01-31', depreciation_method: 'straight_line' },
}

beforeEach(async () => {
  await sql.stopClock('2025-01-31T12:00:00Z')
  // Nothing that other tests have left behind may be due.
  await sql.admin.rows('truncate app.item_valuations')
  studio = await sql.studio()
})
afterAll(() => sql.startClock())

const refresh = async (rebuildMissing = false) => Number(await sql.owner.value(refreshAll, [rebuildMissing]))

/** When the valuation of an item last changed, in milliseconds. */
const valuedAt = (id: string) => studio.updatedAt('item_valuations', id)

const worthOf = async (id: string) => (await studio.valuation(id))?.current_estimated_value

describe('month by month', () => {
  /** Stops the clock so many months after the acquisition. */
  const pass = (months: number) =>
    sql.stopClock(`${iso(monthsLater({ year: 2025, month: 1, day: 31 }, months))}T00:00:00Z`)

  test('the valuations that are due move, once, until there is nothing more to lose; no item does', async () => {
    const item = await studio.add('items', { ...falling, useful_life_months: 3, reported_insured_value: 75 })
    const steady = await studio.add('items', { purchase_price: 100 })
    const archived = await studio.add('items', { ...falling, archived_at: '2025-01-31T00:00:00Z' })
    const values: (string | null | undefined)[] = []
    const times = async () => [await studio.updatedAt('items', item), await valuedAt(steady), await valuedAt(item)]
    for (let month = 1; month <= 4; month++) {
      await pass(month)
      const [before, version] = [await times(), await studio.dataVersion()]
      expect(await refresh(), `month ${month}`).toBe(month <= 3 ? 2 : 1)
      const [now, moved] = [await times(), await studio.dataVersion()]
      expect([await refresh(), await studio.dataVersion()], `month ${month}, again`).toEqual([0, moved])
      expect(now.map((time, n) => time > (before[n] ?? 0))).toEqual([false, false, month <= 3])
      expect(moved).toBeGreaterThan(version)
      values.push(await worthOf(item))
      await expectConsistent(sql, studio)
    }
    expect(values).toEqual(['66.67', '33.33', '0.00', '0.00'])
    await pass(11)
    expect([await refresh(), await refresh(), await worthOf(archived)]).toEqual([1, 0, '0.00'])
  })

  test('a month whose loss is below a cent moves nothing, and the next that shows is not missed', async () => {
    const item = await studio.add('items', { ...falling, purchase_price: '0.02', useful_life_months: 4 })
    const moved: number[] = []
    for (let month = 1; month <= 4; month++) {
      await pass(month)
      const before = await valuedAt(item)
      moved.push(await refresh())
      expect((await valuedAt(item)) > before).toBe(moved.at(-1) === 1)
    }
    await expectConsistent(sql, studio)
    expect([moved, await worthOf(item)]).toEqual([[0, 1, 0, 1], '0.00'])
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
    for (const timezone of ['Pacific/Kiritimati', 'Pacific/Pago_Pago']) {
      await (await sql.studio({ timezone })).add('items', falling)
    }
    const moved: number[] = []
    for (const moment of ['27T09:59:59', '27T10:00:00', '28T10:59:59', '28T11:00:00']) {
      await sql.stopClock(`2025-02-${moment}Z`)
      moved.push(await refresh())
    }
    expect(moved).toEqual([0, 1, 0, 1]) // the 28th at UTC+14, and at UTC−11
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
    // The book value still falls, although another value counts.
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
