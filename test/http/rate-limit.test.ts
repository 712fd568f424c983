import { afterEach, expect, test, vi } from 'vitest'
import { problem } from '../../src/apps/docs/openapi/problem.ts'
import { DatabaseUnavailable } from '../../src/database/errors.ts'
import { emptyList, newToken, type Reply, type RunningApp, startApp, tokenId } from './support.ts'

const limits = {
  pro: { perSecond: 3, perMinute: 7 },
  studio: { perSecond: 5, perMinute: 12 },
  failedPerMinute: 4,
}

let app: RunningApp
afterEach(() => {
  vi.useRealTimers()
  return app.close()
})

/** Starts the service with a clock that stands still: a second is over when a test says so, however slow the machine is. */
async function start(perSecond?: number): Promise<void> {
  const wide =
    perSecond === undefined
      ? limits
      : { ...limits, pro: { ...limits.pro, perSecond }, studio: { ...limits.studio, perSecond } }
  app = await startApp({ limits: wide })
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] })
}

async function times(count: number, token: string, path = '/v1/items'): Promise<Reply[]> {
  const replies: Reply[] = []
  for (let index = 0; index < count; index += 1) replies.push(await app.get(path, { token }))
  return replies
}

const statuses = (replies: Reply[]) => replies.map(({ status }) => status)

test('says the policy and what is left of it on every answer past the limiter', async () => {
  await start()
  const token = newToken()
  const [first, second] = await times(2, token)
  expect(first?.headers['ratelimit-policy']).toBe('"second";q=5;w=1, "minute";q=12;w=60')
  expect(first?.headers.ratelimit).toBe('"second";r=4;t=1, "minute";r=11;t=60')
  expect(second?.headers.ratelimit).toBe('"second";r=3;t=1, "minute";r=10;t=60')
  app.answer(() => new DatabaseUnavailable('down'))
  const answers = [await app.get('/v1/items', { token }), await app.get('/v1/items?page=0', { token })]
  expect(statuses(answers)).toEqual([503, 400])
  for (const { headers } of answers) expect(headers).toHaveProperty('ratelimit')
})

test('a burst beyond the second: 429, no statement, and Retry-After is true', async () => {
  await start()
  const token = newToken()
  const replies = await Promise.all(Array.from({ length: 20 }, () => app.get('/v1/items', { token })))
  expect(statuses(replies).sort()).toEqual([...Array(5).fill(200), ...Array(15).fill(429)])
  expect(app.queries).toHaveLength(5)
  const refused = replies.filter(({ status }) => status === 429)
  for (const { headers, body } of refused) {
    expect(headers['retry-after']).toBe('1')
    expect(headers.ratelimit).toMatch(/^"second";r=0;t=1, "minute";r=\d+;t=60$/)
    expect(problem.parse(JSON.parse(body)).code).toBe('rate_limited')
  }
  await vi.advanceTimersByTimeAsync(1_000)
  const after = await app.get('/v1/items', { token })
  expect(after.status).toBe(200)
  expect(after.headers.ratelimit).toMatch(/^"second";r=4;t=1, "minute";r=6;t=5\d$/)
})

test('beyond the minute: 429 until it is over, whatever the second says', async () => {
  await start(1_000)
  const token = newToken()
  expect(statuses(await times(14, token))).toEqual([...Array(12).fill(200), 429, 429])
  const refused = await app.get('/v1/items', { token })
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(50)
  expect(refused.headers.ratelimit).toMatch(/"minute";r=0;t=(60|59)$/)
  expect(app.queries).toHaveLength(12)
})

test('one token does not use up the quota of another, whatever address they share', async () => {
  await start()
  const [one, other] = [newToken(), newToken('pro')]
  await times(6, one)
  expect((await app.get('/v1/items', { token: other })).status).toBe(200)
})

test('the tier in the token decides nothing: the plan of the last authentication does', async () => {
  await start(1_000)
  const token = newToken('studio')
  app.answer(() => ({ ...emptyList, plan_tier: 'pro_insure' }))
  const replies = await times(8, token)
  expect(statuses(replies)).toEqual([...Array(7).fill(200), 429])
  expect(replies[0]?.headers['ratelimit-policy']).toBe('"second";q=1000;w=1, "minute";q=12;w=60')
  expect(replies[1]?.headers['ratelimit-policy']).toBe('"second";q=1000;w=1, "minute";q=7;w=60')
})

test('a changed plan acts on the very next request, with what was used before', async () => {
  await start(1_000)
  const token = newToken('pro')
  app.answer(() => ({ ...emptyList, plan_tier: 'pro' }))
  expect(statuses(await times(6, token))).toEqual(Array(6).fill(200))
  app.answer(() => ({ ...emptyList, plan_tier: 'studio' }))
  expect(statuses(await times(6, token))).toEqual(Array(6).fill(200))
  expect((await app.get('/v1/items', { token })).status).toBe(429)
})

test('what is remembered is no authority: a revoked token is refused by the next statement', async () => {
  await start()
  const token = newToken()
  expect((await app.get('/v1/items', { token })).status).toBe(200)
  app.answer(() => ({ status: 401 }))
  const refused = await app.get('/v1/items', { token })
  expect(refused.status).toBe(401)
  expect(refused.headers).not.toHaveProperty('ratelimit')
  expect(refused.headers).not.toHaveProperty('ratelimit-policy')
  app.answer(() => ({ status: 403, plan_tier: null }))
  expect((await app.get('/v1/items', { token })).headers).toHaveProperty('ratelimit')
})

test('after too many failed authentications an address waits; a token that has just worked does not', async () => {
  await start()
  const good = newToken()
  expect((await app.get('/v1/items', { token: good })).status).toBe(200)
  app.answer(() => ({ status: 401 }))
  for (let index = 0; index < limits.failedPerMinute; index += 1) {
    expect((await app.get('/v1/items', { token: newToken() })).status).toBe(401)
  }
  app.answer(() => emptyList)
  app.queries.length = 0
  const guarded = await app.get('/v1/items', { token: newToken() })
  expect(guarded.status).toBe(429)
  expect(Number(guarded.headers['retry-after'])).toBeGreaterThan(50)
  expect(guarded.headers).not.toHaveProperty('ratelimit')
  expect(app.queries).toEqual([])
  expect((await app.get('/v1/items', { token: good })).status).toBe(200)
  expect((await app.get('/v1/items', { token: null })).status).toBe(401)
})

test('behind a trusted proxy each client address is guarded by itself', async () => {
  app = await startApp({ limits, config: { docsUrl: 'http://x/docs', trustProxy: 'loopback' } })
  app.answer(() => ({ status: 401 }))
  const from = (address: string) => app.get('/v1/items', { token: newToken(), headers: { 'X-Forwarded-For': address } })
  for (let index = 0; index < limits.failedPerMinute; index += 1) await from(`2001:db8::${index}`)
  expect((await from('2001:db8::ffff:1')).status).toBe(429)
  expect((await from('2001:db8:0:1::1')).status).toBe(401)
  expect((await from('203.0.113.7')).status).toBe(401)
})

test('a refused request of a known token is part of its activity', async () => {
  await start()
  const token = newToken()
  await times(6, token)
  expect(app.activities.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 429])
  expect(app.activities.at(-1)).toMatchObject({ tokenId, endpoint: 'GET /v1/items' })
})

test('wrong parameters are checked after the rate limit, and counted', async () => {
  await start()
  const token = newToken()
  expect(statuses(await times(6, token, '/v1/items?page=0'))).toEqual([...Array(5).fill(400), 429])
  expect(app.queries).toEqual([])
})
