import { beforeAll, expect, test } from 'vitest'
import type { z } from 'zod'
import type { itemDetail } from '../../src/api/items.ts'
import { withClient } from '../support/server.ts'
import type { TestService } from '../support/service.ts'
import { putPhoto, type Single, useWorld } from '../support/world.ts'

/** These parts may fail while the rest is answered: the valuation, the photos, the number of
 * assignments. */
const world = useWorld()
let service: TestService
beforeAll(async () => {
  // Less than twice the time for which the API's login waits for a lock.
  service = await world.start({ cacheMaxBytes: 0, statementTimeoutMs: 3_500 })
})

const withoutValuation = <Result>(work: () => Promise<Result>) => world.without('service.item_valuations', work)
const withoutPhotos = <Result>(work: () => Promise<Result>) => world.without('service.item_photos', work)
const get = async <Body = z.infer<typeof itemDetail>>(path: string, from = service) => {
  const { status, json } = await from.get<Single<Body>>(path, { token: world.cast.a.token.token })
  return { status, data: json.data }
}
const item = (from?: TestService) => get(`/v1/items/${world.cast.a.items.microphone}`, from)
const unvalued = { current_estimated_value: null, value_source: null, coverage_state: null, gap_amount: null }
const photo_urls = [expect.any(String), expect.any(String)]

test('the photo URLs, in the order of the photos, serve the files to anyone who has them, for one hour', async () => {
  const contents = ['front \u0000\u00ff', 'back'].map((text) => Buffer.from(text, 'latin1'))
  for (const [index, key] of world.cast.a.photoKeys.entries()) {
    await putPhoto(world.photosDir, key, contents[index] ?? Buffer.alloc(0))
  }
  const before = Math.floor(Date.now() / 1000)
  const urls = (await item()).data.photo_urls
  expect(urls).toHaveLength(2)
  for (const [index, url] of urls.entries()) {
    expect(url).toMatch(new RegExp(`^${service.url}/photos/`))
    const reply = await service.get(new URL(url).pathname)
    expect([reply.status, reply.headers['content-type']]).toEqual([200, 'image/png'])
    expect(reply.bytes.equals(contents[index] ?? Buffer.alloc(0))).toBe(true)
    const { exp } = JSON.parse(Buffer.from(url.split('.').at(-2) ?? '', 'base64url').toString())
    expect(exp).toBeGreaterThanOrEqual(before + 3600)
    expect(exp).toBeLessThanOrEqual(Math.ceil(Date.now() / 1000) + 3600)
  }
})

test('an item whose valuation cannot be read is a 200 that is counted and logged, with the SQLSTATE', async () => {
  const before = { ...service.api.partial }
  const { data: whole } = await item()
  expect(await withoutValuation(item)).toEqual({ status: 200, data: { ...whole, ...unvalued, photo_urls } })
  expect(service.api.partial).toEqual({ ...before, valuation: before.valuation + 1 })
  const lines = service.log().split('\n')
  const line = lines.find((each) => each.includes('"part":"valuation"'))
  expect(line).toContain('an answer lacks what could not be read')
  expect(line).toContain('SQLSTATE 42P01')
})

test('an item that is not there is a 404 that lacks no part, whatever cannot be read', async () => {
  const before = { ...service.api.partial }
  const ids = ['x', world.cast.b.items.microphone, world.cast.a.items.archived]
  for (const id of ids) {
    expect((await withoutValuation(() => withoutPhotos(() => get(`/v1/items/${id}`)))).status).toBe(404)
  }
  expect(service.api.partial).toEqual(before)
})

test('so is one without its photos, and a policy without the number of its assignments; a whole answer is not', async () => {
  const path = `/v1/policies/${world.cast.a.policies.active}`
  const before = { ...service.api.partial }
  const [{ data: whole }, policy] = [await item(), await get<{ assignments_count: number }>(path)]
  expect(policy.data.assignments_count).toBeGreaterThan(0)
  expect(service.api.partial).toEqual(before)
  expect(await withoutPhotos(item)).toEqual({ status: 200, data: { ...whole, photo_urls: [] } })
  const uncounted = await world.without('api_v1.assignments', () => get(path))
  expect(uncounted).toEqual({ status: 200, data: { ...policy.data, assignments_count: 0 } })
  const { photos, assignments_count } = service.api.partial
  expect([photos, assignments_count]).toEqual([before.photos + 1, before.assignments_count + 1])
  expect(await get(path)).toEqual(policy)
})

test('while the projection is locked, an item comes without its valuation, before the statement times out', async () => {
  const whole = await item()
  const { locked } = await withClient(world.database.adminUrl, async (client) => {
    await client.query('begin; lock table app.item_valuations in access exclusive mode')
    return { locked: await item() }
  })
  expect(locked).toEqual({ status: 200, data: { ...whole.data, ...unvalued, photo_urls } })
  expect((await item()).data).toMatchObject({ coverage_state: 'under_covered' })
})

test('what an item last had is shown while its projection cannot be read, as long as nothing changed; what it lacks is not kept', async () => {
  const read = async () => (await item(world.service)).data
  const whole = { ...(await read()), photo_urls }
  await withoutValuation(async () => {
    expect(await read()).toEqual(whole)
    await world.add('locations', { name: 'A change' })
    expect(await read()).toEqual({ ...whole, ...unvalued })
  })
  expect(await read()).toEqual(whole)
  await withoutPhotos(async () => {
    await world.add('locations', { name: 'Another change' })
    expect(await read()).toEqual({ ...whole, photo_urls: [] })
  })
  expect(await read()).toEqual(whole)
})
