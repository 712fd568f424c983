import { expect, test, vi } from 'vitest'
import type { z } from 'zod'
import type { itemDetail } from '../../src/api/items.ts'
import { operations } from '../../src/api/operations.ts'
import { type List, pathsOf, type Row, type Single, useWorld } from '../support/world.ts'

type Item = z.infer<typeof itemDetail>

const world = useWorld()

/** How many requests of this work got a body from the cache. */
async function hitsDuring(work: () => Promise<unknown>): Promise<number> {
  const before = world.service.cache.stats().hits
  await work()
  return world.service.cache.stats().hits - before
}

const hasPhotos = (path: string) => path === `/v1/items/${world.cast.a.items.microphone}`

test('while nothing changes the same request has the same bytes, from the cache', async () => {
  const filtered = ['?per_page=2&page=2', '?category=Microphones&coverage_state=uninsured'].map((q) => `/v1/items${q}`)
  for (const path of [...filtered, ...pathsOf(world.cast.a).filter((each) => !hasPhotos(each))]) {
    const first = await world.get(path)
    const hits = await hitsDuring(async () => {
      expect(await world.get(path)).toMatchObject({ status: 200, text: first.text })
    })
    expect(hits, path).toBe(1)
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
  // Another filter is another query.
  expect((await poll(soon, '&category=Computers')).json).toMatchObject({ data: [] })
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

const ask = (path: string, tag?: string, more: object = {}) =>
  world.get(path, { headers: tag === undefined ? {} : { 'If-None-Match': tag }, ...more })

/** What has an ETag, as studio A asks: every answer without photos. */
async function tags(): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  const paths = pathsOf(world.cast.a).filter((path) => !hasPhotos(path))
  for (const path of paths) found.set(path, String((await ask(path)).headers.etag))
  return found
}

const statuses = async (known: Map<string, string>) =>
  new Set(await Promise.all([...known].map(async ([path, tag]) => (await ask(path, tag)).status)))

test('what has not changed is a 304 without a body, from every process, cached or not', async () => {
  const known = await tags()
  const unsigned = operations.filter(({ photos }) => photos !== true)
  expect(known.size).toBe(unsigned.length)
  expect(await statuses(known)).toEqual(new Set([304]))
  const [other, uncached] = [await world.start(), await world.start({ cacheMaxBytes: 0 })]
  for (const service of [other, uncached]) {
    for (const [path, tag] of known) {
      // The first time, the service does not know whose token that is. The second time, it does.
      for (let n = 0; n < 2; n++) {
        const reply = await service.get(path, { token: world.cast.a.token.token, headers: { 'If-None-Match': tag } })
        expect([reply.status, reply.text], path).toEqual([304, ''])
      }
    }
  }
})

test('a change anywhere in the studio ends every tag of it', async () => {
  const { items, policies, maintenance } = world.cast.a
  const changes: (() => Promise<unknown>)[] = [
    () => world.change('items', items.guitar, { name: 'Other guitar' }),
    () => world.change('policies', policies.open, { carrier: 'Another' }),
    () => world.change('maintenance_records', maintenance.due, { vendor: 'Another' }),
    () => world.add('locations', { name: 'Attic' }),
    () => world.add('policy_assignments', { item_id: items.guitar, policy_id: policies.open }),
    () => world.change('items', items.bare, { archived_at: new Date() }),
    () => world.change('items', items.bare, { archived_at: null }),
  ]
  for (const change of changes) {
    const known = await tags()
    await change()
    expect(await statuses(known), String(change)).toEqual(new Set([200]))
  }
})

test('a change in another studio ends none', async () => {
  const known = await tags()
  await world.add('items', { name: 'Theirs' }, world.cast.b.id)
  expect(await statuses(known)).toEqual(new Set([304]))
})

test('the tags of another studio are none of this one', async () => {
  const known = await tags()
  for (const [path, tag] of known) {
    if (path.includes(world.cast.a.items.microphone) || path.includes(world.cast.a.policies.active)) continue
    const reply = await ask(path, tag, { token: world.cast.b.token.token })
    expect([reply.status, reply.text.length > 0]).toEqual([200, true])
  }
})
