import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { inStudio, type Studio, useSql } from '../support.ts'
import { removalsOf } from './removals.ts'

const sql = useSql()
let studio: Studio
const { removals, reasons, listed, remove, comesBack } = removalsOf(sql, () => studio)

beforeEach(async () => {
  await sql.startClock()
  studio = await sql.studio({ timezone: 'Europe/Berlin' })
})
afterAll(() => sql.startClock())

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

  test('that was archived when it was recorded, or is changed while it is archived, has left nothing', async () => {
    const id = await studio.add('items', { archived_at: new Date() })
    await studio.change('items', id, { name: 'Y' })
    await studio.change('items', id, { archived_at: '2020-01-01T00:00:00Z' })
    expect(await reasons(id)).toEqual([])
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
