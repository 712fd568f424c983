import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest'
import type { Reply } from '../support/client.ts'
import { type DatabaseProxy, openProxy } from '../support/proxy.ts'
import { withClient } from '../support/server.ts'
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

const ask = (path: string, token: string | null = world.cast.a.token.token, method = 'GET') =>
  service.get(path, { token, method })

async function timed(work: () => Promise<Reply>): Promise<{ reply: Reply; ms: number }> {
  const began = performance.now()
  const reply = await work()
  return { reply, ms: performance.now() - began }
}

function expectUnavailable(reply: Reply): void {
  expect(reply.status).toBe(503)
  expect(reply.json).toMatchObject({ code: 'unavailable', request_id: reply.headers['x-request-id'] })
  expect(Number(reply.headers['retry-after'])).toBeGreaterThan(0)
  expect(reply.text).not.toMatch(/ECONN|postgres|127\.0\.0\.1|timeout|pool/i)
}

/** What needs no database is answered at once. */
async function expectTheRestAnswers(): Promise<void> {
  const answers = [
    [401, () => ask('/v1/items', null)],
    [401, () => ask('/v1/items', 'svc_studio_short')],
    [404, () => ask('/v1/nothing')],
    [405, () => ask('/v1/items', null, 'POST')],
    [200, () => ask('/healthz')],
    [404, () => ask('/photos/forged')],
  ] as const
  for (const [status, work] of answers) {
    const { reply, ms } = await timed(work)
    expect(reply.status).toBe(status)
    expect(ms).toBeLessThan(acquireTimeoutMs)
  }
}

describe('all connections are in use', () => {
  test('401, 404 and 405 answer at once; the others 503 with Retry-After within the bound', async () => {
    const held = await Promise.all([service.api.connect(), service.api.connect(), service.api.connect()])
    try {
      await expectTheRestAnswers()
      const waiting = await Promise.all(Array.from({ length: 20 }, () => timed(() => ask('/v1/items'))))
      for (const { reply, ms } of waiting) {
        expectUnavailable(reply)
        expect(ms).toBeGreaterThan(acquireTimeoutMs / 2)
        expect(ms).toBeLessThan(acquireTimeoutMs + slack)
      }
      expect((await ask('/readyz')).status).toBe(503)
    } finally {
      for (const client of held) client.release()
    }
    expect((await ask('/v1/items')).status).toBe(200)
    await vi.waitFor(() => expect(isIdle(service.api)).toBe(true), 10_000)
  })

  test('a request that waits gets the connection that comes free', async () => {
    const held = await Promise.all([service.api.connect(), service.api.connect(), service.api.connect()])
    const waiting = ask('/v1/items')
    setTimeout(() => held[0]?.release(), acquireTimeoutMs / 4)
    expect((await waiting).status).toBe(200)
    for (const client of held.slice(1)) client.release()
  })
})

describe('the database is down', () => {
  test('503 with Retry-After at once, the rest answers, and it recovers by itself', async () => {
    expect((await ask('/v1/items')).status).toBe(200)
    await proxy.down()
    for (let count = 0; count < 5; count += 1) {
      const { reply, ms } = await timed(() => ask('/v1/items'))
      expectUnavailable(reply)
      expect(ms).toBeLessThan(acquireTimeoutMs + slack)
    }
    expect((await ask('/readyz')).status).toBe(503)
    await expectTheRestAnswers()
    await proxy.up()
    const recovered = await timed(() =>
      vi.waitFor(async () => {
        const reply = await ask('/v1/items')
        expect(reply.status).toBe(200)
        return reply
      }, 5_000),
    )
    expect(recovered.ms).toBeLessThan(5_000)
    expect((await ask('/readyz')).status).toBe(200)
  })
})

describe('the database is up but refuses all logins', () => {
  const server = inject('testServer').adminUrl
  /** Runs a statement beside the database, and ends the sessions in it. */
  const decree = (statement: string) =>
    withClient(server, async (admin) => {
      const { name } = world.database
      await admin.query(statement.replace('$name', name))
      await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name])
    })

  test.each([
    [
      'taken out of service',
      'alter database $name allow_connections false',
      'alter database $name allow_connections true',
    ],
    [
      'closed to the login',
      'revoke connect on database $name from studio_api',
      'grant connect on database $name to studio_api',
    ],
  ])('%s: 503 with Retry-After, and it recovers by itself', async (_, shut, open) => {
    await decree(shut)
    const replies = [await ask('/v1/items'), await ask('/v1/items')]
    await decree(open)
    for (const reply of replies) expectUnavailable(reply)
    await vi.waitFor(async () => expect((await ask('/v1/items')).status).toBe(200), 5_000)
  })
})
