import { expect, test } from 'vitest'
import type { z } from 'zod'
import type { location } from '../../src/api/locations.ts'
import { type List, useWorld } from '../support/world.ts'

type Location = z.infer<typeof location>

const world = useWorld()
const read = (token = world.cast.a.token.token) => world.read<List<Location>>('/v1/locations?per_page=100', { token })

const fields = [
  ...['id', 'name', 'description', 'type', 'parent_id', 'address_line1', 'address_line2', 'city', 'region'],
  ...['postal_code', 'country_code', 'is_default', 'created_at', 'updated_at'],
]

test('a location is shown as it was recorded, with exactly the fields of the location object', async () => {
  const { home, room, rack } = world.cast.a.locations
  const { data } = await read()
  for (const place of data) expect(Object.keys(place)).toEqual(fields)
  const [first, second, third] = [rack, room, home].map((id) => data.find((place) => place.id === id))
  expect(second).toEqual({
    ...{ id: room, name: 'Live room', description: 'Where the drums are', type: 'room', parent_id: home },
    ...{ address_line1: '1 High Street', address_line2: 'Rear building', city: 'Town', region: 'Shire' },
    ...{ postal_code: 'AB1', country_code: 'GB', is_default: false },
    ...{ created_at: expect.any(String), updated_at: expect.any(String) },
  })
  expect(first).toMatchObject({ parent_id: room, description: null, city: null, country_code: null })
  expect(third).toMatchObject({ is_default: true, parent_id: null })
})

test('a downgrade shows only the default location, an upgrade all locations again', async () => {
  const { id, token } = await world.newStudio()
  await world.add('locations', { name: 'Second room' }, id)
  expect((await read(token)).meta.total).toBe(2)
  await world.subscribe(id, 'pro')
  expect(await read(token)).toMatchObject({ data: [{ is_default: true }], meta: { total: 1 } })
  await world.subscribe(id, 'studio')
  expect((await read(token)).meta.total).toBe(2)
})
