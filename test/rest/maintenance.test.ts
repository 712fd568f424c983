import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import type { z } from 'zod'
import type { maintenanceRecord } from '../../src/api/maintenance.ts'
import type { problem } from '../../src/apps/docs/openapi/problem.ts'
import { type List, newestFirst, useWorld } from '../support/world.ts'

type Maintenance = z.infer<typeof maintenanceRecord>
type Problem = z.infer<typeof problem>

const world = useWorld()
const find = (filters: Record<string, string> = {}) =>
  world.read<List<Maintenance>>(`/v1/maintenance?${new URLSearchParams({ per_page: '100', ...filters })}`)
const ids = ({ data }: List<Maintenance>) => data.map(({ id }) => id)

test('scheduled and completed maintenance is shown as it was recorded', async () => {
  const { items, maintenance } = world.cast.a
  const { data } = await find()
  expect(data.find(({ id }) => id === maintenance.due)).toEqual({
    id: maintenance.due,
    item_id: items.microphone,
    item_name: 'Large microphone',
    title: 'Check the capsule',
    maintenance_type: 'inspection',
    status: 'scheduled',
    scheduled_date: '2027-04-01',
    completed_date: null,
    cost: null,
    vendor: 'Workshop',
    description: 'Every other year',
    created_at: expect.any(String),
    updated_at: expect.any(String),
  })
  expect(data.find(({ id }) => id === maintenance.done)).toMatchObject({
    item_name: 'Console',
    status: 'completed',
    scheduled_date: '2025-03-01',
    completed_date: '2025-03-09',
    cost: 480.75,
    vendor: null,
    description: null,
  })
})

test('records of archived items are left out, until the item is restored', async () => {
  const item_id = await world.add('items', { name: 'Coming and going' })
  const record = await world.add('maintenance_records', { item_id, title: 'Clean' })
  expect(ids(await find())).toContain(record)
  expect(ids(await find())).not.toContain(world.cast.a.maintenance.ofArchived)
  await world.change('items', item_id, { archived_at: '2026-01-01T00:00:00Z' })
  expect(ids(await find())).not.toContain(record)
  expect((await find({ item_id })).meta.total).toBe(0)
  await world.change('items', item_id, { archived_at: null })
  expect(ids(await find())).toContain(record)
})

test('item_id finds the records of that item alone', async () => {
  const { items, maintenance } = world.cast.a
  const found = await find({ item_id: items.microphone })
  expect(ids(found)).toEqual([maintenance.due])
  expect(found.meta.total).toBe(1)
  expect(ids(await find({ item_id: items.microphone.toUpperCase() }))).toEqual([maintenance.due])
})

test('an item_id that is unknown, foreign, archived or without records finds nothing: 200', async () => {
  const { a, b } = world.cast
  for (const item_id of [randomUUID(), b.items.microphone, a.items.archived, a.items.guitar]) {
    const { data, meta } = await find({ item_id })
    expect(data).toEqual([])
    expect(meta).toMatchObject({ total: 0, next_page: null })
  }
})

test.each(['', 'x', '{id}', '00000000000000000000000000000000', ' ', 'null'])(
  'a malformed item_id is refused: "%s"',
  async (item_id) => {
    const reply = await world.get<Problem>(`/v1/maintenance?${new URLSearchParams({ item_id })}`)
    expect(reply.status).toBe(400)
    expect(reply.json.errors).toMatchObject([{ parameter: 'item_id', code: 'not_a_uuid' }])
  },
)

test('status finds the scheduled or the completed records', async () => {
  const all = await find()
  for (const status of ['scheduled', 'completed']) {
    const found = await find({ status })
    const expected = all.data.filter((record) => record.status === status)
    expect(expected.length).toBeGreaterThan(0)
    expect(found.data).toEqual(expected)
    expect(found.meta.total).toBe(expected.length)
  }
})

test.each(['', 'done', 'Scheduled', 'scheduled ', '*', 'null'])(
  'a status that is neither is refused: "%s"',
  async (status) => {
    const reply = await world.get<Problem>(`/v1/maintenance?${new URLSearchParams({ status })}`)
    expect(reply.status).toBe(400)
    expect(reply.json.errors).toMatchObject([
      { parameter: 'status', code: 'not_allowed', allowed: ['scheduled', 'completed'] },
    ])
  },
)

test('filters are combined: every one of them must match', async () => {
  const item_id = await world.add('items', { name: 'Serviced' })
  const scheduled = await world.add('maintenance_records', { item_id, title: 'Next' })
  const done = { item_id, title: 'Last', status: 'completed', completed_date: '2026-01-01' }
  const completed = await world.add('maintenance_records', done)
  expect(ids(await find({ item_id, status: 'scheduled' }))).toEqual([scheduled])
  expect(ids(await find({ item_id, status: 'completed' }))).toEqual([completed])
  const [newest] = (await find({ item_id })).data
  expect(ids(await find({ item_id, updated_since: newest?.updated_at ?? '' }))).toContain(newest?.id)
  expect((await find({ item_id, status: 'scheduled', updated_since: '2100-01-01' })).meta.total).toBe(0)
  expect(ids(await find({ status: 'completed', updated_since: '2020-01-01' }))).toContain(completed)
  expect(ids(await find({ status: 'completed', updated_since: '2020-01-01' }))).not.toContain(scheduled)
})

test('the newest updated record comes first, ties by id descending', async () => {
  const item_id = world.cast.a.items.guitar
  const tied = await Promise.all(
    [1, 2, 3].map((number) => world.add('maintenance_records', { item_id, title: `Tied ${number}` })),
  )
  await world.setUpdatedAt('maintenance_records', Object.fromEntries(tied.map((id) => [id, '2025-06-01T12:00:00Z'])))
  await world.change('maintenance_records', world.cast.a.maintenance.due, { title: 'Check both capsules' })
  for (const filters of [{}, { status: 'scheduled' }]) {
    const { data } = await find(filters)
    expect(data[0]?.id).toBe(world.cast.a.maintenance.due)
    expect(data).toEqual(newestFirst(data))
    expect(data.slice(-3).map(({ id }) => id)).toEqual(tied.toSorted().toReversed())
  }
  expect(ids(await find({ item_id }))).toEqual(tied.toSorted().toReversed())
})

test('a record follows the name of its item, and its updated_at with it', async () => {
  const { items, maintenance } = world.cast.a
  const record = async () => (await find()).data.find(({ id }) => id === maintenance.done)
  const before = await record()
  await world.change('items', items.console, { name: 'Large console' })
  const after = await record()
  expect(after?.item_name).toBe('Large console')
  expect(after && before && after.updated_at > before.updated_at).toBe(true)
})

test('costs keep their exact decimals in the JSON text', async () => {
  const item_id = world.cast.a.items.guitar
  await world.add('maintenance_records', { item_id, title: 'Dear', cost: '9999999999.99' })
  await world.add('maintenance_records', { item_id, title: 'Cheap', cost: '0.10' })
  await world.add('maintenance_records', { item_id, title: 'Free', cost: '0' })
  const { text } = await world.get('/v1/maintenance')
  expect(text).toMatch(/"title":"Dear",[^}]*"cost":9999999999\.99,/)
  expect(text).toMatch(/"title":"Cheap",[^}]*"cost":0\.10,/)
  expect(text).toMatch(/"title":"Free",[^}]*"cost":0\.00,/)
})
