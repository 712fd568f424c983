import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { Reply } from '../support/client.ts'
import { type DatabaseProxy, openProxy } from '../support/proxy.ts'
import { isIdle, type TestService } from '../support/service.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()
const acquireTimeoutMs = 1_000
const statementTimeoutMs = 500
const slack = 1_500

let proxy: DatabaseProxy
let service: TestService
beforeAll(async () => {
  proxy = await openProxy(world.database.adminUrl)
  service = await world.start({ poolSize: 3, acquireTimeoutMs, statementTimeoutMs, reach: proxy.reach })
})
afterAll(() => proxy?.close())

const ask = (path = '/v1/items', token: string | null = world.cast.a.token.token, method = 'GET') =>
  service.get(path, { token, method })

async function timed(...asked: Parameters<typeof ask>): Promise<{ reply: Reply; ms: number }> {
  const began = performance.now()
  const reply = await ask(...asked)
  return { reply, ms: performance.now() - began }
}

const hold = () => Promise.all([1, 2, 3].map(() => service.api.connect()))

function expectUnavailable(reply: Reply): void {
  expect(reply.status).toBe(503)
  expect(reply.json).toMatchObject({ code: 'unavailable', request_id: reply.headers['x-request-id'] })
  expect(Number(reply.headers['retry-after'])).toBeGreaterThan(0)
  expect(reply.text).not.toMatch(/ECONN|postgres|127\.0\.0\.1|timeout|pool/i)
}

/** Requests that need no database get an answer at once. */
async function expectTheRestAnswers(): Promise<void> {
  const answers: [number, ...Parameters<typeof ask>][] = [
    [401, '/v1/items', null],
    [401, '/v1/items', 'svc_studio_short'],
    [404, '/v1/nothing'],
    [405, '/v1/items', null, 'POST'],
    [200, '/healthz'],
    [404, '/photos/forged'],
  ]
  for (const [status, ...asked] of answers) {
    const { reply, ms } = await timed(...asked)
    expect(reply.status).toBe(status)
    expect(ms).toBeLessThan(acquireTimeoutMs)
  }
}

test('all connections are in use: 401, 404 and 405 at once; the others 503 with Retry-After within the bound', async () => {
  const held = await hold()
  try {
    await expectTheRestAnswers()
    const studios = [world.cast.a, world.cast.b]
    for (const { reply, ms } of await Promise.all(studios.map(({ token }) => timed('/v1/items', token.token)))) {
      expectUnavailable(reply)
      expect(ms).toBeGreaterThan(acquireTimeoutMs / 2)
      expect(ms).toBeLessThan(acquireTimeoutMs + slack)
    }
    // A balancer keeps an instance whose connections are busy.
    expect((await ask('/readyz')).status).toBe(200)
  } finally {
    for (const client of held) client.release()
  }
  expect((await ask()).status).toBe(200)
  await vi.waitFor(() => expect(isIdle(service.api)).toBe(true), 10_000)
})

test('a request that waits gets the connection that comes free', async () => {
  const held = await hold()
  const waiting = ask()
  setTimeout(() => held[0]?.release(), acquireTimeoutMs / 4)
  expect((await waiting).status).toBe(200)
  for (const client of held.slice(1)) client.release()
})
