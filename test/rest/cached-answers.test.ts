import { expect, test, vi } from 'vitest'
import type { z } from 'zod'
import type { itemDetail } from '../../src/api/items.ts'
import { type List, type Row, type Single, useWorld } from '../support/world.ts'

type Item = z.infer<typeof itemDetail>

const world = useWorld()

/** How many of the requests of this work were answered with a cached body. */
async function hitsDuring(work: () => Promise<unknown>): Promise<number> {
  const before = world.service.cache.stats().hits
  await work()
  return world.service.cache.stats().hits - before
}

const paths = () => [
  '/v1/items',
  '/v1/items?per_page=2&page=2',
  '/v1/items?category=Microphones&coverage_state=uninsured',
  `/v1/items/${world.cast.a.items.bare}`,
  `/v1/items/${world.cast.a.items.microphone}/policies`,
  '/v1/locations',
  '/v1/maintenance?status=completed',
  '/v1/policies',
  `/v1/policies/${world.cast.a.policies.active}`,
  '/v1/account',
]

test('while nothing changes the same request has the same bytes, from the cache', async () => {
  for (const path of paths()) {
    const first = await world.get(path)
    expect(
      await hitsDuring(async () => {
        const again = await world.get(path)
        expect(again.text).toBe(first.text)
        expect(again.status).toBe(200)
      }),
      path,
    ).toBe(1)
  }
})

test('a write is in the very next answer of every list that it belongs to', async () => {
  for (let round = 0; round < 5; round += 1) {
    await world.read('/v1/items?per_page=1')
    const id = await world.add('items', { name: `Item ${round}`, category: 'Microphones' })
    expect((await world.read<List<Row>>('/v1/items?per_page=1')).data[0]?.id).toBe(id)
  }
})

test('an empty poll is cached for every later moment, on every page, until something changes', async () => {
  const { id, token } = await world.newStudio()
  await world.add('items', { name: 'Old' }, id)
  const poll = (since: string, more = '') => world.get(`/v1/items?updated_since=${since}${more}`, { token })
  const nothing = await poll('2999-01-01T00:00:00Z')
  expect(nothing.json).toMatchObject({ data: [], meta: { total: 0, next_page: null } })
  expect(
    await hitsDuring(async () => {
      expect((await poll('2999-06-01T00:00:00Z')).text).toBe(nothing.text)
      const third = await poll('2999-06-01T00:00:00Z', '&page=3&per_page=10')
      expect(third.json).toMatchObject({ data: [], meta: { page: 3, per_page: 10, total: 0, next_page: null } })
    }),
  ).toBe(2)
  expect(await hitsDuring(() => poll('2998-12-31T00:00:00Z'))).toBe(0)
  const soon = new Date().toISOString()
  expect((await poll(soon)).json).toMatchObject({ data: [] })
  const added = await world.add('items', { name: 'New' }, id)
  expect((await poll(soon)).json).toMatchObject({ data: [{ id: added }] })
  // A filter of its own is a question of its own.
  expect((await poll(soon, '&category=Computers')).json).toMatchObject({ data: [] })
})

test('an answer of which a part could not be had is not cached', async () => {
  const path = `/v1/policies/${world.cast.a.policies.active}`
  const whole = await world.get(path)
  await world.add('locations', { name: 'Moves the version' })
  await world.owner('alter view api_v1.assignments rename to assignments_away')
  try {
    expect((await world.get(path)).json).toMatchObject({ data: { assignments_count: 0 } })
  } finally {
    await world.owner('alter view api_v1.assignments_away rename to assignments')
  }
  expect((await world.get(path)).text).toBe(whole.text)
})

test('a cached item gets newly signed photo URLs for each response', async () => {
  const path = `/v1/items/${world.cast.a.items.microphone}`
  const read = async () => {
    const { photo_urls: urls, ...item } = (await world.read<Single<Item>>(path)).data
    return { item, urls }
  }
  const first = await read()
  const second = Math.floor(Date.now() / 1000)
  await vi.waitFor(() => expect(Math.floor(Date.now() / 1000)).toBeGreaterThan(second), { timeout: 20_000 })
  const hits = await hitsDuring(async () => {
    const again = await read()
    expect(again.item).toEqual(first.item)
    expect(again.urls).toHaveLength(2)
    expect(new Set([...first.urls, ...again.urls]).size).toBe(4)
  })
  expect(hits).toBe(1)
})

test('a write to an item, its photos or its market value is in the very next answer', async () => {
  const { a } = world.cast
  const path = `/v1/items/${a.items.microphone}`
  const read = async () => (await world.read<Single<Item>>(path)).data
  const writes: [text: string, of: (item: Item) => unknown, expected: unknown][] = [
    [`update app.items set model = 'Mark II' where id = $1`, ({ model }) => model, 'Mark II'],
    ['delete from app.item_photos where item_id = $1 and position = 0', ({ photo_urls }) => photo_urls.length, 1],
    [`update app.market_values set value = 4321 where item_id = $1`, (item) => item.current_estimated_value, 4321],
  ]
  for (const [text, of, expected] of writes) {
    await read()
    expect(of(await read())).not.toEqual(expected)
    await world.write(({ query }) => query(text, [a.items.microphone]))
    expect(of(await read())).toEqual(expected)
  }
})
