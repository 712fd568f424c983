import { expect, test } from 'vitest'
import { newSecret, tokenOf } from '../../src/auth/token.ts'
import { type CastToken, createToken } from '../support/cast.ts'
import { generous, type TestService } from '../support/service.ts'
import { useWorld } from '../support/world.ts'
import { overHttp } from './support.ts'

const world = useWorld({ mcp: true })

const newToken = () => createToken(world.database, world.cast.a.id, world.cast.a.people.owner.id)
const revoke = (token: CastToken) =>
  world.owner('select access.revoke_token($1, $2, $3)', [world.cast.a.id, token.id, world.cast.a.people.owner.id])
const listTools = { jsonrpc: '2.0', id: 1, method: 'tools/list' }

/** Sends one message as a client of the protocol does, or in another way. */
async function post(
  token: string | null,
  { service = world.service, ...init }: RequestInit & { service?: TestService } = {},
) {
  return fetch(`${service.url}/mcp`, {
    method: 'POST',
    body: JSON.stringify(listTools),
    ...init,
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      ...(token !== null && { Authorization: `Bearer ${token}` }),
      ...init.headers,
    },
  })
}

test('without MCP=true there is nothing at /mcp', async () => {
  const service = await world.start()
  expect((await post(world.cast.a.token.token, { service })).status).toBe(404)
})

test.each([
  ['no token', () => null],
  ['a malformed token', () => 'svc_studio_short'],
  ['a token that nobody issued', () => tokenOf('studio', newSecret())],
])('%s is answered like by the API: 401 and WWW-Authenticate', async (_case, token) => {
  const response = await post(token())
  expect(response.status).toBe(401)
  expect(response.headers.get('www-authenticate')).toBe('Bearer')
  expect(response.headers.get('ratelimit')).toBeNull()
  expect(await response.json()).toMatchObject({ code: 'unauthenticated', _meta: { disclaimers: expect.any(Array) } })
})

test('two Authorization headers are none', async () => {
  const one = ['Authorization', `Bearer ${world.cast.a.token.token}`]
  expect((await post(null, { headers: [one, one] as never })).status).toBe(401)
})

test('a revoked token is an error of the tool, and 401 from then on', async () => {
  const token = await newToken()
  const assistant = await overHttp(world.service.url, token.token)
  expect((await assistant.call('get_account')).isError).toBe(false)
  await revoke(token)
  expect(await assistant.failure('get_account')).toMatch(
    /^The token was refused: ask the user to create a new API token/,
  )
  expect((await post(token.token)).status).toBe(401)
  await assistant.close()
})

test.each(['GET', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'])('%s is answered with 405', async (method) => {
  const response = await post(world.cast.a.token.token, { method, body: null })
  expect(response.status).toBe(405)
  expect(response.headers.get('allow')).toBe('POST')
  expect(await response.json()).toMatchObject({ jsonrpc: '2.0', error: { message: expect.any(String) } })
})

test.each(['https://evil.example', 'null', 'http://localhost.evil.example'])(
  'a page of %s may not ask',
  async (origin) => {
    const response = await post(world.cast.a.token.token, { headers: { Origin: origin } })
    expect(response.status).toBe(403)
    expect(response.headers.get('access-control-allow-origin')).toBeNull()
  },
)

test('a page of the service itself may ask', async () => {
  expect((await post(world.cast.a.token.token, { headers: { Origin: world.service.url } })).status).toBe(200)
})

test('a message above 64 kB is refused unread, and other text than JSON as the protocol says', async () => {
  const { token } = world.cast.a.token
  const long = JSON.stringify({ ...listTools, params: { x: 'x'.repeat(70_000) } })
  expect((await post(token, { body: long })).status).toBe(413)
  const broken = await post(token, { body: '{' })
  expect(broken.status).toBe(400)
  expect(await broken.json()).toMatchObject({ error: { code: -32_700 } })
})

test('an array of messages is refused in a few bytes, so that each message counts', async () => {
  const { token } = world.cast.a.token
  for (const messages of [[], [listTools], Array(100).fill(listTools)]) {
    const response = await post(token, { body: JSON.stringify(messages) })
    expect(response.status).toBe(400)
    expect(await response.text()).toBe(
      '{"jsonrpc":"2.0","error":{"code":-32600,"message":"Send one message, and no array."},"id":null}',
    )
  }
})

test('what tools read is recorded as activity of the token, and nothing else is', async () => {
  const token = await newToken()
  const assistant = await overHttp(world.service.url, token.token)
  await assistant.client.listTools()
  await assistant.call('get_item', { id: world.cast.a.items.microphone })
  await assistant.call('get_item', { id: world.cast.b.items.microphone })
  await world.service.recorder.flush()
  const text = `select status || ' ' || endpoint as line from access.token_activity($1, $2) order by 1`
  const activity = await world.owner<{ line: string }>(text, [world.cast.a.id, token.id])
  const lines = ['200 GET /v1/account', '200 GET /v1/items/{id}', '404 GET /v1/items/{id}']
  expect(activity.map(({ line }) => line)).toEqual(lines)
  await assistant.close()
})

test('the limits of the token hold, and the error says how long to wait', async () => {
  const quota = { perSecond: 1_000, perMinute: 3 }
  const service = await world.start({ mcp: true, limits: { ...generous, studio: quota } })
  const { token } = await world.newStudio()
  const assistant = await overHttp(service.url, token)
  for (let count = 0; count < 2; count += 1) await assistant.call('get_account')
  expect(await assistant.failure('get_account')).toMatch(/^Too many requests: wait \d+ seconds, then call again/)
  const direct = await service.get('/v1/account', { token })
  expect(direct.status).toBe(429)
  await assistant.close()
})

test('tokens that do not work count against the address of the caller, not against that of the service', async () => {
  const service = await world.start({ mcp: true, trustProxy: 1, limits: { ...generous, failedPerMinute: 2 } })
  const from = (address: string) => ({ service, headers: { 'X-Forwarded-For': address } })
  const statuses: number[] = []
  for (const address of ['203.0.113.1', '203.0.113.1', '203.0.113.1', '203.0.113.2']) {
    statuses.push((await post(tokenOf('studio', newSecret()), from(address))).status)
  }
  expect(statuses).toEqual([401, 401, 429, 401])
})

test('messages that ask nothing of the API are limited too', async () => {
  const refused = { retryAfterSeconds: 7, takeBack: () => undefined }
  const service = await world.start({ mcp: true, limiter: (real) => ({ ...real, admitAction: async () => refused }) })
  const response = await post(world.cast.a.token.token, { service })
  expect(response.status).toBe(429)
  expect(response.headers.get('retry-after')).toBe('7')
})
