import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Columns, inStudio, parsed, type Studio, useSql } from '../support.ts'

const sql = useSql()
let studio: Studio
beforeEach(async () => {
  await sql.startClock()
  studio = await sql.studio({ timezone: 'Europe/Berlin' })
})
afterAll(() => sql.startClock())
type Removal = { resource: string; id: string; reason: string; removed_at: string }
const removals = async () => parsed<Removal>(await studio.ask('list_removals', 1, 100, null))
const reasons = async (id: string) =>
  (await removals()).filter((removal) => removal.id === id).map(({ resource, reason }) => `${resource} ${reason}`)
const idsOf = async (...asked: [operation: string, ...values: unknown[]]) =>
  parsed<{ id: string }>(await studio.ask(...asked)).map(({ id }) => id)
const locations = () => idsOf('list_locations', 1, 100, null)
const policies = (since: string | null = null) => idsOf('list_policies', 1, 100, since)
/** The owner deletes, because a writer can only archive. */
const remove = (table: string, id: string) =>
  inStudio(sql.owner, studio, (s) => s.rows(`delete from app.${table} where id = $1`, [id]))
const since = (moment: string) => sql.owner.rows('update app.sync_state set removals_since = $1', [moment])

/** Brings a record back, and expects a later updated_at, so that a poll finds it. */
async function comesBack(table: string, id: string, work: () => Promise<unknown>): Promise<void> {
  const before = await studio.updatedAt(table, id)
  await work()
  expect(await studio.updatedAt(table, id)).toBeGreaterThan(before)
  expect(await reasons(id)).toEqual([])
}

test('an item leaves its list when archived or deleted, and can come back', async () => {
  const id = await studio.add('items')
  await studio.change('items', id, { archived_at: new Date() })
  expect(await reasons(id)).toEqual(['item archived'])
  await comesBack('items', id, () => studio.change('items', id, { archived_at: null }))
  await remove('items', id)
  expect(await reasons(id)).toEqual(['item deleted'])
  await studio.add('items', { id })
  expect(await reasons(id)).toEqual([])
})

test('an item recorded as archived has never been in the list', async () => {
  const item = await studio.add('items', { archived_at: new Date() })
  await studio.change('items', item, { archived_at: '2020-01-01T00:00:00Z' })
  const record = await studio.add('maintenance_records', { item_id: item })
  await studio.remove('maintenance_records', record)
  expect(await removals()).toEqual([])
})

test('a maintenance record leaves with its item, by a move to an archived item, or by deletion', async () => {
  const item = await studio.add('items')
  const record = await studio.add('maintenance_records', { item_id: item })
  const change = (table: string, id: string, columns: Columns) => () => studio.change(table, id, columns)
  await studio.change('items', item, { archived_at: new Date() })
  expect(await reasons(record)).toEqual(['maintenance item_archived'])
  await comesBack('maintenance_records', record, change('items', item, { archived_at: null }))
  const archived = await studio.add('items', { archived_at: new Date() })
  await studio.change('maintenance_records', record, { item_id: archived })
  expect(await reasons(record)).toEqual(['maintenance item_archived'])
  await comesBack('maintenance_records', record, change('maintenance_records', record, { item_id: item }))
  await studio.remove('maintenance_records', record)
  expect(await reasons(record)).toEqual(['maintenance deleted'])
})

test('a location leaves when the plan hides it or it is deleted; the default location stays', async () => {
  const setPlan = (plan: string) =>
    sql.owner.rows(`select access.set_subscription($1, $2, 'active')`, [studio.id, plan])
  const home = await sql.admin.value('select id from app.locations where studio_id = $1 and is_default', [studio.id])
  const room = await studio.add('locations')
  await setPlan('pro')
  expect([await reasons(room), await reasons(home)]).toEqual([['location not_in_plan'], []])
  expect(await locations()).toEqual([home])
  const makeDefault = (id: string) =>
    inStudio(sql.owner, studio, async (s) => {
      await s.rows('update app.locations set is_default = false where is_default and studio_id = $1', [studio.id])
      await s.rows('update app.locations set is_default = true where id = $1', [id])
    })
  await comesBack('locations', room, () => makeDefault(room))
  expect(await reasons(home)).toEqual(['location not_in_plan'])
  await comesBack('locations', home, () => makeDefault(home))
  await comesBack('locations', room, () => setPlan('studio'))
  expect((await locations()).toSorted()).toEqual([home, room].toSorted())
  await studio.remove('locations', room)
  expect(await reasons(room)).toEqual(['location deleted'])
})

