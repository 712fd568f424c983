import { beforeAll, expect, test } from 'vitest'
import { envFor } from '../cli/run.ts'
import { type Client, createClient } from '../support/client.ts'
import { printTable } from '../support/table.ts'
import { type List, type Row, useWorld } from '../support/world.ts'
import { endProcesses, type Instance, startInstance, startRedis } from './processes.ts'

/** Two processes on one database with one store for their counters; nothing else do they share. */
const world = useWorld()
endProcesses()
let [one, other]: Client[] = []
let instances: Instance[]

beforeAll(async () => {
  const redis = await startRedis()
  const env = envFor(world.database, { REDIS_URL: redis.url, POOL_SIZE: '2', PUBLIC_URL: 'http://both.example' })
  instances = [await startInstance(env), await startInstance(env)]
  ;[one, other] = instances.map(({ port }) => createClient(port))
})

async function both<Body>(path: string, token: string) {
  const replies = await Promise.all([one?.get<Body>(path, { token }), other?.get<Body>(path, { token })])
  return replies.map((reply) => reply ?? expect.fail('there is no instance'))
}
const statuses = async (token: string) => (await both('/v1/items', token)).map(({ status }) => status)

test('a revocation and a downgrade act on both with the very next request', async () => {
  const [first, second] = [await world.newStudio(), await world.newStudio()]
  for (const { token } of [first, second]) expect(await statuses(token)).toEqual([200, 200])
  await world.owner('update access.tokens set revoked_at = now() where studio_id = $1', [first.id])
  expect(await statuses(first.token)).toEqual([401, 401])
  await world.owner(`select access.set_subscription($1, 'studio', 'canceled')`, [second.id])
  expect(await statuses(second.token)).toEqual([403, 403])
  await world.owner(`select access.set_subscription($1, 'studio', 'active')`, [second.id])
  expect(await statuses(second.token)).toEqual([200, 200])
})

test('their caches agree: after a write both read again, and answer the same', async () => {
  const { id, token } = await world.newStudio()
  // Six requests a round in total, and 20 are allowed in a second.
  for (let round = 0; round < 3; round += 1) {
    await both('/v1/items', token)
    const [one, other] = await both('/v1/items', token)
    expect([one?.status, other?.text]).toEqual([200, one?.text])
    const item = await world.add('items', { name: `Item ${round}`, category: 'Microphones' }, id)
    const [after, afterToo] = await both<List<Row>>('/v1/items', token)
    expect(after?.json.data.map((row) => row.id)).toContain(item)
    expect(after?.json.meta.total).toBe(round + 1)
    expect(afterToo?.text).toBe(after?.text)
  }
})

test('they share one rate limit: both admit no more than one would', async () => {
  const { token } = await world.newStudio()
  // Both learn the plan first: 20 requests in a second.
  expect(await statuses(token)).toEqual([200, 200])
  const replies = await Promise.all(
    Array.from({ length: 60 }, (_, index) => (index % 2 ? one : other)?.get('/v1/account', { token })),
  )
  const admitted = replies.filter((reply) => reply?.status === 200)
  printTable('One rate limit of two instances', [{ requests: replies.length, admitted: admitted.length }])
  expect(admitted.length).toBeLessThanOrEqual(40)
  expect(replies.some((reply) => reply?.status === 429)).toBe(true)
})
