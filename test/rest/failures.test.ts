import { beforeEach, describe, expect, test, vi } from 'vitest'
import type { Limiter } from '../../src/auth/limiter.ts'
import { createToken } from '../support/cast.ts'
import type { Reply } from '../support/client.ts'
import { asAdmin } from '../support/server.ts'
import { isIdle } from '../support/service.ts'
import { useWorld } from '../support/world.ts'

/** All clients share one connection, so the next request meets what a failed one leaves behind. */
const world = useWorld({
  poolSize: 1,
  // Where a lock makes this server wait, a replica would answer.
  replicaUrls: [],
  // Every request reads: what is locked, it waits for.
  cacheMaxBytes: 0,
  acquireTimeoutMs: 400,
  statementTimeoutMs: 700,
  limiter: poisonable,
  signer: (real) => ({ ...real, sign: (key) => sign(key, real.sign) }),
})

/** The next thing to fail, once. */
let poisoned: keyof Limiter | 'sign' | undefined
beforeEach(() => {
  poisoned = undefined
})

function poisonable(real: Limiter): Limiter {
  return new Proxy(real, {
    get(limiter, name: keyof Limiter) {
      if (poisoned !== name) return limiter[name]
      poisoned = undefined
      throw new Error(`poisoned: ${name}`)
    },
  })
}

async function sign(key: string, real: (key: string) => Promise<string>): Promise<string> {
  if (poisoned !== 'sign') return real(key)
  poisoned = undefined
  throw new Error('poisoned: sign')
}

const ask = (token: string | null, path = '/v1/items') => world.service.get(path, { token })

/** Each studio's next request has its own rows, and a bare query on the pool has none. */
async function expectClean(): Promise<void> {
  const { api } = world.service
  await vi.waitFor(() => expect(isIdle(api)).toBe(true), 10_000)
  for (const name of ['items', 'locations', 'policies', 'maintenance', 'assignments', 'account']) {
    const text = `select count(*)::integer as seen, current_setting('studio.id', true) as studio from api_v1.${name}`
    const [left] = await api.query<{ seen: number; studio: string | null }>({ name: `left of ${name}`, text })
    expect(left?.seen, name).toBe(0)
    expect(left?.studio || null).toBeNull()
  }
  for (const studio of [world.cast.b, world.cast.a]) {
    const reply = await ask(studio.token.token)
    expect(reply.status).toBe(200)
    if (studio === world.cast.a) world.cast.expectNoCanary(reply.text)
    else expect(reply.text).toContain(world.cast.canary)
  }
  const text = 'select pg_current_xact_id_if_assigned() is null as outside, now() = statement_timestamp() as fresh'
  const client = await api.connect()
  const { rows } = await client.query(text)
  client.release()
  expect(rows[0]).toEqual({ outside: true, fresh: true })
  expect(isIdle(api)).toBe(true)
}

/** The response has a request id and not a word about the cause. */
function expectQuiet(reply: Reply, status: 500 | 503): void {
  expect(reply.status).toBe(status)
  expect(reply.json).toMatchObject({ code: status === 500 ? 'internal_error' : 'unavailable' })
  expect(reply.text).not.toMatch(/poisoned|error:|SQL|timeout|terminat/i)
  if (status === 503) expect(Number(reply.headers['retry-after'])).toBeGreaterThan(0)
  else expect(reply.headers).not.toHaveProperty('retry-after')
  world.cast.expectNoCanary(reply.bytes)
}

test.each([
  ['the memory of tokens', 'remembered', 'good'],
  ['the rate limit', 'admit', 'good'],
  ['remembering what was learned', 'remember', 'new'],
  ['the guard of the address', 'admitUnknown', 'bad'],
  ['forgetting a token', 'forget', 'bad'],
] as const)('%s throws: 500, and the next request is clean', async (_, name, which) => {
  poisoned = name
  const tokens = {
    good: world.cast.a.token.token,
    new: (await createToken(world.database, world.cast.a.id, world.cast.a.people.owner.id)).token,
    bad: `svc_pro_${'x'.repeat(32)}`,
  }
  expectQuiet(await ask(tokens[which]), 500)
  expect(poisoned).toBeUndefined()
  await expectClean()
})

test('signing throws: 200 without photos, and the next request is clean', async () => {
  poisoned = 'sign'
  const path = `/v1/items/${world.cast.a.items.microphone}`
  expect((await ask(world.cast.a.token.token, path)).json).toMatchObject({ data: { photo_urls: [] } })
  expect(poisoned).toBeUndefined()
  await expectClean()
})

test('the statement fails after the studio’s session was opened: 500, and the next request is clean', async () => {
  const view = (items: string) =>
    `create or replace view service.item_counts with (security_invoker = true) as
     select c.category, c.coverage_state, ${items} as items from app.item_counts c`
  await world.owner(view('c.items / (c.items - c.items)'))
  expectQuiet(await ask(world.cast.b.token.token), 500)
  await world.owner(view('c.items'))
  await expectClean()
})

describe('while the rows are locked', () => {
  /** Runs `meanwhile` while a request of B waits for a lock. Returns the answer to that request. */
  async function locked(meanwhile: (pid: number) => Promise<unknown>): Promise<Reply> {
    return asAdmin(world.database, async (admin) => {
      await admin.query('begin; lock table app.items in access exclusive mode')
      const asked = ask(world.cast.b.token.token)
      const pid = await vi.waitFor(() => waitingBackend(), { timeout: 5_000, interval: 10 })
      await meanwhile(pid)
      const reply = await asked
      await admin.query('rollback')
      return reply
    })
  }

  const waitingBackend = () =>
    asAdmin(world.database, async (other) => {
      const { rows } = await other.query<{ pid: number }>(
        `select pid from pg_stat_activity where datname = current_database() and usename = 'studio_api' and wait_event_type = 'Lock'`,
      )
      if (rows[0] === undefined) throw new Error('nobody waits yet')
      return rows[0].pid
    })

  const signal = (name: 'pg_terminate_backend' | 'pg_cancel_backend') => (pid: number) =>
    asAdmin(world.database, (other) => other.query(`select ${name}($1)`, [pid]))

  test('its backend is killed in the middle of a request: 503, and the next request is clean', async () => {
    expectQuiet(await locked(signal('pg_terminate_backend')), 503)
    await expectClean()
  })

  test('the statement takes too long: 503 within its bound, and the next request is clean', async () => {
    const began = Date.now()
    expectQuiet(await locked(async () => undefined), 503)
    expect(Date.now() - began).toBeLessThan(700 + 5_000)
    await expectClean()
  })
})
