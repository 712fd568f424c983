import { afterEach, beforeAll, expect, test } from 'vitest'
import { withClient } from '../support/server.ts'
import type { TestService } from '../support/service.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()
/** Less than twice the time for which the API's login waits for a lock. */
const statementTimeoutMs = 3_500
let service: TestService
beforeAll(async () => {
  service = await world.start({ cacheMaxBytes: 0, statementTimeoutMs })
})

const undo: string[] = []
afterEach(async () => {
  for (const text of undo.splice(0)) await world.owner(text)
})
async function hide(schema: string, view: string): Promise<void> {
  await world.owner(`alter view ${schema}.${view} rename to ${view}_away`)
  undo.push(`alter view ${schema}.${view}_away rename to ${view}`)
}
const get = async (path: string) => {
  const { status, json } = await service.get<{ data: object }>(path, { token: world.cast.a.token.token })
  return { status, data: json.data }
}
const item = () => get(`/v1/items/${world.cast.a.items.microphone}`)
const unvalued = { current_estimated_value: null, value_source: null, coverage_state: null, gap_amount: null }

test('an item whose valuation cannot be read is a 200 that is counted and logged, with the SQLSTATE', async () => {
  const before = { ...service.api.partial }
  const { data: whole } = await item()
  await hide('service', 'item_valuations')
  const photo_urls = [expect.any(String), expect.any(String)]
  expect(await item()).toEqual({ status: 200, data: { ...whole, ...unvalued, photo_urls } })
  expect(service.api.partial).toEqual({ ...before, item: before.item + 1, valuation: before.valuation + 1 })
  const line = service
    .log()
    .split('\n')
    .find((each) => each.includes('"part":"valuation"'))
  expect(line).toContain('an answer lacks what could not be read')
  expect(line).toContain('SQLSTATE 42P01')
})

test('so is one without its photos, and a policy without the number of its assignments', async () => {
  const before = { ...service.api.partial }
  const { data: whole } = await item()
  await hide('service', 'item_photos')
  expect(await item()).toEqual({ status: 200, data: { ...whole, photo_urls: [] } })
  await hide('api_v1', 'assignments')
  expect(await get(`/v1/policies/${Object.values(world.cast.a.policies)[0]}`)).toMatchObject({
    status: 200,
    data: { assignments_count: 0 },
  })
  const { photos, assignments_count } = service.api.partial
  expect([photos, assignments_count]).toEqual([before.photos + 1, before.assignments_count + 1])
})

test('a whole answer counts nothing', async () => {
  const before = { ...service.api.partial }
  expect((await item()).status).toBe(200)
  expect(service.api.partial).toEqual(before)
})

test('while the projection is locked, an item comes without its valuation, before the statement times out', async () => {
  const whole = await item()
  const { locked } = await withClient(world.database.adminUrl, async (client) => {
    await client.query('begin; lock table app.item_valuations in access exclusive mode')
    return { locked: await item() }
  })
  expect(locked).toMatchObject({ status: 200, data: unvalued })
  expect(Object.keys(locked.data)).toEqual(Object.keys(whole.data))
  expect((await item()).data).toMatchObject({ coverage_state: 'under_covered' })
})