describe('a policy', () => {
  const active = { effective_start: '2026-01-01' }
  const noon = '2026-05-05T10:00:00Z' // in Berlin
  beforeEach(() => sql.stopClock(noon))
  const away = async (id: string, at = '2100-01-01T00:00:00Z') => {
    await sql.stopClock(at)
    const found = await reasons(id)
    await sql.stopClock(noon)
    return found.map((reason) => reason.replace('policy ', ''))
  }

  test('leaves when it is deleted, active or not, and when it is archived before its end', async () => {
    for (const columns of [active, { effective_start: '2999-01-01' }, { ...active, effective_end: '2026-06-30' }]) {
      const id = await studio.add('policies', columns)
      await remove('policies', id)
      expect(await away(id)).toEqual(['deleted'])
    }
    const archived = await studio.add('policies', { ...active, effective_end: '2026-05-05' })
    await studio.change('policies', archived, { archived_at: new Date() })
    expect(await away(archived)).toEqual(['archived'])
  })

  test('leaves after its last day on the studio’s calendar: at midnight in Berlin', async () => {
    const id = await studio.add('policies', { ...active, effective_end: '2026-05-05' })
    await sql.stopClock('2026-05-05T21:59:59.999Z')
    expect([await reasons(id), await policies()]).toEqual([[], [id]])
    await sql.stopClock('2026-05-05T22:00:00Z')
    expect(await policies()).toEqual([])
    const expired = { resource: 'policy', id, reason: 'expired', removed_at: '2026-05-05T22:00:00.000Z' }
    expect(await removals()).toEqual([expired])
  })

  test('comes back when it is prolonged before or after its end', async () => {
    const id = await studio.add('policies', { ...active, effective_end: '2026-05-05' })
    await studio.change('policies', id, { effective_end: '2026-05-06' })
    expect(await away(id, '2026-05-06T21:59:59Z')).toEqual([])
    expect(await away(id, '2026-05-06T22:00:00Z')).toEqual(['expired'])
    await sql.stopClock('2026-05-07T12:00:00Z')
    await studio.change('policies', id, { effective_end: null })
    expect(await reasons(id)).toEqual([])
    expect(await policies()).toEqual([id])
  })

  test('appears at the midnight of its first day, whenever it was recorded', async () => {
    const id = await studio.add('policies', { effective_start: '2090-01-01' })
    await sql.stopClock('2089-12-31T22:59:59.999Z')
    expect(await policies()).toEqual([])
    await sql.stopClock('2089-12-31T23:00:00Z')
    expect(await policies('2089-12-31T23:00:00Z')).toEqual([id])
    expect(await policies('2089-12-31T23:00:00.001Z')).toEqual([])
    await studio.change('policies', id, { effective_start: '2095-01-01' })
    expect(await reasons(id)).toEqual(['policy not_started'])
  })
})

test('ending a policy and changing the time zone do not deadlock', async () => {
  const id = await studio.add('policies', { effective_start: '2020-01-01' })
  const [ending, moving] = [await sql.connect('studio_writer'), await sql.connect('studio_owner')]
  // The change locks the studio, then the policies; the writer comes in between.
  await moving.rows('begin')
  await moving.rows(`update app.studios set name = name || ' ' where id = $1`, [studio.id])
  await ending.begin(studio)
  const ended = ending.rows(`update app.policies set effective_end = '2020-12-31' where id = $1`, [id])
  await sql.blocked(ending)
  await moving.rows(`update app.studios set timezone = 'Asia/Tokyo' where id = $1`, [studio.id])
  await moving.rows('commit')
  await ended
  await ending.rows('commit')
  expect(await reasons(id)).toEqual(['policy expired'])
})

