import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import { askWith, inStudio, insert, parsed, type Session, type Studio, useSql } from '../support.ts'

const sql = useSql()
let studio: Studio

beforeEach(async () => {
  await sql.startClock()
  studio = await sql.studio({ timezone: 'Europe/Berlin' })
})
afterAll(() => sql.startClock())

type Removal = { resource: string; id: string; reason: string; removed_at: string }

const removals = async (of = studio, since: string | null = null) =>
  parsed<Removal>(await of.ask('list_removals', 1, 100, since))
/** Why a record is away; none: it is not. */
const reasons = async (id: string, of = studio) =>
  (await removals(of)).filter((removal) => removal.id === id).map(({ resource, reason }) => `${resource} ${reason}`)

const filters: Record<string, unknown[]> = {
  list_items: [null, null],
  list_locations: [],
  list_maintenance: [null, null],
  list_policies: [],
}
const listed = async (operation: string, since: string | null = null, of = studio) =>
  parsed<{ id: string }>(await of.ask(operation, 1, 100, ...(filters[operation] ?? []), since)).map(({ id }) => id)

const asOwner = (text: string, values: unknown[] = []) => inStudio(sql.owner, studio, (s) => s.rows(text, values))
/** Deletes as the owner: a writer archives. */
const remove = (table: string, id: string) => asOwner(`delete from app.${table} where id = $1`, [id])

/** Runs what brings a record back, and expects its updated_at to have moved: a poll finds it. */
async function comesBack(table: string, id: string, work: () => Promise<unknown>): Promise<void> {
  const before = await studio.updatedAt(table, id)
  await work()
  expect(await studio.updatedAt(table, id)).toBeGreaterThan(before)
  expect(await reasons(id)).toEqual([])
}

describe('an item', () => {
  test('is away while it is archived, and when it is deleted', async () => {
    const id = await studio.add('items')
    expect(await reasons(id)).toEqual([])
    await studio.change('items', id, { archived_at: new Date() })
    expect(await reasons(id)).toEqual(['item archived'])
    await comesBack('items', id, () => studio.change('items', id, { archived_at: null }))
    await remove('items', id)
    expect(await reasons(id)).toEqual(['item deleted'])
  })

  test('that comes back with its id is not away any more', async () => {
    const id = await studio.add('items')
    await remove('items', id)
    await studio.add('items', { id })
    expect(await reasons(id)).toEqual([])
    expect(await listed('list_items')).toContain(id)
  })

  test('that comes back archived stays away', async () => {
    const id = await studio.add('items')
    await remove('items', id)
    await studio.add('items', { id, archived_at: new Date() })
    expect((await reasons(id)).length).toBe(1)
    await comesBack('items', id, () => studio.change('items', id, { archived_at: null }))
  })

  test('that was archived when it was recorded, or is changed while it is archived, has left nothing', async () => {
    const id = await studio.add('items', { archived_at: new Date() })
    await studio.change('items', id, { name: 'Y' })
    await studio.change('items', id, { archived_at: '2020-01-01T00:00:00Z' })
    expect(await reasons(id)).toEqual([])
  })

  test('that is archived and brought back in one transaction is not away', async () => {
    const id = await studio.add('items')
    await studio.write(async (session) => {
      await session.rows('update app.items set archived_at = now() where id = $1', [id])
      await session.rows('update app.items set archived_at = null where id = $1', [id])
    })
    expect(await reasons(id)).toEqual([])
  })

  test('is away for whoever asks next, however soon', async () => {
    const id = await studio.add('items')
    for (let n = 0; n < 100; n++) {
      await studio.change('items', id, { archived_at: new Date() })
      expect((await studio.ask('list_removals', 1, 1, null)).total, `time ${n}`).toBe('1')
      await studio.change('items', id, { archived_at: null })
    }
  })

  test('is away at once also when the clock was stepped back, and polls wait for its moment', async () => {
    const id = await studio.add('items')
    const announced = await sql.owner.value('select last_value from app.announced_moment')
    await sql.owner.rows(`select setval('app.announced_moment', $1)`, [Date.now() + 3_600_000])
    await sql.owner.rows(`insert into app.heartbeats (xid, at) values ('1', now() - interval '1 second')`)
    try {
      await studio.change('items', id, { archived_at: new Date() })
      expect(await reasons(id)).toEqual(['item archived'])
      const poll = await studio.ask('list_removals', 1, 10, new Date().toISOString())
      // What is left out now will be in a later answer: nothing may be kept of this one.
      expect(poll).toMatchObject({ status: 200, total: '0', version: null })
    } finally {
      await sql.owner.rows('delete from app.heartbeats')
      await sql.owner.rows(`select setval('app.announced_moment', $1)`, [announced])
    }
  })

  test('whose archiving is rolled back is not away', async () => {
    const id = await studio.add('items')
    await sql.writer.begin(studio)
    await sql.writer.rows('update app.items set archived_at = now() where id = $1', [id])
    await sql.writer.rows('rollback')
    expect(await reasons(id)).toEqual([])
  })

  test('has left at a moment of its own each time', async () => {
    const id = await studio.add('items')
    const moments: string[] = []
    for (let n = 0; n < 2; n++) {
      await studio.change('items', id, { archived_at: new Date() })
      moments.push((await removals())[0]?.removed_at ?? '')
      await studio.change('items', id, { archived_at: null })
    }
    expect((moments[1] ?? '') > (moments[0] ?? '')).toBe(true)
  })
})

