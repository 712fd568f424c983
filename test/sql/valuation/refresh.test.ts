import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { expectConsistent } from '../invariants.ts'
import { inStudio, type Studio, useSql } from '../support.ts'
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

const worthOf = async (id: string) => (await studio.valuation(id))?.current_estimated_value

describe('month by month', () => {
  test('exactly the items that are due move, once, until there is nothing more to lose', async () => {
    const item = await studio.add('items', falling)
    const steady = await studio.add('items', { purchase_price: 100 })
    const archived = await studio.add('items', { ...falling, archived_at: '2025-01-31T00:00:00Z' })
    const values: (string | null | undefined)[] = []
    for (let month = 1; month <= 14; month++) {
      await sql.stopClock(`${iso(monthsLater({ year: 2025, month: 1, day: 31 }, month))}T00:00:00Z`)
      const before = [await studio.updatedAt('items', item), await studio.updatedAt('items', steady)]
      const version = await studio.dataVersion()
      expect(await refresh(), `month ${month}`).toBe(month <= 10 ? 2 : 0)
      expect(await refresh(), `month ${month}, again`).toBe(0)
      expect((await studio.updatedAt('items', item)) > (before[0] ?? 0)).toBe(month <= 10)
      expect(await studio.updatedAt('items', steady)).toBe(before[1])
      expect((await studio.dataVersion()) > version).toBe(month <= 10)
      await expectConsistent(sql, studio)
      values.push(await worthOf(item))
    }
    expect(values).toEqual([
      ...['90.00', '80.00', '70.00', '60.00', '50.00', '40.00', '30.00', '20.00', '10.00', '0.00'],
      ...['0.00', '0.00', '0.00', '0.00'],
    ])
    expect(await worthOf(archived)).toBe('0.00')
  })

  test('a day before the month is full nothing moves', async () => {
    const item = await studio.add('items', falling)
    await sql.stopClock('2025-02-27T23:59:59.999Z')
    expect(await refresh()).toBe(0)
    await sql.stopClock('2025-02-28T00:00:00Z')
    expect(await refresh()).toBe(1)
    expect(await worthOf(item)).toBe('90.00')
  })

  test('months that were missed are made up for at once', async () => {
    const item = await studio.add('items', falling)
    await sql.stopClock('2025-08-15T00:00:00Z')
    expect(await refresh()).toBe(1)
    expect(await worthOf(item)).toBe('40.00')
  })

  test('a month whose loss is below a cent moves nothing, and the next that shows is not missed', async () => {
    const item = await studio.add('items', { ...falling, purchase_price: '0.03', useful_life_months: 30 })
    const moved: number[] = []
    for (let month = 1; month <= 30; month++) {
      await sql.stopClock(`${iso(monthsLater({ year: 2025, month: 1, day: 31 }, month))}T00:00:00Z`)
      const before = await studio.updatedAt('items', item)
      moved.push(await refresh())
      expect((await studio.updatedAt('items', item)) > before).toBe(moved.at(-1) === 1)
      await expectConsistent(sql, studio)
    }
    expect(moved.reduce((sum, n) => sum + n)).toBe(3)
    expect(await worthOf(item)).toBe('0.00')
  })

  test('an item moves into another coverage state, in its list and its counters', async () => {
    const item = await studio.add('items', { ...falling, reported_insured_value: 75 })
    const states: (string | undefined)[] = []
    for (const day of ['2025-01-31', '2025-03-30', '2025-03-31', '2025-04-30']) {
      await sql.stopClock(`${day}T00:00:00Z`)
      await refresh()
      states.push((await studio.valuation(item))?.coverage_state)
      const { total } = await studio.ask('list_items', 1, 50, null, states.at(-1), null)
      expect(total).toBe('1')
    }
    expect(states).toEqual(['under_covered', 'under_covered', 'under_covered', 'fully_covered'])
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
    const before = await studio.updatedAt('items', item)
    await refresh(sql.owner, true)
    expect(await worthOf(item)).toBe('80.00')
    expect(await studio.updatedAt('items', item)).toBeGreaterThan(before)
    expect(await refresh(sql.owner, true)).toBe(0)
    await expectConsistent(sql, studio)
  })
})

describe('who refreshes', () => {
  test('studio_writer may, in no studio’s session, and every studio is refreshed', async () => {
    const other = await sql.studio()
    await studio.add('items', falling)
    await other.add('items', falling)
    await sql.stopClock('2025-02-28T00:00:00Z')
    expect(await refresh(sql.writer)).toBe(2)
  })
})
