import { connect } from 'node:net'
import { describe, expect, test, vi } from 'vitest'
import { problem } from '../../src/docs/openapi/responses.ts'
import { emptyList, newToken, startApp, tokenId, useApp } from './support.ts'

const app = useApp()

describe('health', () => {
  test('/healthz answers without asking the database', async () => {
    const reply = await app.get('/healthz', { token: null })
    expect([reply.status, reply.body, app.queries]).toEqual([200, '{"status":"ok"}', []])
  })

  test('/readyz says whether the service can answer', async () => {
    const ready = await app.get('/readyz', { token: null })
    expect([ready.status, ready.body]).toEqual([200, '{"status":"ready","schema_version":"000001.sql"}'])
    const other = await startApp({ ready: async () => ({ ready: false, reason: 'a migration is pending' }) })
    const failing = await startApp({ ready: () => Promise.reject(new Error('canary')) })
    const [away, broken] = [await other.get('/readyz'), await failing.get('/readyz')]
    const unavailable = (reason: string) => [503, JSON.stringify({ status: 'unavailable', reason })]
    expect([away.status, away.body]).toEqual(unavailable('a migration is pending'))
    expect([broken.status, broken.body]).toEqual(unavailable('the readiness check failed'))
    await Promise.all([other.close(), failing.close()])
  })
})

describe('a problem', () => {
  /** What Firefox and Chromium send when somebody opens an address. */
  const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
  const ask = (path: string, Accept?: string) =>
    app.get(path, { token: null, headers: Accept === undefined ? {} : { Accept } })

  test.each(['/v1/items', '/favicon.png'])('of %s is shown in lines to a browser that opens it', async (path) => {
    const [shown, sent] = [await ask(path, browser), await ask(path)]
    expect([shown.status, shown.headers['content-type']]).toEqual([sent.status, sent.headers['content-type']])
    const { request_id: shownId, ...other } = problem.parse(JSON.parse(shown.body))
    const { request_id: sentId, ...same } = problem.parse(JSON.parse(sent.body))
    expect(other).toEqual(same)
    expect(shown.body.split('\n').length).toBeGreaterThan(10)
    expect(shown.headers['content-length']).toBe(String(Buffer.byteLength(shown.body)))
  })

  test.each([undefined, '*/*', 'application/problem+json'])('is one line to a program: %s', async (accept) => {
    expect((await ask('/v1/items', accept)).body.split('\n')).toHaveLength(1)
  })
})

describe('the log', () => {
  const lines = () =>
    app
      .log()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
  const lineOf = (requestId: unknown) => lines().find((line) => line.request_id === requestId && line.msg === 'request')

  test('has one line per request, with the template of its route and the names of its parameters', async () => {
    const { headers } = await app.get('/v1/items?page=2&category=Microphones&other=1')
    expect(lineOf(headers['x-request-id'])).toEqual({
      ...{ level: 'info', msg: 'request', time: expect.any(String), request_id: headers['x-request-id'] },
      ...{ method: 'GET', route: '/v1/items', parameters: ['page', 'category'], ignored: ['other'] },
      token_id: tokenId,
      ...{ status: 200, duration_ms: expect.any(Number) },
    })
    const unknown = await app.get('/some/where', { token: null })
    expect(lineOf(unknown.headers['x-request-id'])).toMatchObject({ route: 'unmatched', status: 404 })
  })

  test('says of a client that leaves early that it did', async () => {
    const { promise, resolve: release } = Promise.withResolvers<typeof emptyList>()
    app.answer(() => promise)
    const socket = connect(app.port)
    socket.write(`GET /v1/items HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${newToken()}\r\n\r\n`)
    await vi.waitFor(() => expect(app.queries).toHaveLength(1))
    socket.destroy()
    const left = () => lines().filter(({ aborted, status }) => aborted === true && status === 499)
    await vi.waitFor(() => expect(left()).toHaveLength(1))
    release(emptyList)
  })
})
