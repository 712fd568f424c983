import { afterEach, expect, test, vi } from 'vitest'
import { operations, prefix } from '../../src/api/operations.ts'
import { newSecret, tokenOf } from '../../src/auth/token.ts'
import { createToken } from '../support/cast.ts'
import { fingerprint, type Reply } from '../support/client.ts'
import { watchStatements } from '../support/statements.ts'
import { useWorld } from '../support/world.ts'
import { burst, expected, only, standard, statuses } from './limits.ts'

const world = useWorld()
/** Limits of a minute that few requests reach, where it does not matter how many they are. */
const perMinute = 30
const few = {
  ...standard,
  pro: { perSecond: 1_000_000, perMinute },
  studio: { perSecond: 1_000_000, perMinute },
}

afterEach(() => {
  vi.restoreAllMocks()
})

test.each([
  ['pro', 120],
  ['pro_insure', 120],
  ['studio', 300],
])('the plan %s allows %i requests in a minute', async (plan, perMinute) => {
  const service = await world.start({ limits: only('perMinute') })
  const { token } = await world.newStudio({ plan })
  const first = await service.get('/v1/account', { token })
  expect(first.status).toBe(200)
  expect(statuses(await burst(service, perMinute + 7, token))).toEqual(expected(perMinute - 1, 8))
})

test('a 429 makes no query: no connection of the pool is requested', async () => {
  const service = await world.start({ limits: few })
  const { token } = await world.newStudio()
  await burst(service, perMinute, token)
  const ways = ['connect', 'query'] as const
  const asked = ways.map((way) => vi.spyOn(service.api, way))
  for (const { path } of operations) {
    for (const id of [world.cast.a.items.microphone, '%ZZ']) {
      const reply = await service.get(prefix + path.replace('{id}', id), { token })
      expect(reply.status).toBe(429)
      expect(reply.json).toMatchObject({ code: 'rate_limited' })
      expect(reply.json).not.toHaveProperty('data')
    }
  }
  for (const spy of asked) expect(spy).not.toHaveBeenCalled()
})

test('each answered request makes exactly one query', async () => {
  const service = await world.start()
  const connect = vi.spyOn(service.api, 'connect')
  const { names } = watchStatements(service.api)
  for (const { path } of operations) {
    names.length = 0
    await service.get(prefix + path.replace('{id}', world.cast.a.items.microphone), { token: world.cast.a.token.token })
    expect(names).toHaveLength(1)
  }
  expect(connect).not.toHaveBeenCalled()
})

test('Retry-After names the rest of the minute when the minute is used up', async () => {
  const service = await world.start({ limits: few })
  const { token } = await world.newStudio()
  const began = Date.now()
  await burst(service, perMinute, token)
  const refused = await service.get('/v1/account', { token })
  expect(refused.status).toBe(429)
  const retryAfter = Number(refused.headers['retry-after'])
  expect(retryAfter).toBeGreaterThanOrEqual(60 - Math.ceil((Date.now() - began) / 1000))
  expect(retryAfter).toBeLessThanOrEqual(60)
  expect(refused.headers.ratelimit).toContain(`"minute";r=0;t=${retryAfter}`)
})

test('the limit is the token’s: two tokens of one studio do not use up each other’s', async () => {
  const service = await world.start({ limits: few })
  const { id, owner, token } = await world.newStudio()
  const other = await createToken(world.database, id, owner)
  await burst(service, perMinute + 1, token)
  expect((await service.get('/v1/account', { token })).status).toBe(429)
  expect((await service.get('/v1/account', { token: other.token })).status).toBe(200)
})

test('errors count as requests too: 400, 403 and 404', async () => {
  const service = await world.start({ limits: few })
  const { id, token } = await world.newStudio()
  const wrong = await burst(service, 10, token, '/v1/items?page=0')
  for (const { headers } of wrong) expect(headers).toHaveProperty('ratelimit')
  await burst(service, perMinute - 11, token, '/v1/items/unknown')
  await world.owner(`select access.set_subscription($1, 'studio', 'canceled')`, [id])
  expect((await service.get('/v1/account', { token })).status).toBe(403)
  expect((await service.get('/v1/account', { token })).status).toBe(429)
})

test('a changed plan acts on the next request, with what was used before; the tier in the token decides nothing', async () => {
  const service = await world.start({ limits: { ...few, pro: { ...few.pro, perMinute: 5 } } })
  const { id, token } = await world.newStudio({ plan: 'pro' })
  expect(statuses(await burst(service, 4, token))).toEqual(expected(4, 0))
  await world.owner(`select access.set_subscription($1, 'studio', 'active')`, [id])
  const { headers } = await service.get('/v1/account', { token })
  expect(headers['ratelimit-policy']).toContain('"minute";q=5;')
  expect(statuses(await burst(service, perMinute - 4, token))).toEqual(expected(perMinute - 5, 1))
  await world.owner(`select access.set_subscription($1, 'pro', 'active')`, [id])
  expect(statuses(await burst(service, 2, token))).toEqual([429, 429])
})

test('a revoked token stays 401 however often it is tried within its limit', async () => {
  const service = await world.start({ limits: standard })
  const { id, owner, token } = await world.newStudio()
  expect((await service.get('/v1/account', { token })).status).toBe(200)
  await world.owner(
    'select r.id from access.tokens t cross join lateral access.revoke_token($1, t.id, $2) r where t.studio_id = $1',
    [id, owner],
  )
  expect(statuses(await burst(service, 5, token))).toEqual(Array(5).fill(401))
})

test('failed authentication is limited per client address; a token that works goes on', async () => {
  const service = await world.start({ limits: { ...standard, failedPerMinute: 30 } })
  const good = world.cast.a.token.token
  expect((await service.get('/v1/account', { token: good })).status).toBe(200)
  const guess = () => service.get('/v1/account', { token: tokenOf('studio', newSecret()) })
  const failed: Reply[] = []
  for (let count = 0; count < 30; count += 1) failed.push(await guess())
  expect(new Set(failed.map(fingerprint)).size).toBe(1)
  expect(failed[0]?.status).toBe(401)
  const spy = vi.spyOn(service.api, 'connect')
  const guarded = await guess()
  expect(guarded.status).toBe(429)
  expect(Number(guarded.headers['retry-after'])).toBeGreaterThan(50)
  expect(spy).not.toHaveBeenCalled()
  expect((await service.get('/v1/account', { token: good })).status).toBe(200)
  expect((await service.get('/v1/account')).status).toBe(401)
})

test('behind a trusted proxy the addresses of its clients are guarded one by one', async () => {
  const limits = { ...standard, failedPerMinute: 3 }
  const service = await world.start({ limits, trustProxy: 'loopback' })
  const from = (address: string) =>
    service.get('/v1/account', {
      token: tokenOf('pro', newSecret()),
      headers: { 'X-Forwarded-For': address },
    })
  for (let count = 0; count < 3; count += 1) expect((await from('203.0.113.7')).status).toBe(401)
  expect((await from('203.0.113.7')).status).toBe(429)
  expect((await from('203.0.113.8')).status).toBe(401)
})

test('without a trusted proxy nobody gets a new address by naming one', async () => {
  const service = await world.start({ limits: { ...standard, failedPerMinute: 3 } })
  const from = (address: string) =>
    service.get('/v1/account', {
      token: tokenOf('pro', newSecret()),
      headers: { 'X-Forwarded-For': address, Forwarded: `for=${address}` },
    })
  for (let count = 0; count < 3; count += 1) expect((await from(`203.0.113.${count}`)).status).toBe(401)
  expect((await from('203.0.113.99')).status).toBe(429)
})