describe('the log of removals', () => {
  afterEach(() => since('2026-01-01T00:00:00Z'))
  const status = async (moment: string | null) => (await studio.ask('list_removals', 1, 10, moment)).status
  /** How many it purged in each part. */
  const purge = async (days: number, atMost = 10_000) => {
    const parts: number[] = []
    for (let after: string | null | undefined; after !== null; ) {
      const text = 'select purged::int, after_studio as after from access.purge_removals($1, $2, $3)'
      const part = await sql.writer.row<{ purged: number; after: string | null }>(text, [days, after, atMost])
      parts.push(part.purged)
      after = part.after
    }
    return parts
  }

  test('reaches back to a moment; an earlier updated_since gets 410', async () => {
    await since('2026-03-03T12:00:00Z')
    const asked = ['2026-03-03T11:59:59.999Z', '2026-03-03T12:00:00Z', null]
    expect(await Array.fromAsync(asked, status)).toEqual([410, 200, 200])
  })

  test('is purged by age in every studio, and its first moment moves', async () => {
    const other = await sql.studio()
    await sql.admin.rows('delete from app.removals')
    await sql.admin.rows(
      `insert into app.removals (studio_id, resource, id, reason, removed_at)
       select s, 'item', gen_random_uuid(), 'deleted', now() - days * interval '1 day'
       from unnest(array[$1, $2]::uuid[]) as s, unnest(array[1, 89, 91, 200]) as days`,
      [studio.id, other.id],
    )
    await since('2020-01-01T00:00:00Z')
    const version = await studio.dataVersion()
    expect(await purge(90)).toEqual([4])
    expect(await removals()).toHaveLength(2)
    const settled = await studio.dataVersion()
    expect(settled).toBeGreaterThan(version)
    const daysAgo = (days: number, ms: number) => status(new Date(Date.now() - days * 86_400_000 + ms).toISOString())
    expect([await daysAgo(90, -60_000), await daysAgo(90, 60_000)]).toEqual([410, 200])
    expect(await purge(90)).toEqual([0])
    expect(await studio.dataVersion()).toBe(settled)
    await purge(365)
    expect(await daysAgo(90, -60_000)).toBe(410)
  })

  test('is purged a few rows at a time, each studio after the one before', async () => {
    await sql.studio()
    await sql.admin.rows('delete from app.removals')
    await sql.admin.rows(
      `insert into app.removals (studio_id, resource, id, reason, removed_at)
       select s.id, 'item', gen_random_uuid(), 'deleted', now() - interval '100 days' from app.studios s, generate_series(1, 5)`,
    )
    const [{ studios = 0 } = {}] = await sql.admin.rows<{ studios: number }>(
      'select count(*)::int as studios from app.studios',
    )
    const parts = await purge(90, 3)
    expect(Math.max(...parts)).toBe(3)
    expect(parts.reduce((sum, part) => sum + part, 0)).toBe(5 * studios)
    expect(await sql.admin.value<number>('select count(*)::int from app.removals')).toBe(0)
  })

  test('is purged in parts, without waiting for records that come back', async () => {
    const items = [await studio.add('items'), await studio.add('items')]
    await studio.write((s) => s.rows('update app.items set archived_at = now()'))
    await sql.admin.rows('delete from app.removals where studio_id <> $1', [studio.id])
    await sql.admin.rows(`update app.removals set removed_at = now() - interval '100 days'`)
    const bringing = await sql.connect('studio_writer')
    await bringing.begin(studio)
    await bringing.rows('update app.items set archived_at = null where id = $1', [items[0]])
    await sql.writer.rows(`set lock_timeout = '1s'`)
    expect([await purge(90, 4), await purge(90, 4)]).toEqual([[1], [0]])
    await bringing.rows('rollback')
    expect((await removals()).map(({ id }) => id)).toEqual([items[0]])
    await sql.writer.rows('reset lock_timeout')
  })
})
