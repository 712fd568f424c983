import { afterEach, expect, test, vi } from 'vitest'
import { operations, prefix } from '../../src/api/operations.ts'
import { newSecret, tokenOf } from '../../src/auth/token.ts'
import { readConfig } from '../../src/config/config.ts'
import { createToken } from '../support/cast.ts'
import { fingerprint, type Reply } from '../support/client.ts'
import { generous, type TestService } from '../support/service.ts'
import { watchStatements } from '../support/statements.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()
const many = 1_000_000
/** The service has these limits when nothing is configured. */
const standard = readConfig({}).rateLimits
/** The standard limits, with one of the two windows out of the way. */
const without = (window: 'perSecond' | 'perMinute') => ({
  ...standard,
  pro: { ...standard.pro, [window]: many },
  studio: { ...standard.studio, [window]: many },
})
/** Limits of a minute that few requests reach, where it does not matter how many they are. */
const perMinute = 30
const quota = { perSecond: many, perMinute }
const few = { ...standard, pro: quota, studio: quota }

const ask = (service: TestService, token: string, path = '/v1/account') => service.get(path, { token })
const burst = (service: TestService, count: number, token: string, path?: string) =>
  Promise.all(Array.from({ length: count }, () => ask(service, token, path)))
const statuses = (replies: Reply[]) => replies.map(({ status }) => status).toSorted()
const expected = (passed: number, refused: number) => [...Array(passed).fill(200), ...Array(refused).fill(429)]
const at = (path: string, id = world.cast.a.items.microphone) => prefix + path.replace('{id}', id)
const revoke = ({ id, owner }: { id: string; owner: string }) =>
  world.owner('select access.revoke_token($1, t.id, $2) from access.tokens t where t.studio_id = $1', [id, owner])

/** Stops the counters' clock for the test: a second ends when the test says so, on slow machines
 * too. */
const stopClock = () => vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] })
/** Lets the clock run until the window of the second is over. */
const nextSecond = () => vi.advanceTimersByTimeAsync(1_050)
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

let byPlan: Promise<[TestService, TestService]> | undefined
test.each([
  ['pro', 10, 120],
  ['pro_insure', 10, 120],
  ['studio', 20, 300],
])('the plan %s allows %i requests in a second, and %i in a minute', async (plan, ofSecond, ofMinute) => {
  byPlan ??= Promise.all([world.start({ limits: without('perMinute') }), world.start({ limits: without('perSecond') })])
  const [bySecond, byMinute] = await byPlan
  const { token } = await world.newStudio({ plan })
  for (const service of [bySecond, byMinute]) expect((await ask(service, token)).status).toBe(200)
  expect(statuses(await burst(byMinute, ofMinute + 7, token))).toEqual(expected(ofMinute - 1, 8))
  stopClock()
  await nextSecond()
  expect(statuses(await burst(bySecond, ofSecond + 5, token))).toEqual(expected(ofSecond, 5))
})

test('RateLimit-Policy and RateLimit are structured fields, and count down truly', async () => {
  const service = await world.start({ limits: standard })
  const { token } = await world.newStudio({ plan: 'pro' })
  stopClock()
  await ask(service, token)
  await nextSecond()
  for (let used = 1; used <= 10; used += 1) {
    const { headers } = await ask(service, token)
    expect(headers['ratelimit-policy']).toBe('"second";q=10;w=1, "minute";q=120;w=60')
    const fields = /^"second";r=(\d+);t=1, "minute";r=(\d+);t=(\d+)$/.exec(String(headers.ratelimit))
    expect(fields?.slice(1, 3).map(Number)).toEqual([10 - used, 119 - used])
    expect(Number(fields?.[3])).toBeGreaterThan(50)
  }
  expect((await ask(service, token)).headers.ratelimit).toMatch(/^"second";r=0;t=1, "minute";r=109;/)
})

test('a 429 makes no query: no connection of the pool is requested', async () => {
  const service = await world.start({ limits: few })
  const { token } = await world.newStudio()
  await burst(service, perMinute, token)
  const asked = Object.values(service.pools).flatMap((pool) =>
    (['connect', 'query'] as const).map((way) => vi.spyOn(pool, way)),
  )
  for (const { path } of operations) {
    for (const id of [world.cast.a.items.microphone, '%ZZ']) {
      const { status, json } = await ask(service, token, at(path, id))
      expect([status, json]).toEqual([429, expect.objectContaining({ code: 'rate_limited' })])
      expect(json).not.toHaveProperty('data')
    }
  }
  for (const spy of asked) expect(spy).not.toHaveBeenCalled()
})

