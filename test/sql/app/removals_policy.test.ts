import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Studio, useSql } from '../support.ts'
import { removalsOf } from './removals.ts'

const sql = useSql()
let studio: Studio
const { removals, reasons, listed, remove } = removalsOf(sql, () => studio)

beforeEach(async () => {
  await sql.startClock()
  studio = await sql.studio({ timezone: 'Europe/Berlin' })
})
afterAll(() => sql.startClock())

describe('a policy', () => {
  const noon = '2026-05-05T10:00:00Z' // in Berlin
  beforeEach(() => sql.stopClock(noon))
  afterEach(() => sql.startClock())

  const active = { effective_start: '2026-01-01' }
  /** The clock stands still, so that moments are compared with it: what leaves now does so at the real one. */
  const away = async (id: string, at?: string) => {
    await sql.stopClock(at ?? '2100-01-01T00:00:00Z')
    try {
      return (await reasons(id)).map((reason) => reason.replace('policy ', ''))
    } finally {
      await sql.stopClock(noon)
    }
  }

  test('is away while it is archived', async () => {
    const id = await studio.add('policies', active)
    await studio.change('policies', id, { archived_at: new Date() })
    expect(await away(id)).toEqual(['archived'])
    const before = await studio.updatedAt('policies', id)
    await studio.change('policies', id, { archived_at: null })
    expect(await away(id)).toEqual([])
    expect(await studio.updatedAt('policies', id)).toBeGreaterThan(before)
    expect(await listed('list_policies')).toContain(id)
  })

  test('is away when it is deleted, active or not', async () => {
    const ids = [
      await studio.add('policies', active),
      await studio.add('policies', { effective_start: '2999-01-01' }),
      await studio.add('policies', { ...active, effective_end: '2026-06-30' }),
    ]
    for (const id of ids) {
      await remove('policies', id)
      expect(await away(id)).toEqual(['deleted'])
    }
  })

  test('ends with its last day on the studio’s calendar: midnight in Berlin', async () => {
    const id = await studio.add('policies', { ...active, effective_end: '2026-05-05' })
    for (const [moment, expected, shown] of [
      ['2026-05-05T21:59:59.999Z', [], [id]],
      ['2026-05-05T22:00:00Z', ['expired'], []],
    ] as const) {
      expect(await away(id, moment)).toEqual(expected)
      await sql.stopClock(moment)
      expect(await listed('list_policies')).toEqual(shown)
    }
    const [removal] = await removals()
    expect(removal).toEqual({ resource: 'policy', id, reason: 'expired', removed_at: '2026-05-05T22:00:00.000Z' })
  })

  test('that is prolonged before or after its end is back', async () => {
    const id = await studio.add('policies', { ...active, effective_end: '2026-05-05' })
    await studio.change('policies', id, { effective_end: '2026-05-06' })
    expect(await away(id, '2026-05-06T21:59:59Z')).toEqual([])
    expect(await away(id, '2026-05-06T22:00:00Z')).toEqual(['expired'])
    await sql.stopClock('2026-05-07T12:00:00Z')
    await studio.change('policies', id, { effective_end: null })
    expect(await reasons(id)).toEqual([])
    expect(await away(id)).toEqual([])
    await sql.stopClock('2026-05-07T12:00:00Z')
    expect(await listed('list_policies')).toEqual([id])
  })

  test('that is ended in the past leaves now', async () => {
    const id = await studio.add('policies', active)
    const before = new Date().toISOString()
    await studio.change('policies', id, { effective_end: '2026-05-04' })
    expect(await away(id)).toEqual(['expired'])
    await sql.stopClock('2100-01-01T00:00:00Z')
    expect((await removals())[0]?.removed_at.localeCompare(before)).toBeGreaterThanOrEqual(0)
  })

  test('whose start is moved away is away until it begins; then a poll finds it', async () => {
    const id = await studio.add('policies', active)
    await studio.change('policies', id, { effective_start: '2026-12-24' })
    expect(await away(id, '2026-12-23T22:59:59.999Z')).toEqual(
      Date.now() < Date.parse('2026-12-23T22:59:59Z') ? ['not_started'] : [],
    )
    await sql.stopClock('2026-12-23T23:00:00Z')
    expect(await reasons(id)).toEqual([])
    expect(await listed('list_policies', '2026-12-23T23:00:00Z')).toEqual([id])
    expect(await listed('list_policies', '2026-12-23T23:00:00.001Z')).toEqual(
      (await studio.updatedAt('policies', id)) > Date.parse('2026-12-23T23:00:00.001Z') ? [id] : [],
    )
  })

  test('that is recorded before it begins shows since the midnight on which it does, whenever it was recorded', async () => {
    const id = await studio.add('policies', { effective_start: '2090-01-01' })
    await sql.stopClock('2089-12-31T22:59:59.999Z')
    expect(await listed('list_policies', '2026-01-01')).toEqual([])
    expect(await reasons(id)).toEqual([])
    await sql.stopClock('2089-12-31T23:00:00Z')
    expect(await listed('list_policies', '2089-12-31T23:00:00Z')).toEqual([id])
    expect(await listed('list_policies', '2089-12-31T23:00:00.001Z')).toEqual([])
    expect(await reasons(id)).toEqual([])
  })

  test('the midnight of another time zone counts from when the studio is there', async () => {
    const ending = await studio.add('policies', { ...active, effective_end: '2026-05-05' })
    const before = await studio.updatedAt('policies', ending)
    await sql.owner.rows(`update app.studios set timezone = 'Pacific/Kiritimati' where id = $1`, [studio.id])
    // At noon in Berlin it is past midnight there.
    expect(await away(ending)).toEqual(['expired'])
    expect(await listed('list_policies')).toEqual([])
    await sql.owner.rows(`update app.studios set timezone = 'Pacific/Pago_Pago' where id = $1`, [studio.id])
    expect(await listed('list_policies')).toEqual([ending])
    expect(await studio.updatedAt('policies', ending)).toBeGreaterThan(before)
    expect(await away(ending, '2026-05-06T10:59:59Z')).toEqual([])
    expect(await away(ending, '2026-05-06T11:00:00Z')).toEqual(['expired'])
  })

  test('what its list does not depend on leaves its removals as they are', async () => {
    const id = await studio.add('policies', { ...active, effective_end: '2026-05-05' })
    const rows = () => sql.admin.rows('select * from app.removals where id = $1', [id])
    const before = await rows()
    await studio.change('policies', id, { name: 'Y', carrier: 'Z' })
    expect(await rows()).toEqual(before)
  })

  test('that is archived while it is open over midnight leaves by archiving and not by its date', async () => {
    const id = await studio.add('policies', { ...active, effective_end: '2026-05-05' })
    await studio.change('policies', id, { archived_at: new Date() })
    expect(await away(id)).toEqual(['archived'])
  })
})

test('a writer whose transaction is open over midnight notes what its end finds', async () => {
  // Its snapshot and its now() are of the day before; the clock is past midnight when it writes.
  await sql.owner.rows(`create or replace function access.clock() returns timestamptz language sql stable security invoker
    return timestamptz '2026-05-05T21:59:59.900Z' + (pg_catalog.now() - timestamptz '${await sql.admin.value('select now()')}')`)
  const id = await studio.add('policies', { effective_start: '2026-01-01' })
  await sql.writer.begin(studio)
  await sql.writer.rows('select now()')
  await new Promise((resolve) => setTimeout(resolve, 300))
  await sql.writer.rows(`update app.policies set effective_end = '2026-05-05' where id = $1`, [id])
  await sql.writer.rows('commit')
  const removed = await sql.admin.row<{ reason: string; at_midnight: boolean }>(
    `select reason, removed_at = '2026-05-05T22:00:00Z' as at_midnight from app.removals where id = $1`,
    [id],
  )
  // Now, and not at the midnight that a poll may have passed already.
  expect(removed).toEqual({ reason: 'expired', at_midnight: false })
  await sql.startClock()
})