describe('a maintenance record', () => {
  let item: string
  let record: string
  beforeEach(async () => {
    item = await studio.add('items')
    record = await studio.add('maintenance_records', { item_id: item })
  })

  test('is away when it is deleted', async () => {
    await studio.remove('maintenance_records', record)
    expect(await reasons(record)).toEqual(['maintenance deleted'])
    await studio.add('maintenance_records', { id: record, item_id: item })
    expect(await reasons(record)).toEqual([])
  })

  test('is away while its item is', async () => {
    await studio.change('items', item, { archived_at: new Date() })
    expect(await reasons(record)).toEqual(['maintenance item_archived'])
    await comesBack('maintenance_records', record, () => studio.change('items', item, { archived_at: null }))
  })

  test('is deleted with its item', async () => {
    await remove('items', item).catch(() => undefined)
    const [left] = await sql.admin.rows('select from app.maintenance_records where id = $1', [record])
    expect(await reasons(record)).toEqual(left === undefined ? ['maintenance deleted'] : [])
  })

  test('comes back when it is moved to an item that is there, and leaves when moved to one that is not', async () => {
    const archived = await studio.add('items', { archived_at: new Date() })
    await studio.change('maintenance_records', record, { item_id: archived })
    expect(await reasons(record)).toEqual(['maintenance item_archived'])
    await comesBack('maintenance_records', record, () =>
      studio.change('maintenance_records', record, { item_id: item }),
    )
  })

  test('of an archived item has left nothing when it is recorded or deleted', async () => {
    await studio.change('items', item, { archived_at: new Date() })
    const late = await studio.add('maintenance_records', { item_id: item })
    expect(await reasons(late)).toEqual([])
    await studio.remove('maintenance_records', late)
    expect(await reasons(late)).toEqual([])
  })
})

describe('a location', () => {
  const setPlan = (plan: string) =>
    sql.owner.rows(`select access.set_subscription($1, $2, 'active')`, [studio.id, plan])
  let home: string
  let room: string
  beforeEach(async () => {
    home = await sql.admin.value('select id from app.locations where studio_id = $1 and is_default', [studio.id])
    room = await studio.add('locations')
  })

  test('is away when it is deleted', async () => {
    await studio.remove('locations', room).catch(() => remove('locations', room))
    expect(await reasons(room)).toEqual(['location deleted'])
  })

  test('is away while the plan does not show it; the default one never is', async () => {
    await setPlan('pro')
    expect(await reasons(room)).toEqual(['location not_in_plan'])
    expect(await reasons(home)).toEqual([])
    expect(await listed('list_locations')).toEqual([home])
    await comesBack('locations', room, () => setPlan('studio'))
    expect((await listed('list_locations')).toSorted()).toEqual([home, room].toSorted())
  })

  test('a plan that shows as much removes nothing and moves nothing', async () => {
    await setPlan('pro')
    const before = [await removals(), await studio.updatedAt('locations', room)]
    await setPlan('pro_insure')
    await setPlan('pro')
    expect([await removals(), await studio.updatedAt('locations', room)]).toEqual(before)
    await setPlan('studio')
    const moved = await studio.updatedAt('locations', room)
    await setPlan('studio')
    expect(await studio.updatedAt('locations', room)).toBe(moved)
  })

  test('takes the place of the default one that the plan shows, and leaves it', async () => {
    await setPlan('pro')
    const makeDefault = (id: string) =>
      inStudio(sql.owner, studio, async (s) => {
        await s.rows('update app.locations set is_default = false where is_default and studio_id = $1', [studio.id])
        await s.rows('update app.locations set is_default = true where id = $1', [id])
      })
    await comesBack('locations', room, () => makeDefault(room))
    expect(await reasons(home)).toEqual(['location not_in_plan'])
    expect(await listed('list_locations')).toEqual([room])
    await comesBack('locations', home, () => makeDefault(home))
    expect(await reasons(room)).toEqual(['location not_in_plan'])
  })
})

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

