import { expect, test, vi } from 'vitest'
import type { z } from 'zod'
import type { itemListed } from '../../src/api/items.ts'
import { beside } from '../support/beside.ts'
import { type List, newestFirst, useWorld } from '../support/world.ts'

type Item = z.infer<typeof itemListed>

const world = useWorld()
const items = (query = '', token?: string) =>
  world.read<List<Item>>(`/v1/items${query}`, token === undefined ? {} : { token })

async function itemNamed(name: string): Promise<Item> {
  const found = (await items('?per_page=100')).data.filter((item) => item.name === name)
  expect(found).toHaveLength(1)
  return found[0] as Item
}

test('an item is shown as it was recorded', async () => {
  const { locations, items: ids } = world.cast.a
  expect(await itemNamed('Large microphone')).toEqual({
    id: ids.microphone,
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
    market_value_as_of: '2026-01-02T03:04:05.678Z',
    reported_insured_value: 5000,
    location_id: locations.rack,
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    updated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
  })
})

test('what was never recorded is empty or zero where the specification knows no null', async () => {
  expect(await itemNamed('Box of odds and ends')).toMatchObject({
    manufacturer: '',
    model: '',
    serial_number: '',
    barcode: '',
    category: 'Other / Uncategorised',
    tags: [],
    purchase_price: 0,
    depreciation_method: 'none',
    reported_insured_value: 0,
    acquisition_date: null,
    market_value_as_of: null,
    location_id: null,
  })
})

test('money keeps its exact decimals in the JSON text', async () => {
  const amounts = ['9999999999.99', '0.10', '0.01', '90071992547.41', '100.00', '999999999999.99']
  const { id, token } = await world.newStudio()
  for (const amount of amounts) {
    await world.add('items', { name: amount, purchase_price: amount, reported_insured_value: amount }, id)
  }
  const { text } = await world.get('/v1/items', { token })
  for (const amount of amounts) {
    expect(text).toMatch(new RegExp(`"name":"${amount}",[^}]*"purchase_price":${amount},`))
    expect(text).toMatch(new RegExp(`"name":"${amount}",[^}]*"reported_insured_value":${amount},`))
  }
})

test('text is shown to the byte, whatever it contains', async () => {
  const name = 'Röhre “M 49” \\ </script> \u0001 \u2028 😀 e\u0301'
  await world.add('items', { name, tags: ['', ' ', '"quoted"', '{a,b}', 'NULL'] })
  expect((await itemNamed(name)).tags).toEqual(['', ' ', '"quoted"', '{a,b}', 'NULL'])
})

test('the newest updated item comes first, ties by id descending', async () => {
  const at = '2025-06-01T12:00:00.000Z'
  const tied = await Promise.all([1, 2, 3, 4].map((number) => world.add('items', { name: `Tied ${number}` })))
  await world.setUpdatedAt('items', Object.fromEntries(tied.map((id) => [id, at])))
  await world.change('items', world.cast.a.items.guitar, { model: 'Just now' })
  const { data } = await items('?per_page=100')
  expect(data[0]?.id).toBe(world.cast.a.items.guitar)
  expect(data.map(({ id }) => id)).toEqual(newestFirst(data).map(({ id }) => id))
  expect(data.filter(({ updated_at }) => updated_at === at).map(({ id }) => id)).toEqual(tied.toSorted().toReversed())
})

test('an archived item is not listed, until it is restored', async () => {
  const listed = async () => (await items('?per_page=100')).data.map(({ id }) => id)
  const { archived, console: sold } = world.cast.a.items
  const before = await items()
  expect(await listed()).not.toContain(archived)
  expect(await listed()).toContain(sold)
  await world.change('items', sold, { archived_at: '2026-01-01T00:00:00Z' })
  expect(await listed()).not.toContain(sold)
  expect((await items()).meta.total).toBe(before.meta.total - 1)
  await world.change('items', sold, { archived_at: null })
  expect((await listed())[0]).toBe(sold)
})

test('an item whose projection is missing is listed like any other', async () => {
  expect((await itemNamed('Tape machine')).id).toBe(world.cast.a.items.unprojected)
})

test('a studio without items has an empty list and a total of 0', async () => {
  const { token } = await world.newStudio()
  const body = await items('', token)
  expect(body.data).toEqual([])
  expect(body.meta).toEqual({ page: 1, per_page: 50, total: 0, next_page: null })
})

test('total and page are of one snapshot, however much is written meanwhile', async () => {
  const { id, token } = await world.newStudio()
  const totals = new Set<number>()
  const read = async () => {
    const { data, meta } = await items('?per_page=100', token)
    expect(data).toHaveLength(meta.total)
    totals.add(meta.total)
  }
  await beside(read, async () => {
    for (let count = 1; count <= 60; count += 1) {
      await world.add('items', { name: `Item ${count}` }, id)
      // The reader gets its turn: a replica may apply what was written only after all of it.
      if (count % 10 === 0) await vi.waitFor(() => expect(totals.size).toBeGreaterThanOrEqual(count / 10), 10_000)
    }
  })
  expect(totals.size).toBeGreaterThan(5)
})