test('each answered request makes exactly one query', async () => {
  const service = await world.start()
  const connect = vi.spyOn(service.api, 'connect')
  const { names } = watchStatements(service.pools)
  for (const { path } of operations) {
    names.length = 0
    await ask(service, world.cast.a.token.token, at(path))
    expect(names).toHaveLength(1)
  }
  expect(connect).not.toHaveBeenCalled()
})

test('the limit is the token’s: two tokens of one studio do not use up each other’s', async () => {
  const service = await world.start({ limits: few })
  const { id, owner, token } = await world.newStudio()
  const other = await createToken(world.database, id, owner)
  await burst(service, perMinute + 1, token)
  expect((await ask(service, token)).status).toBe(429)
  expect((await ask(service, other.token)).status).toBe(200)
})

test('errors count as requests too: 400, 403 and 404', async () => {
  const service = await world.start({ limits: few })
  const { id, token } = await world.newStudio()
  const wrong = await burst(service, 10, token, '/v1/items?page=0')
  for (const { headers } of wrong) expect(headers).toHaveProperty('ratelimit')
  await burst(service, perMinute - 11, token, '/v1/items/unknown')
  await world.subscribe(id, 'studio', 'canceled')
  expect([(await ask(service, token)).status, (await ask(service, token)).status]).toEqual([403, 429])
})

test('a changed plan applies to the next request and counts earlier ones; the tier in the token does not matter', async () => {
  const service = await world.start({ limits: { ...few, pro: { ...few.pro, perMinute: 5 } } })
  const { id, token } = await world.newStudio({ plan: 'pro' })
  expect(statuses(await burst(service, 4, token))).toEqual(expected(4, 0))
  await world.subscribe(id, 'studio')
  expect((await ask(service, token)).headers['ratelimit-policy']).toContain('"minute";q=5;')
  expect(statuses(await burst(service, perMinute - 4, token))).toEqual(expected(perMinute - 5, 1))
  await world.subscribe(id, 'pro')
  expect(statuses(await burst(service, 2, token))).toEqual([429, 429])
})

const failedPerMinute = 5
const guess = (service: TestService, headers = {}, path = '/v1/account') =>
  service.get(path, { token: tokenOf('studio', newSecret()), headers })
const guarded = (more = {}) => world.start({ limits: { ...generous, failedPerMinute }, ...more })

/** A process that knows no token, as after a restart, and whose address has guessed too often;
 * it counts a guess with an invalid parameter, too. */
async function serviceAfterManyGuesses(): Promise<TestService> {
  const service = await guarded()
  const failed = [await guess(service, {}, '/v1/items?page=0')]
  while (failed.length < failedPerMinute) failed.push(await guess(service))
  expect([failed[0]?.status, new Set(failed.map(fingerprint)).size]).toEqual([401, 1])
  const refused = await guess(service)
  expect(refused.status).toBe(429)
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(50)
  return service
}

test('failed authentication is limited per client address; good tokens go on, also new ones and after a restart', async () => {
  const service = await serviceAfterManyGuesses()
  const { a, b } = world.cast
  const issuedMeanwhile = await world.newStudio()
  for (const { token } of [a.token, b.token, issuedMeanwhile]) expect((await ask(service, token)).status).toBe(200)
  expect((await service.get('/v1/account')).status).toBe(401)
})

test('a revoked token is a guess like any other', async () => {
  const studio = await world.newStudio()
  await revoke(studio)
  expect((await ask(await serviceAfterManyGuesses(), studio.token)).status).toBe(429)
})

test('of guesses that arrive at once the database is asked about no more than may fail', async () => {
  const service = await guarded()
  const asked = vi.spyOn(service.pools.authentication, 'queryUninstrumented')
  const replies = await Promise.all(Array.from({ length: 40 }, () => guess(service)))
  expect(statuses(replies)).toEqual([...Array(failedPerMinute).fill(401), ...Array(40 - failedPerMinute).fill(429)])
  // The first value is a digest, or of a batch all of them one after the other.
  const digests = asked.mock.calls.map(([, values]) => values?.[0]).filter((value) => Buffer.isBuffer(value))
  expect(Buffer.concat(digests).length / 32).toBe(failedPerMinute)
})

test('however many guesses there are, the tokens are read twice a second at most, and no guess is looked up', async () => {
  const service = await serviceAfterManyGuesses()
  const { names } = watchStatements(service.pools)
  const began = performance.now()
  for (let round = 0; round < 2; round += 1) await Promise.all(Array.from({ length: 20 }, () => guess(service)))
  const seconds = (performance.now() - began) / 1_000
  expect(names.length).toBeLessThanOrEqual(2 * seconds + 2)
  expect(new Set(names)).toEqual(new Set(['access.token_prefixes']))
})
