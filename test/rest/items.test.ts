import { expect, test, vi } from 'vitest'
import type { z } from 'zod'
import type { itemDetail, itemListed } from '../../src/api/items.ts'
import { beside } from '../support/beside.ts'
import { type List, type Single, useWorld } from '../support/world.ts'

type Item = z.infer<typeof itemDetail>

const world = useWorld()
const items = (query = '?per_page=100', token = world.cast.a.token.token) =>
  world.read<List<z.infer<typeof itemListed>>>(`/v1/items${query}`, { token })
const read = async (id: string, token = world.cast.a.token.token) =>
  (await world.read<Single<Item>>(`/v1/items/${id}`, { token })).data
const moment = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

test('an item is shown as it was recorded, with its valuation, by its id in any case', async () => {
  const { items, locations } = world.cast.a
  expect(await read(items.microphone.toUpperCase())).toEqual({
    ...{ id: items.microphone, name: 'Large microphone', manufacturer: 'Maker', model: 'M 49', serial_number: 'S-1' },
    ...{ barcode: '4006381333931', category: 'Microphones', tags: ['vintage', 'tube'], location_id: locations.rack },
    ...{ purchase_price: 4200.5, acquisition_date: '2019-05-31', depreciation_method: 'straight_line' },
    ...{ current_estimated_value: 7500.25, value_source: 'market', market_value_as_of: '2026-01-02T03:04:05.678Z' },
    ...{ agreed_value_from_policy: null, reported_insured_value: 5000 },
    ...{ coverage_state: 'under_covered', gap_amount: 2500.25 },
    photo_urls: [expect.any(String), expect.any(String)],
    ...{ created_at: moment, updated_at: moment },
  })
})

test('the list has every field of the detail but those that are for the detail only, and agrees with it', async () => {
  const detailOnly = ['current_estimated_value', 'value_source', 'agreed_value_from_policy', 'coverage_state']
  const { data } = await items()
  expect(data.length).toBeGreaterThan(3)
  for (const listed of data) {
    const detail = await read(listed.id)
    expect(detail).toMatchObject(listed)
    const left = Object.keys(detail).filter((name) => !Object.hasOwn(listed, name))
    expect(left.toSorted()).toEqual([...detailOnly, 'gap_amount', 'photo_urls'].toSorted())
  }
})

test('an item or a maintenance record whose JSON is not stored is shown like any other', async () => {
  const read = async () => [await items(), await world.read('/v1/maintenance?per_page=100')]
  const before = await read()
  await world.asOwner(async ({ query }) => {
    for (const table of ['app.items', 'app.maintenance_records']) {
      await query(`alter table ${table} disable trigger user`)
      expect(await query(`update ${table} set document = null returning id`)).not.toEqual([])
      await query(`alter table ${table} enable trigger user, enable always trigger d_store_document`)
    }
    await query('select app.add_data_version(array[$1::uuid])', [world.cast.a.id])
  }, world.cast.a.id)
  expect(await read()).toEqual(before)
})

test('what was never recorded is empty or zero where the specification knows no null', async () => {
  expect(await read(world.cast.a.items.bare)).toMatchObject({
    ...{ manufacturer: '', model: '', serial_number: '', barcode: '', tags: [], category: 'Other / Uncategorised' },
    ...{ purchase_price: 0, depreciation_method: 'none', reported_insured_value: 0 },
    ...{ acquisition_date: null, market_value_as_of: null, location_id: null },
  })
})

test('text of any kind is shown to the byte', async () => {
  const name = 'Röhre “M 49” \\ </script> \u0001 \u2028 😀 e\u0301'
  const tags = ['', ' ', '"quoted"', '{a,b}', 'NULL']
  expect(await read(await world.add('items', { name, tags }))).toMatchObject({ name, tags })
})

test('total and page are of one snapshot, however much is written meanwhile', async () => {
  const { id, token } = await world.newStudio()
  const totals = new Set<number>()
  const look = async () => {
    const { data, meta } = await items('?per_page=100', token)
    expect(data).toHaveLength(meta.total)
    totals.add(meta.total)
  }
  await beside(look, async () => {
    for (let count = 1; count <= 60; count += 1) {
      await world.add('items', { name: `Item ${count}` }, id)
      // Lets the reader have its turn, because a replica may apply the writes only after all of
      // them.
      if (count % 10 === 0) await vi.waitFor(() => expect(totals.size).toBeGreaterThanOrEqual(count / 10), 10_000)
    }
  })
  expect(totals.size).toBeGreaterThan(5)
})

