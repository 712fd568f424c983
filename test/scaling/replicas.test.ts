import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, inject, onTestFinished, test, vi } from 'vitest'
import { randomWriteOfStudio } from '../sql/random_writes.ts'
import { openProxy } from '../support/proxy.ts'
import { withClient } from '../support/server.ts'
import type { ServiceOptions, TestService } from '../support/service.ts'
import { useWorld } from '../support/world.ts'
import { catchUp, pauseReplay, resumeReplay, type Server, startServer, stopServer, urlOf } from './servers.ts'

const world = useWorld({ cacheMaxBytes: 0 })
const { primary, replica } = inject('servers')
const onReplica = () => urlOf(replica, world.database.name)

/** Starts a service with an empty cache, when the replica has everything that was written. */
async function startReading(options: ServiceOptions = {}): Promise<TestService> {
  const service = await world.start({ replicaUrls: [onReplica()], cacheMaxBytes: 0, ...options })
  await catchUp(primary, replica)
  return service
}

let token: string
beforeEach(() => {
  token = world.cast.a.token.token
})
afterEach(async () => {
  await resumeReplay(replica).catch(() => undefined)
})

const inUse = (service: TestService) => service.replicas?.states().map((state) => state.inUse)

const paths = () => [
  '/v1/items',
  '/v1/items?per_page=2&page=2',
  '/v1/items?category=Microphones',
  `/v1/items/${world.cast.a.items.microphone}`,
  `/v1/items/${world.cast.a.items.microphone}/policies`,
  '/v1/locations',
  '/v1/maintenance',
  '/v1/policies',
  '/v1/account',
]

test('revocation, downgrade and a new token act with the very next request, however far a replica lags', async () => {
  const studio = await world.newStudio()
  const others = await Promise.all([world.newStudio(), world.newStudio()])
  const service = await startReading()
  const status = async (one: string) => (await service.get('/v1/items', { token: one })).status
  for (const { token: one } of [studio, ...others]) expect(await status(one)).toBe(200)
  await pauseReplay(replica)
  await world.owner('update access.tokens set revoked_at = now() where studio_id = $1', [studio.id])
  expect(await status(studio.token)).toBe(401)
  await world.owner(`select access.set_subscription($1, 'studio', 'canceled')`, [others[0]?.id])
  expect(await status(others[0]?.token ?? '')).toBe(403)
  const late = await world.newStudio()
  expect(await status(late.token)).toBe(200)
  expect(await status(others[1]?.token ?? '')).toBe(200)
})

test('a replica that stops fails no request, and is used again when it is back', async () => {
  const service = await startReading()
  let done = false
  onTestFinished(() => {
    done = true
  })
  const statuses = new Map<number, number>()
  const client = async () => {
    for (let count = 0; !done; count += 1) {
      const { status } = await service.get(paths()[count % 9] ?? '', { token })
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
  }
  const clients = [client(), client(), client()]
  await sleep(200)
  await stopServer(replica, 'immediate')
  await vi.waitFor(() => expect(inUse(service)).toEqual([false]), { timeout: 5_000 })
  await sleep(300)
  await startServer(replica)
  await vi.waitFor(() => expect(inUse(service)).toEqual([true]), { timeout: 10_000 })
  await sleep(200)
  done = true
  await Promise.all(clients)
  expect([...statuses.keys()]).toEqual([200])
})

test('a replica behind a network that swallows everything fails no request, and is used again', async () => {
  const proxy = await openProxy(urlOf(replica))
  try {
    const service = await startReading({ replicaUrls: [proxy.reach(onReplica())] })
    expect((await service.get('/v1/items', { token })).status).toBe(200)
    proxy.silence()
    const replies = await Promise.all(paths().map((path) => service.get(path, { token })))
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]))
    expect(inUse(service)).toEqual([false])
    await proxy.up()
    await vi.waitFor(
      async () => {
        await service.get('/v1/items', { token })
        expect(inUse(service)).toEqual([true])
      },
      { timeout: 15_000, interval: 100 },
    )
  } finally {
    await proxy.close()
  }
})

test('whatever is written, and however replay goes on and stops, no answer differs from the one of the primary', async () => {
  const studio = await world.newStudio()
  await world.write(
    ({ query }) =>
      query(
        `insert into app.items (studio_id, name, category, purchase_price, reported_insured_value)
         select $1, 'item ' || n, 'Microphones', n, n / 2 from generate_series(1, 20) n`,
        [studio.id],
      ),
    studio.id,
  )
  const service = await startReading({ replicaPauseMs: 10 })
  const caching = await startReading({ replicaPauseMs: 10, cacheMaxBytes: 1_000_000 })
  const asked = paths().filter((path) => !/\/items\/./.test(path))
  const draws = fc.sample(randomWriteOfStudio, 120)
  for (const [round, { text }] of draws.entries()) {
    if (round % 8 === 3) await pauseReplay(replica)
    if (round % 8 === 6) await resumeReplay(replica)
    if (round % 8 === 7) await catchUp(primary, replica)
    if (round % 2 === 0) await world.write(({ query }) => query(text, [studio.id]), studio.id).catch(() => undefined)
    const path = asked[round % asked.length] ?? ''
    const [truth, one, cached] = await Promise.all(
      [world.service, service, caching].map((which) => which.get(path, { token: studio.token })),
    )
    expect(one?.text, path).toBe(truth?.text)
    expect(cached?.text, path).toBe(truth?.text)
  }
  expect(service.replicas?.states()[0]?.current).toBeGreaterThan(20)
})

test('a standby never says that nothing has changed: its snapshots do not show all that is open', async () => {
  await catchUp(primary, replica)
  const stateOn = (server: Server) =>
    withClient(urlOf(server, world.database.name), async (admin) => {
      const { rows } = await admin.query<{ state: string | null }>('select access.current_state() as state')
      return rows[0]?.state
    })
  expect(await stateOn(primary)).toMatch(/ /)
  expect(await stateOn(replica)).toBeNull()
})
