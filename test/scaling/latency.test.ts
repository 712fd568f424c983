import { beforeAll, expect, inject, test } from 'vitest'
import { median } from '../bench/bar.ts'
import { envFor } from '../cli/run.ts'
import { createClient } from '../support/client.ts'
import { startPooler } from '../support/pgbouncer.ts'
import { printTable } from '../support/table.ts'
import { type List, type Row, useWorld } from '../support/world.ts'
import { closeAtEnd, endProcesses, startInstance } from './processes.ts'
import { catchUp, urlOf } from './servers.ts'

/** What a request costs on each way to the database, one client at a time. */
const world = useWorld()
endProcesses()
const { primary, replica } = inject('servers')
const requests = 260

type Way = { way: string; cached: string; env: Record<string, string> }
let ways: (Way & { client: ReturnType<typeof createClient>; took: number[] })[]
let token: string

beforeAll(async () => {
  const studio = await world.newStudio()
  token = studio.token
  for (let n = 0; n < 25; n += 1) await world.add('items', { name: `Item ${n}`, category: 'Microphones' }, studio.id)
  const pooler = await startPooler(world.database.adminUrl)
  closeAtEnd(pooler.stop)
  await catchUp(primary, replica)

  const notCached = { CACHE_MAX_BYTES: '0' }
  const pooled = { POOLER_DATABASE_URL: pooler.reach(world.database.adminUrl) }
  const replicated = { REPLICA_DATABASE_URLS: urlOf(replica, world.database.name) }
  const all: Way[] = [
    { way: 'directly', cached: 'no', env: notCached },
    { way: 'through PgBouncer', cached: 'no', env: { ...notCached, ...pooled } },
    { way: 'with a replica', cached: 'no', env: { ...notCached, ...replicated } },
    { way: 'directly', cached: 'yes', env: {} },
    { way: 'with a replica', cached: 'yes', env: replicated },
  ]
  const shared = {
    ...{ POOL_SIZE: '2', LOG_LEVEL: 'warn', PUBLIC_URL: 'http://every.example' },
    RATE_LIMITS: 'studio=100000/100000',
  }
  ways = []
  for (const way of all) {
    const { port } = await startInstance(envFor(world.database, { ...shared, ...way.env }))
    ways.push({ ...way, client: createClient(port), took: [] })
  }
}, 180_000)

test('a list is the same on every way to the database, whatever each costs', async () => {
  for (let round = -20; round < requests; round += 1) {
    const texts = new Set<string>()
    for (const { client, took } of ways) {
      const began = performance.now()
      const reply = await client.get<List<Row>>('/v1/items?per_page=25', { token })
      // The first ones open connections and prepare statements.
      if (round >= 0) took.push(performance.now() - began)
      expect(reply.status).toBe(200)
      texts.add(reply.text)
    }
    expect(texts.size).toBe(1)
  }
  printTable(
    `25 items, median of ${requests} requests`,
    ways.map(({ way, cached, took }) => ({ way, cached, median: `${median(took).toFixed(1)} ms` })),
  )
}, 300_000)
