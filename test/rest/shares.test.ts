import { expect, test } from 'vitest'
import { pause } from '../faults/load.ts'
import { isIdle } from '../support/service.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()

/** A studio has one of two connections, and two of four places in the line. */
const small = { poolSize: 2, poolQueue: 4, cacheMaxBytes: 0, replicaUrls: [] }
const others = () => ({ token: world.cast.b.token.token })

/** Nobody can read a table until the work ends. */
const locked = (table: string, work: () => Promise<void>) =>
  world.asOwner(async (transaction) => {
    await transaction.query(`lock table app.${table} in access exclusive mode`)
    await work()
  })

/** The service, to which both studios are known. */
async function startSmall() {
  const service = await world.start({ ...small, acquireTimeoutMs: 10_000 })
  const ask = (path: string, options = {}) => service.get(path, { token: world.cast.a.token.token, ...options })
  for (const options of [{}, others()]) expect((await ask('/v1/account', options)).status).toBe(200)
  return { service, ask }
}

test('a studio that has its share of the statements waits, then gets 429, and the others are answered', async () => {
  const { service, ask } = await startSmall()
  const waiting: ReturnType<typeof ask>[] = []
  await locked('policies', async () => {
    waiting.push(...Array.from({ length: 3 }, () => ask('/v1/policies')))
    await pause(100)
    const refused = await ask('/v1/account')
    expect(refused.status).toBe(429)
    expect(refused.headers['retry-after']).toBe('1')
    expect(refused.json).toMatchObject({ code: 'rate_limited' })
    expect(service.api.stats()).toMatchObject({ waiting: 0, refused: 0 })
    for (const path of ['/v1/account', '/v1/items']) expect((await ask(path, others())).status).toBe(200)
  })
  for (const { status } of await Promise.all(waiting)) expect(status).not.toBe(429)
  expect((await ask('/v1/account')).status).toBe(200)
})

test('a studio that has waited for its own statements for too long gets 429', async () => {
  const service = await world.start({ ...small, acquireTimeoutMs: 200 })
  const ask = (path: string) => service.get(path, { token: world.cast.a.token.token })
  await ask('/v1/account')
  const waiting: ReturnType<typeof ask>[] = []
  await locked('policies', async () => {
    waiting.push(ask('/v1/policies'), ask('/v1/policies'))
    await pause(400)
  })
  const [first, second] = await Promise.all(waiting)
  expect(first?.status).not.toBe(429)
  expect(second?.status).toBe(429)
})

test('authentication waits for no data: nobody is taken for a stranger while others read', async () => {
  const { service, ask } = await startSmall()
  const waiting: ReturnType<typeof ask>[] = []
  await locked('policies', async () => {
    waiting.push(ask('/v1/policies'), ask('/v1/policies', others()))
    await expect.poll(() => service.api.stats()).toMatchObject({ size: 2, idle: 0 })
    const first = await Promise.race([
      Promise.any(waiting),
      Promise.all([
        ask('/v1/items?page=none'),
        ask('/v1/items', { token: `svc_pro_${'x'.repeat(32)}` }),
        service.get('/readyz', { token: null }),
      ]),
    ])
    expect(first).toMatchObject([{ status: 400 }, { status: 401 }, { status: 200 }])
  })
  await Promise.all(waiting)
  await expect.poll(() => isIdle(service.api)).toBe(true)
})

test.each(['/v1/valuations?on=2026-01-01', '/v1/valuations/summary?on=2026-01-01'])(
  '%s computes something of every item, and keeps no list waiting',
  async (path) => {
    const { ask } = await startSmall()
    const waiting: ReturnType<typeof ask>[] = []
    await locked('market_value_history', async () => {
      waiting.push(ask(path), ask(path))
      await pause(100)
      // The others end at the statement timeout.
      expect((await Promise.race([ask('/v1/items'), ...waiting])).status).toBe(200)
    })
    for (const { status } of await Promise.all(waiting)) expect(status).not.toBe(429)
  },
)
