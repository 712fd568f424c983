import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import type { ActivityDetails } from '../../src/auth/recorder.ts'
import { type CastToken, createToken } from '../support/cast.ts'
import { useWorld } from '../support/world.ts'

type Entry = {
  at: string
  endpoint: string
  status: number
  duration_ms: number
  request: string
  details: ActivityDetails
}

const world = useWorld()

const newToken = () => createToken(world.database, world.cast.a.id, world.cast.a.people.owner.id)
const activity = ({ id }: CastToken, studio = world.cast.a.id) =>
  world.owner<Entry>('select * from access.token_activity($1, $2)', [studio, id])
const lastUse = async ({ id }: CastToken) => {
  const text = 'select last_used_at as at from access.list_tokens($1) where token_id = $2'
  return (await world.owner<{ at: string | null }>(text, [world.cast.a.id, id]))[0]?.at
}

test('the use of a token shows within two seconds: time, endpoint, status and response time, newest first', async () => {
  const token = await newToken()
  const began = Date.now()
  const { items } = world.cast.a
  const asked = [
    [`/v1/items?category=Microphones`, 'GET'],
    [`/v1/items/${items.microphone}`, 'GET'],
    [`/v1/items/${items.microphone}/policies`, 'HEAD'],
    [`/v1/items/${randomUUID()}`, 'GET'],
    ['/v1/items/%ZZ', 'GET'],
    ['/v1/maintenance?status=x', 'GET'],
    ['/v1/account', 'GET'],
  ] as const
  for (const [path, method] of asked) {
    await world.get(path, { token: token.token, method })
    // Times have milliseconds, so requests of the same millisecond have no order.
    await sleep(2)
  }
  await vi.waitFor(async () => expect(await activity(token)).toHaveLength(asked.length), { timeout: 2_000 })
  const entries = await activity(token)
  expect(entries.map(({ endpoint, status }) => `${status} ${endpoint}`)).toEqual([
    '200 GET /v1/account',
    '400 GET /v1/maintenance',
    '404 GET /v1/items/{id}',
    '404 GET /v1/items/{id}',
    '200 HEAD /v1/items/{id}/policies',
    '200 GET /v1/items/{id}',
    '200 GET /v1/items',
  ])
  for (const { at, duration_ms } of entries) {
    expect(Date.parse(at)).toBeGreaterThanOrEqual(began)
    expect(Date.parse(at)).toBeLessThanOrEqual(Date.now())
    expect(duration_ms).toBeGreaterThan(0)
    expect(duration_ms).toBeLessThan(5_000)
  }
  expect(await lastUse(token)).toBe(entries[0]?.at)
})

test('a request shows what was asked, by whom, and how large the answer was, and never a token', async () => {
  const token = await newToken()
  const secret = token.token
  const query = new URLSearchParams({ category: 'Microphones', q: `x ${secret} ${'y'.repeat(300)}`, catgory: 'x' })
  const cursor = 'updated_since=2020-01-01&cursor=made-up'
  const headers = { 'User-Agent': `Zapier ${secret}` }
  const replies = [
    await world.get(`/v1/items?${query}`, { token: secret, headers }),
    await world.get('/v1/items?per_page=37', { token: secret }),
    await world.get('/v1/items?per_page=37', { token: secret }),
    await world.get(`/v1/items?${cursor}`, { token: secret }),
    await world.get(`/v1/items?q=${'%01'.repeat(2_000)}`, { token: secret, method: 'HEAD' }),
  ]
  await world.service.recorder.flush()
  const found = (await activity(token)).reverse()
  const [search, first, again, refused, long] = found
  expect(found.map(({ request }) => request)).toEqual(replies.map((reply) => reply.headers['x-request-id']))
  expect(JSON.stringify(found)).not.toContain(secret)
  expect(search?.details).toMatchObject({
    query: expect.stringMatching(/^category=Microphones&q=x svc_studio_\w{4}… y{150,}$/),
    ...{ ignored: ['catgory'], address: '127.0.0.1', agent: expect.stringMatching(/^Zapier svc_studio_\w{4}…$/) },
    bytes: Number(replies[0]?.headers['content-length']),
  })
  expect([first?.details.cached, again?.details.cached]).toEqual([false, true])
  expect(refused).toMatchObject({ status: 400, details: { query: 'updated_since=2020-01-01&cursor=…' } })
  expect(long?.details).toMatchObject({ bytes: 0 })
  expect(JSON.stringify(long?.details).length).toBeLessThan(1_000)
})

test('a token that is used from another address shows that to its owner', async () => {
  const token = await newToken()
  await world.owner(`update access.tokens set addresses = '{203.0.113.0/24}' where id = $1`, [token.id])
  expect((await world.get('/v1/items', { token: token.token })).status).toBe(401)
  await world.service.recorder.flush()
  expect(await activity(token)).toMatchObject([{ status: 401, details: { address: '127.0.0.1' } }])
  expect(await lastUse(token)).toBeNull()
})

test('requests that were refused are part of it: 403 and 429', async () => {
  const quota = { perSecond: 99, perMinute: 2 }
  const service = await world.start({ limits: { pro: quota, studio: quota, failedPerMinute: 99 } })
  const { id, owner } = await world.newStudio()
  const token = await createToken(world.database, id, owner)
  await service.get('/v1/items', { token: token.token })
  await world.subscribe(id, 'studio', 'canceled')
  for (let count = 0; count < 2; count += 1) await service.get('/v1/items', { token: token.token })
  await service.recorder.flush()
  expect((await activity(token, id)).map(({ status }) => status)).toEqual([429, 403, 200])
})

test('a request with a revoked token is recorded as no token’s activity', async () => {
  const token = await newToken()
  const { id, people } = world.cast.a
  await world.owner('select access.revoke_token($1, $2, $3)', [id, token.id, people.owner.id])
  expect((await world.get('/v1/items', { token: token.token })).status).toBe(401)
  await world.service.recorder.flush()
  expect(await activity(token)).toEqual([])
  expect(await lastUse(token)).toBeNull()
})

test('a recorder that fails never fails a request', async () => {
  const service = await world.start({ write: async () => Promise.reject(new Error('no room')) })
  for (let count = 0; count < 50; count += 1) {
    expect((await service.get('/v1/account', { token: world.cast.a.token.token })).status).toBe(200)
  }
  await service.recorder.flush()
  expect(service.log()).toContain('request activity could not be written')
  expect((await service.get('/v1/account', { token: world.cast.a.token.token })).status).toBe(200)
})
