import { afterAll, beforeEach, expect, test } from 'vitest'
import { expectConsistent } from '../invariants.ts'
import { parsed, type Session, type Studio, useSql } from '../support.ts'

const sql = useSql()
let studio: Studio

/** Loses 10.00 a month for ten months. */
const falling = {
  purchase_price: 100,
  depreciation_method: 'straight_line',
  acquisition_date: '2025-01-31',
  useful_life_months: 10,
  residual_value: 0,
}
const bought = '2025-01-31T12:00:00Z'
const aMonthLater = '2025-02-28T12:00:00Z'

beforeEach(async () => {
  await sql.stopClock(bought)
  studio = await sql.studio()
})
afterAll(() => sql.startClock())

type Refreshed = { valued: number; moved: number }
const hashOf = (of: Studio) => sql.admin.value<number>('select studio_hash from app.studios where id = $1', [of.id])
const refresh = async (session: Session = sql.writer, of = studio) =>
  session.row<Refreshed>('select valued, moved from valuation.refresh_due($1)', [await hashOf(of)])
const worth = async (id: string) => (await studio.valuation(id))?.current_estimated_value
const isDue = async () =>
  sql.writer.value('select valuation.next_due($1 - 1) is not distinct from $1', [await hashOf(studio)])

test('a transaction values at most a thousand items; the next goes on where it ended', async () => {
  await studio.write((s) =>
    s.rows(
      `insert into app.items (studio_id, name, purchase_price, depreciation_method, acquisition_date, useful_life_months,
         residual_value)
       select $1, 'x', 100, 'straight_line', '2025-01-31', 10, 0 from generate_series(1, 1200)`,
      [studio.id],
    ),
  )
  await sql.stopClock(aMonthLater)
  expect(await isDue()).toBe(true)
  expect(await refresh()).toEqual({ valued: 1000, moved: 1000 })
  expect(await isDue()).toBe(true)
  expect(await refresh()).toEqual({ valued: 200, moved: 200 })
  expect(await refresh()).toEqual({ valued: 0, moved: 0 })
  expect(await isDue()).toBe(false)
  await expectConsistent(sql, studio)
})

test('an item that somebody is writing to is not waited for, and is refreshed later', async () => {
  const [edited, free] = [await studio.add('items', falling), await studio.add('items', falling)]
  await sql.stopClock(aMonthLater)
  const editor = await sql.connect('studio_writer')
  await editor.begin(studio)
  await editor.rows(`update app.items set name = 'Y' where id = $1`, [edited])
  await sql.writer.rows(`set lock_timeout = '1s'`)
  expect(await refresh()).toEqual({ valued: 1, moved: 1 })
  expect([await worth(free), await worth(edited)]).toEqual(['90.00', '100.00'])
  expect(await refresh()).toEqual({ valued: 0, moved: 0 })
  expect(await isDue()).toBe(true)
  await editor.rows('rollback')
  expect(await refresh()).toEqual({ valued: 1, moved: 1 })
  expect(await worth(edited)).toBe('90.00')
  expect(await isDue()).toBe(false)
})

test('an open refresh of one studio holds up neither that of another nor its writers', async () => {
  const other = await sql.studio()
  const item = await studio.add('items', falling)
  const theirs = await other.add('items', falling)
  await sql.stopClock(aMonthLater)
  const refreshing = await sql.connect('studio_writer')
  await refreshing.rows('begin')
  expect(await refresh(refreshing)).toEqual({ valued: 1, moved: 1 })
  await sql.writer.rows(`set lock_timeout = '1s'`)
  expect(await refresh()).toEqual({ valued: 0, moved: 0 })
  expect(await refresh(sql.writer, other)).toEqual({ valued: 1, moved: 1 })
  await other.change('items', theirs, { name: 'Y' })
  await refreshing.rows('commit')
  expect(await worth(item)).toBe('90.00')
})

test('what a tick moves has one updated_at, in the list and in its detail, and a poll finds it', async () => {
  const item = await studio.add('items', falling)
  const before = (await studio.ask('list_items', 1, 1, null, null, null)).version
  const moment = new Date(await studio.updatedAt('items', item)).toISOString()
  await sql.stopClock(aMonthLater)
  await refresh()
  type Shown = { id: string; updated_at: string; current_estimated_value?: number }
  const list = await studio.ask('list_items', 1, 1, null, null, moment)
  const [listed] = parsed<Shown>(list)
  const [detail] = parsed<Shown>(await studio.ask('get_item', item))
  expect(listed?.id).toBe(item)
  expect(listed?.updated_at).toBe(detail?.updated_at)
  expect((listed?.updated_at ?? '') > moment).toBe(true)
  expect(detail?.current_estimated_value).toBe(90)
  expect(list.version).not.toBe(before)
})