describe('what is known of removals', () => {
  const since = (moment: string) => sql.owner.rows('update app.sync_state set removals_since = $1', [moment])
  afterEach(() => since('2026-01-01T00:00:00Z'))

  test('reaches back to a moment; who asks since an earlier one is answered with 410', async () => {
    await since('2026-03-03T12:00:00Z')
    const status = async (moment: string | null) => (await studio.ask('list_removals', 1, 10, moment)).status
    expect(await status('2026-03-03T11:59:59.999Z')).toBe(410)
    expect(await status('2026-03-03T12:00:00Z')).toBe(200)
    expect(await status(null)).toBe(200)
  })

  test('is purged by age: what is older is gone, the rest stays, and the moment moves', async () => {
    const other = await sql.studio()
    await sql.admin.rows('delete from app.removals')
    await sql.admin.rows(
      `insert into app.removals (studio_id, resource, id, reason, removed_at)
       select s, 'item', gen_random_uuid(), 'deleted', now() - days * interval '1 day'
       from unnest(array[$1, $2]::uuid[]) as s, unnest(array[1, 89, 91, 200]) as days`,
      [studio.id, other.id],
    )
    await since('2020-01-01T00:00:00Z')
    const versions = [await studio.dataVersion(), await other.dataVersion()]
    expect(Number(await sql.writer.value('select access.purge_removals(90)'))).toBe(4)
    expect([(await removals()).length, (await removals(other)).length]).toEqual([2, 2])
    expect(await studio.dataVersion()).toBeGreaterThan(versions[0] ?? 0)
    expect(await other.dataVersion()).toBeGreaterThan(versions[1] ?? 0)
    const day = 86_400_000
    const status = async (ago: number) =>
      (await studio.ask('list_removals', 1, 10, new Date(Date.now() - ago).toISOString())).status
    expect([await status(90 * day + 60_000), await status(90 * day - 60_000)]).toEqual([410, 200])

    const settled = await studio.dataVersion()
    expect(Number(await sql.writer.value('select access.purge_removals(90)'))).toBe(0)
    expect(await studio.dataVersion()).toBe(settled)
    // More days do not bring back what is gone.
    await sql.writer.rows('select access.purge_removals(365)')
    expect(await status(90 * day + 60_000)).toBe(410)
  })

  test('is purged by one process at a time, and by the writer alone', async () => {
    const [one, two] = [await sql.connect('studio_writer'), await sql.connect('studio_writer')]
    await one.rows('begin')
    await one.rows('select access.purge_removals(90)')
    await two.rows(`set statement_timeout = '1s'`)
    expect(Number(await two.value('select access.purge_removals(90)'))).toBe(0)
    await one.rows('rollback')
    for (const session of [sql.api, await sql.connect('studio_recorder')]) {
      await expect(session.rows('select access.purge_removals(90)')).rejects.toMatchObject({ code: '42501' })
    }
  })
})

test('a studio sees its own removals and no other’s, and nobody of the service writes them', async () => {
  const other = await sql.studio()
  const id = await studio.add('items')
  await studio.change('items', id, { archived_at: new Date() })
  expect(await reasons(id)).toEqual(['item archived'])
  expect(await removals(other)).toEqual([])
  for (const session of [sql.api, sql.writer] as Session[]) {
    await expect(
      inStudio(session, other, (s) => s.rows('delete from app.removals where id = $1', [id])),
    ).rejects.toMatchObject({ code: expect.stringMatching(/42501|25006/) })
  }
  // The same id in another studio is another record.
  await other.add('items', { id }).catch(() => undefined)
  expect(await reasons(id)).toEqual(['item archived'])
})

test('the answer is the newest first, ties by id, with has_more and the key of its last row', async () => {
  await sql.admin.rows(
    `insert into app.removals (studio_id, resource, id, reason, removed_at)
     select $1, 'item', gen_random_uuid(), 'deleted', timestamptz '2026-05-05T12:00:00Z' + n / 3 * interval '1 ms'
     from generate_series(1, 10) as n`,
    [studio.id],
  )
  const all = await removals()
  expect(all).toEqual(all.toSorted((a, b) => b.removed_at.localeCompare(a.removed_at) || b.id.localeCompare(a.id)))
  const found: string[] = []
  let [at, after] = [null as string | null, null as string | null]
  for (let page = 1; page <= 4; page++) {
    const answer = await askWith(sql.api, 'list_removals', studio.digest, page, 3, null, null, null, null, at, after)
    found.push(...parsed<Removal>(answer).map(({ id }) => id))
    expect([answer.has_more, answer.total]).toEqual([page < 4, '10'])
    at = answer.last_at
    after = answer.last_id
  }
  expect(found).toEqual(all.map(({ id }) => id))
})

test('an import that archives a thousand items notes a thousand removals', async () => {
  await studio.write((s) =>
    s.rows(`insert into app.items (studio_id, name) select $1, 'x' from generate_series(1, 1000)`, [studio.id]),
  )
  await studio.write((s) => s.rows('update app.items set archived_at = now()'))
  expect((await studio.ask('list_removals', 1, 1, null)).total).toBe('1000')
  await studio.write((s) => insert(s, studio.id, 'items', {}))
  await studio.write((s) => s.rows('update app.items set archived_at = null'))
  expect((await studio.ask('list_removals', 1, 1, null)).total).toBe('0')
})
