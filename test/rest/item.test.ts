import { expect, test } from 'vitest'
import type { z } from 'zod'
import type { itemDetail } from '../../src/api/items.ts'
import { type Single, useWorld } from '../support/world.ts'

type Item = z.infer<typeof itemDetail>

const world = useWorld()
const read = async (id: string) => (await world.read<Single<Item>>(`/v1/items/${id}`)).data

test('an item is shown as it was recorded, with its valuation', async () => {
  const { items, locations } = world.cast.a
  expect(await read(items.microphone)).toEqual({
    id: items.microphone,
    name: 'Large microphone',
    manufacturer: 'Maker',
    model: 'M 49',
    serial_number: 'S-1',
    barcode: '4006381333931',
    category: 'Microphones',
    tags: ['vintage', 'tube'],
    purchase_price: 4200.5,
    acquisition_date: '2019-05-31',
    depreciation_method: 'straight_line',
    current_estimated_value: 7500.25,
    value_source: 'market',
    market_value_as_of: '2026-01-02T03:04:05.678Z',
    agreed_value_from_policy: null,
    reported_insured_value: 5000,
    coverage_state: 'under_covered',
    gap_amount: 2500.25,
    location_id: locations.rack,
    photo_urls: [expect.any(String), expect.any(String)],
    created_at: expect.any(String),
    updated_at: expect.any(String),
  })
})

test('the detail agrees with the list on every field that both have', async () => {
  const { data } = await world.read<{ data: { id: string }[] }>('/v1/items')
  for (const listed of data) expect(await read(listed.id)).toMatchObject(listed)
})

test('the estimated value comes from the first source there is', async () => {
  const base = { name: 'Sources', purchase_price: '100', acquisition_date: '2020-01-01' }
  const sources = [
    ['manual', { ...base, manual_value: '80', depreciation_method: 'straight_line', replacement_cost: '300' }],
    ['depreciated', { ...base, depreciation_method: 'straight_line', replacement_cost: '300' }],
    ['purchase_price', { ...base, replacement_cost: '300' }],
    ['replacement_cost', { ...base, purchase_price: '0', replacement_cost: '300' }],
    ['unknown', { ...base, purchase_price: '0' }],
  ] as const
  for (const [source, columns] of sources) {
    const item = await read(await world.add('items', columns))
    expect(item.value_source).toBe(source)
    expect(item.agreed_value_from_policy).toBeNull()
    if (source === 'unknown') expect(item.current_estimated_value).toBeNull()
    else expect(item.current_estimated_value).toBeGreaterThan(0)
  }
})

test.each([
  ['fully_covered', '100', '100', 0],
  ['fully_covered', '100', '250.10', -150.1],
  ['under_covered', '100', '99.99', 0.01],
  ['uninsured', '100', '0', 100],
  ['value_unknown', '0', '50', null],
  ['value_unknown', '0', '0', null],
])('%s: worth %s, declared %s', async (state, worth, declared, gap) => {
  const item = await read(
    await world.add('items', { name: 'X', purchase_price: worth, reported_insured_value: declared }),
  )
  expect(item.coverage_state).toBe(state)
  expect(item.gap_amount).toBe(gap)
})

test('amounts and gaps keep their exact decimals in the JSON text', async () => {
  const columns = { name: 'Exact', manual_value: '9999999999.99', reported_insured_value: '0.10' }
  const { text } = await world.get(`/v1/items/${await world.add('items', columns)}`)
  expect(text).toContain('"current_estimated_value":9999999999.99,')
  expect(text).toContain('"reported_insured_value":0.10,')
  expect(text).toContain('"gap_amount":9999999999.89,')
  const thirds = { name: 'Sum', manual_value: '0.30', reported_insured_value: '0.10' }
  const sum = await world.get(`/v1/items/${await world.add('items', thirds)}`)
  expect(sum.text).toContain('"gap_amount":0.20,')
})

test('without its projection the valuation fields are null and the rest is whole', async () => {
  const item = await read(world.cast.a.items.unprojected)
  expect(item).toMatchObject({
    current_estimated_value: null,
    value_source: null,
    coverage_state: null,
    gap_amount: null,
    agreed_value_from_policy: null,
    name: 'Tape machine',
    purchase_price: 650,
    category: 'Other / Uncategorised',
    photo_urls: [],
  })
  expect(item.updated_at).not.toBeNull()
})

test('neither policies nor what they declare for an item move its coverage state or gap', async () => {
  const id = await world.add('items', { name: 'Declared', purchase_price: '100', reported_insured_value: '40' })
  const before = await read(id)
  expect(before).toMatchObject({ coverage_state: 'under_covered', gap_amount: 60 })
  const policy = await world.add('policies', {
    name: 'All of it',
    effective_start: '2020-01-01',
    overall_limit: '9000',
  })
  const declared = { item_id: id, policy_id: policy, declared_value: '100', is_primary: true }
  await world.add('policy_assignments', declared)
  // An assignment is read with its item, so that a poll finds the item again; nothing else of it differs.
  const after = await read(id)
  expect(after).toEqual({ ...before, updated_at: after.updated_at })
  expect(after.updated_at > before.updated_at).toBe(true)
})

test('an item that comes into a location and leaves it shows so', async () => {
  const id = await world.add('items', { name: 'Wanderer' })
  expect((await read(id)).location_id).toBeNull()
  await world.change('items', id, { location_id: world.cast.a.locations.room })
  expect((await read(id)).location_id).toBe(world.cast.a.locations.room)
})

test('updated_at moves with what is shown, the valuation included, and created_at stays', async () => {
  const id = await world.add('items', { name: 'Moving' })
  const first = await read(id)
  await world.write(({ query }) =>
    query('insert into app.market_values (studio_id, item_id, value, as_of) values ($1, $2, 12.34, $3)', [
      world.cast.a.id,
      id,
      '2026-02-03T04:05:06.789Z',
    ]),
  )
  const second = await read(id)
  expect(second).toMatchObject({
    current_estimated_value: 12.34,
    value_source: 'market',
    market_value_as_of: '2026-02-03T04:05:06.789Z',
    created_at: first.created_at,
  })
  expect(second.updated_at > first.updated_at).toBe(true)
})

test('dates are the days that were written, whatever the time zone of studio, server and client', async () => {
  for (const timezone of ['Pacific/Kiritimati', 'Pacific/Pago_Pago']) {
    const { id, token } = await world.newStudio({ timezone })
    for (const acquisition_date of ['2024-03-31', '2024-10-27', '2024-02-29', '1900-01-01', '9999-12-31']) {
      const item = await world.add('items', { name: 'Dated', acquisition_date }, id)
      const { data } = await world.read<Single<Item>>(`/v1/items/${item}`, { token })
      expect(data.acquisition_date).toBe(acquisition_date)
    }
  }
})

test('an id in capitals is the same id', async () => {
  const { microphone } = world.cast.a.items
  expect((await read(microphone.toUpperCase())).id).toBe(microphone)
})

test('every response carries Cache-Control: no-store, whatever its status', async () => {
  const path = `/v1/items/${world.cast.a.items.microphone}`
  const replies = [
    await world.get(path),
    await world.get(path, { token: null }),
    await world.get('/v1/items/nothing'),
    await world.get(path, { method: 'POST' }),
    await world.get(path, { method: 'HEAD' }),
  ]
  expect(replies.map(({ status }) => status)).toEqual([200, 401, 404, 405, 200])
  for (const { headers } of replies) expect(headers['cache-control']).toBe('no-store')
})
