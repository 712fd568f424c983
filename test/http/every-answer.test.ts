import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { emptyList, itemId, type RunningApp, startApp } from './support.ts'

let app: RunningApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.close())
beforeEach(() => {
  app.queries.length = 0
})
afterEach(() => app.answer(() => emptyList))

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