test('the estimated value comes from the first source there is', async () => {
  const base = { name: 'Sources', purchase_price: '100', acquisition_date: '2020-01-01', replacement_cost: '300' }
  const sources = [
    ['manual', { ...base, manual_value: '80', depreciation_method: 'straight_line' }],
    ['depreciated', { ...base, depreciation_method: 'straight_line' }],
    ['purchase_price', base],
    ['replacement_cost', { ...base, purchase_price: '0' }],
    ['unknown', { name: 'Nothing' }],
  ] as const
  for (const [source, columns] of sources) {
    const item = await read(await world.add('items', columns))
    expect([item.value_source, item.agreed_value_from_policy]).toEqual([source, null])
    expect(item.current_estimated_value === null).toBe(source === 'unknown')
  }
})

test('without its projection the valuation fields are null, the rest is whole, and the item is listed', async () => {
  const { unprojected } = world.cast.a.items
  expect(await read(unprojected)).toMatchObject({
    ...{ current_estimated_value: null, value_source: null, coverage_state: null, gap_amount: null },
    ...{ name: 'Tape machine', purchase_price: 650, category: 'Other / Uncategorised', photo_urls: [] },
    updated_at: moment,
  })
  expect((await items()).data.map(({ id }) => id)).toContain(unprojected)
})

test('neither policies nor what they declare for an item move its coverage state or gap', async () => {
  const id = await world.add('items', { name: 'Declared', purchase_price: '100', reported_insured_value: '40' })
  const before = await read(id)
  expect(before).toMatchObject({ coverage_state: 'under_covered', gap_amount: 60 })
  const policy = await world.add('policies', { name: 'All', effective_start: '2020-01-01', overall_limit: '9000' })
  const declared = { item_id: id, policy_id: policy, declared_value: '100', is_primary: true }
  await world.add('policy_assignments', declared)
  // An assignment is read with its item, so a poll finds the item again; nothing else differs.
  const after = await read(id)
  expect(after).toEqual({ ...before, updated_at: after.updated_at })
  expect(after.updated_at > before.updated_at).toBe(true)
})

test('dates are the days that were written, in every time zone of studio, server and client', async () => {
  for (const timezone of ['Pacific/Kiritimati', 'Pacific/Pago_Pago']) {
    const { id, token } = await world.newStudio({ timezone })
    for (const acquisition_date of ['2024-03-31', '2024-10-27', '2024-02-29', '9999-12-31']) {
      const item = await world.add('items', { name: 'Dated', acquisition_date }, id)
      expect((await read(item, token)).acquisition_date).toBe(acquisition_date)
    }
  }
})

test('amounts keep their exact decimals in the JSON text, of every resource', async () => {
  const { id, token } = await world.newStudio()
  const add = (table: string, columns: object) => world.add(table, columns, id)
  const [most, least] = ['9999999999.99', '0.10']
  const item = await add('items', { name: 'Exact', manual_value: most, reported_insured_value: least })
  const sum = { name: 'Sum', manual_value: '0.30', purchase_price: least, reported_insured_value: '0.1' }
  const thirds = await add('items', sum)
  const amounts = { overall_limit: most, deductible: least }
  const policy = await add('policies', { name: 'Exact', effective_start: '2020-01-01', ...amounts })
  await add('policy_assignments', { item_id: item, policy_id: policy, declared_value: most })
  await add('policy_assignments', { item_id: thirds, policy_id: policy, declared_value: least })
  for (const cost of [most, least, '0']) await add('maintenance_records', { item_id: item, title: 'Work', cost })
  const texts = {
    '/v1/items': ['"reported_insured_value":0.10,', '"purchase_price":0.10,', '"purchase_price":0.00,'],
    [`/v1/items/${item}`]: [`"current_estimated_value":${most},`, '"gap_amount":9999999999.89,'],
    [`/v1/items/${thirds}`]: ['"gap_amount":0.20,'],
    [`/v1/items/${item}/policies`]: [`"declared_value":${most},`],
    [`/v1/items/${thirds}/policies`]: ['"declared_value":0.10,'],
    '/v1/policies': [`"overall_limit":${most},"deductible":0.10,`],
    [`/v1/policies/${policy}`]: [`"overall_limit":${most},"deductible":0.10,`],
    '/v1/maintenance': [`"cost":${most},`, '"cost":0.10,', '"cost":0.00,'],
  }
  for (const [path, parts] of Object.entries(texts)) {
    const { text } = await world.get(path, { token })
    for (const part of parts) expect(text, path).toContain(part)
  }
})
