import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { type Cache, type CachedBody, cacheKeyOf } from '../../src/api/cache.ts'
import { randomWriteOfStudio } from '../sql/random_writes.ts'
import { deeper } from '../support/depth.ts'
import { useWorld } from '../support/world.ts'

/** How long writers and readers run. */
const seconds = deeper

/** What was answered to a question at a version: by reading it, and from the cache. */
type Seen = { read: Set<string>; cached: Set<string> }
const seen = new Map<string, Seen>()
const at = (question: unknown, version: string): Seen => {
  const key = JSON.stringify([question, version])
  const entry = seen.get(key) ?? { read: new Set(), cached: new Set() }
  seen.set(key, entry)
  return entry
}

const textOf = (content: CachedBody['content']) =>
  'plain' in content ? String(content.plain) : JSON.stringify(content)

/** Notes what the service reads, and what it finds in the cache. */
const observed = (real: Cache): Cache => ({
  ...real,
  store(question, answer, cached) {
    if (answer.version !== null) at(cacheKeyOf(question), answer.version).read.add(textOf(cached.content))
    real.store(question, answer, cached)
  },
  find(studioId, question) {
    const found = real.find(studioId, question)
    if (found) at(cacheKeyOf(question), found.version).cached.add(textOf(found.content))
    return found
  },
})

const world = useWorld({ cache: observed, poolSize: 4 })
afterAll(() => seen.clear())

test('during any writes, an answer from the cache is the one that is read at that version; no authority outlives its end', async () => {
  const studio = await world.newStudio()
  const fresh = await world.start({ cacheMaxBytes: 0, cache: observed, poolSize: 4 })
  const items = await world.write(
    ({ query }) =>
      query<{ id: string }>(
        `insert into app.items (studio_id, name, category, purchase_price, reported_insured_value)
         select $1, 'item ' || n, 'Microphones', n, n / 2 from generate_series(1, 40) n returning id`,
        [studio.id],
      ),
    studio.id,
  )
  const policy = await world.add('policies', { name: 'One', effective_start: '2020-01-01' }, studio.id)
  const paths = [
    '/v1/items',
    '/v1/items?per_page=5&page=2',
    '/v1/items?per_page=5&page=3',
    '/v1/items?category=Microphones',
    '/v1/items?coverage_state=uninsured&per_page=3',
    `/v1/items?updated_since=${new Date().toISOString()}`,
    '/v1/items?updated_since=2999-01-01',
    '/v1/maintenance',
    '/v1/policies',
    `/v1/policies/${policy}`,
    '/v1/account',
    ...items.slice(0, 3).map(({ id }) => `/v1/items/${id}`),
  ]
  const [end, latest] = [Date.now() + seconds * 1000, Date.now() + seconds * 1000 + 60_000]
  let over = false
  onTestFinished(() => {
    over = true
  })
  const enough = () => world.service.cache.stats().hits > 100 && writes > 20
  const goesOn = () => !over && (Date.now() < end || (Date.now() < latest && !enough()))
  const draws = fc.sample(randomWriteOfStudio, 5_000)
  let writes = 0
  let requests = 0

  const writer = async () => {
    while (goesOn()) {
      const { text } = draws[writes++ % draws.length] ?? { text: 'select' }
      await world.write(({ query }) => query(text, [studio.id]), studio.id).catch(() => {})
      if (writes % 5 === 0) {
        const carrier = 'update app.policies set carrier = $1'
        await world.write(({ query }) => query(carrier, [`carrier ${writes}`]), studio.id)
      }
      if (writes % 9 === 0)
        await world.owner('update app.studios set name = $2 where id = $1', [studio.id, `S ${writes}`])
      await sleep(Math.random() * 60)
    }
  }
  const reader = async (service: typeof fresh) => {
    while (goesOn()) {
      const path = paths[Math.floor(Math.random() * paths.length)] ?? ''
      // The writers archive and remove items too.
      const possible = path.startsWith('/v1/items/') ? [200, 404] : [200]
      expect(possible).toContain((await service.get(path, { token: studio.token })).status)
      requests += 1
    }
  }
  /** Ends an authority repeatedly and expects the very next request to be refused. */
  const checkAuthority = async () => {
    while (goesOn()) {
      const other = await world.newStudio()
      const statusOf = async () => (await world.get('/v1/account', { token: other.token })).status
      await statusOf()
      expect(await statusOf()).toBe(200)
      await world.owner(`select access.set_subscription($1, 'studio', 'canceled')`, [other.id])
      expect(await statusOf()).toBe(403)
      await world.owner(`select access.set_subscription($1, 'studio', 'active')`, [other.id])
      expect(await statusOf()).toBe(200)
      const revoke = 'select access.revoke_token($1, (select id from access.tokens where studio_id = $1), $2)'
      await world.owner(revoke, [other.id, other.owner])
      expect(await statusOf()).toBe(401)
    }
  }
  const { service } = world
  const readers = [service, service, service, fresh, fresh].map(reader)
  await Promise.all([writer(), ...readers, checkAuthority()])

  let compared = 0
  for (const [question, { read, cached }] of seen) {
    expect(read.size, question).toBeLessThanOrEqual(1)
    if (cached.size === 0 || read.size === 0) continue
    expect([...cached], question).toEqual([...read])
    compared += 1
  }
  const { hits } = service.cache.stats()
  console.log({ seconds, writes, requests, hits, versions: seen.size, compared })
  expect(hits).toBeGreaterThan(100)
  expect(compared).toBeGreaterThan(0)
}, 300_000)
