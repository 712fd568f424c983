import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { problem } from '../../src/apps/docs/openapi/problem.ts'
import { emptyList, itemId, type Reply, type RunningApp, startApp, withoutRequestId } from './support.ts'

let app: RunningApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.close())
beforeEach(() => {
  app.queries.length = 0
})
afterEach(() => app.answer(() => emptyList))

describe('methods', () => {
  test('HEAD gives the headers of GET and no body', async () => {
    for (const path of ['/v1/items', `/v1/items/${itemId}`, '/v1/items?page=0', '/nothing', '/healthz']) {
      const [get, head] = [await app.get(path), await app.get(path, { method: 'HEAD' })]
      expect(head.body).toBe('')
      expect(headersOf(head)).toBe(headersOf(get))
    }
  })

  test('any other method is 405 with Allow, without a token and without a statement', async () => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND']) {
      for (const path of [
        '/v1/items',
        `/v1/items/${itemId}`,
        '/v1/items/x/policies',
        '/v1/account',
        '/healthz',
        '/photos/x',
      ]) {
        const reply = await app.get(path, { method, token: null })
        expect([method, path, reply.status, reply.headers.allow]).toEqual([method, path, 405, 'GET, HEAD'])
        expect(problem.parse(JSON.parse(reply.body)).code).toBe('method_not_allowed')
      }
    }
    expect(app.queries).toEqual([])
  })

  test('any other method on an unknown address is 404', async () => {
    expect((await app.get('/v1/nothing', { method: 'POST' })).status).toBe(404)
    expect((await app.get('/v1/nothing', { method: 'OPTIONS' })).status).toBe(404)
  })
})

describe('every answer', () => {
  const paths = [
    '/v1/items',
    '/v1/items?page=0',
    '/v1/nothing',
    '/healthz',
    '/readyz',
    '/photos/x',
    `/v1/items/${itemId}`,
  ]
  test.each(paths)('%s: request id, no-store, nosniff, and nothing of the machinery', async (path) => {
    for (const token of [undefined, null]) {
      const { headers } = await app.get(path, token === null ? { token } : {})
      expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/)
      expect(headers['cache-control']).toBe('no-store')
      expect(headers['x-content-type-options']).toBe('nosniff')
      expect(headers).not.toHaveProperty('x-powered-by')
      expect(headers).not.toHaveProperty('etag')
    }
  })

  test('a request id is never taken from the request', async () => {
    const { headers } = await app.get('/v1/items', { headers: { 'X-Request-Id': 'mine' } })
    expect(headers['x-request-id']).not.toBe('mine')
  })
})

describe('health', () => {
  test('/healthz asks nobody', async () => {
    const reply = await app.get('/healthz', { token: null })
    expect([reply.status, reply.body]).toEqual([200, '{"status":"ok"}'])
  })

  test('/readyz says whether the service can answer', async () => {
    const ready = await app.get('/readyz', { token: null })
    expect([ready.status, ready.body]).toEqual([200, '{"status":"ready","schema_version":"000001.sql"}'])
    const other = await startApp({ ready: async () => ({ ready: false, reason: 'a migration is pending' }) })
    const failing = await startApp({ ready: () => Promise.reject(new Error('canary')) })
    const [away, broken] = [await other.get('/readyz'), await failing.get('/readyz')]
    expect([away.status, away.body]).toEqual([503, '{"status":"unavailable","reason":"a migration is pending"}'])
    expect([broken.status, broken.body]).toEqual([
      503,
      '{"status":"unavailable","reason":"the readiness check failed"}',
    ])
    await Promise.all([other.close(), failing.close()])
  })
})

/** Without what counts requests. */
function headersOf(reply: Reply): string {
  return withoutRequestId({ ...reply, body: '' }).replaceAll(/[rt]=\d+|RateLimit-Re(maining|set)\n\d+/g, '')
}
