import { beforeEach, describe, expect, test } from 'vitest'
import { inStudio, parsed, type Studio, useSql } from '../support.ts'

const sql = useSql()
let studio: Studio
let item: string

beforeEach(async () => {
  studio = await sql.studio()
  item = await studio.add('items', { name: 'Tape machine' })
})

const listed = async (...filters: unknown[]) => {
  const [itemId = null, status = null, since = null] = filters
  const answer = await studio.ask('list_maintenance', 1, 100, itemId, status, since)
  const records = parsed<{ id: string; item_name: string }>(answer)
  expect(answer.total).toBe(String(records.length))
  return records
}

describe('completed_date', () => {
  const cases: [status: string, completed_date: string | null, allowed: boolean][] = [
    ['completed', '2026-02-28', true],
    ['scheduled', null, true],
    ['completed', null, false],
    ['scheduled', '2026-02-28', false],
  ]

  test.each(cases)('of a record that is %s may be %s: %s', async (status, completed_date, allowed) => {
    const adding = studio.add('maintenance_records', { item_id: item, status, completed_date })
    if (allowed) expect(await studio.get('maintenance_records', await adding)).toMatchObject({ status, completed_date })
    else await expect(adding).rejects.toMatchObject({ constraint: 'completed_date_exactly_when_completed' })
  })

  test('is set by the very update that completes the record', async () => {
    const id = await studio.add('maintenance_records', { item_id: item })
    await expect(studio.change('maintenance_records', id, { status: 'completed' })).rejects.toMatchObject({
      constraint: 'completed_date_exactly_when_completed',
    })
    await studio.change('maintenance_records', id, { status: 'completed', completed_date: '2026-03-01' })
    await expect(studio.change('maintenance_records', id, { completed_date: null })).rejects.toMatchObject({
      constraint: 'completed_date_exactly_when_completed',
    })
  })
})

test.each([
  ['status', 'done'],
  ['status', 'Completed'],
  ['maintenance_type', 'service'],
  ['title', ''],
  ['scheduled_date', 'infinity'],
  ['scheduled_date', '10000-01-01'],
])('%s may not be %j', async (column, value) => {
  await expect(studio.add('maintenance_records', { item_id: item, [column]: value })).rejects.toMatchObject({
    code: '23514',
  })
})

describe('the name of the item', () => {
  test('is right although the item is renamed while the record is being written', async () => {
    const [renaming, recording] = [await sql.connect('studio_writer'), await sql.connect('studio_writer')]
    await renaming.begin(studio)
    await renaming.rows(`update app.items set name = 'Renamed', archived_at = now() where id = $1`, [item])
    const record = inStudio(recording, studio, (session) =>
      session.value(
        `insert into app.maintenance_records (studio_id, item_id, title) values ($1, $2, 'x') returning id`,
        [studio.id, item],
      ),
    )
    await Promise.race([record, new Promise((resolve) => setTimeout(resolve, 200))])
    await renaming.rows('commit')
    expect(await studio.get('maintenance_records', await record)).toMatchObject({
      item_name: 'Renamed',
      item_archived: true,
    })
  })
})

describe('records of an archived item', () => {
  test('move their updated_at both times, so that a poller hears of their return', async () => {
    const id = await studio.add('maintenance_records', { item_id: item })
    const before = await studio.updatedAt('maintenance_records', id)
    await studio.change('items', item, { archived_at: '2026-05-06T07:08:09Z' })
    const archived = await studio.updatedAt('maintenance_records', id)
    expect(archived).toBeGreaterThan(before)
    await studio.change('items', item, { archived_at: null })
    expect(await studio.updatedAt('maintenance_records', id)).toBeGreaterThan(archived)
  })

  test('are hidden as well when they are written later', async () => {
    await studio.change('items', item, { archived_at: '2026-05-06T07:08:09Z' })
    const id = await studio.add('maintenance_records', { item_id: item })
    expect(await listed()).toEqual([])
    const live = await studio.add('items')
    await studio.change('maintenance_records', id, { item_id: live })
    expect(await listed()).toMatchObject([{ id }])
  })
})
