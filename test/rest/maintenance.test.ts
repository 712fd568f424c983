import { expect, test } from 'vitest'
import type { z } from 'zod'
import type { maintenanceRecord } from '../../src/api/maintenance.ts'
import { type List, useWorld } from '../support/world.ts'

type Maintenance = z.infer<typeof maintenanceRecord>

const world = useWorld()
const find = (filters: Record<string, string> = {}) =>
  world.read<List<Maintenance>>(`/v1/maintenance?${new URLSearchParams({ per_page: '100', ...filters })}`)
const ids = ({ data }: List<Maintenance>) => data.map(({ id }) => id)

test('scheduled and completed maintenance is shown as it was recorded', async () => {
  const { items, maintenance } = world.cast.a
  const { data } = await find()
  expect(data.find(({ id }) => id === maintenance.due)).toEqual({
    ...{ id: maintenance.due, item_id: items.microphone, item_name: 'Large microphone', title: 'Check the capsule' },
    ...{ maintenance_type: 'inspection', status: 'scheduled', scheduled_date: '2027-04-01', completed_date: null },
    ...{ cost: null, vendor: 'Workshop', description: 'Every other year' },
    ...{ created_at: expect.any(String), updated_at: expect.any(String) },
  })
  expect(data.find(({ id }) => id === maintenance.done)).toMatchObject({
    ...{ item_name: 'Console', status: 'completed', scheduled_date: '2025-03-01', completed_date: '2025-03-09' },
    ...{ cost: 480.75, vendor: null, description: null },
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

test('what is due by a day is what is scheduled for it, and not what is done', async () => {
  const { due } = world.cast.a.maintenance
  expect(ids(await find({ due_before: '2027-04-02' }))).toContain(due)
  expect(ids(await find({ due_before: '2027-04-02', due_after: '2027-03-31' }))).toEqual([due])
  for (const day of ['due_before', 'due_after']) expect(ids(await find({ [day]: '2027-04-01' }))).not.toContain(due)
  expect((await find({ due_after: '2000-01-01', status: 'completed' })).meta.total).toBe(0)
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
