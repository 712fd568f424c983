import type { ChildProcess } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { envFor } from '../cli/run.ts'
import { type Client, createClient } from '../support/client.ts'
import { type Pooler, startPooler } from '../support/pgbouncer.ts'
import { printTable } from '../support/table.ts'
import { type List, useWorld } from '../support/world.ts'
import { end, endProcesses, type Instance, type Redis, startInstance, startRedis } from './processes.ts'
import { startServer, stopServer, urlOf } from './servers.ts'

/**
 * Everything at once on this machine: two instances, a store, a pooler, a primary and a replica, under a load of clients
 * that retry on the other instance after a failure, as a load balancer does. One part after the other is killed and
 * started again.
 */
const world = useWorld()
endProcesses()
const { primary, replica } = inject('servers')
/** How many requests a second all clients send in total. */
const rate = 60
/** How long a part is gone, in milliseconds. */
const gone = 1_500

type Studio = { id: string; token: string; name: string; written: number }
type Outcome = { at: number; took: number; status: number | string; retried: boolean }

let redis: Redis
let pooler: Pooler
let env: Record<string, string>
const instances: Instance[] = []
const clients: Client[] = []
const studios: Studio[] = []
const outcomes: Outcome[] = []
const wrong: string[] = []
const rows: Record<string, string | number>[] = []
let done = false
let work: Promise<unknown>[] = []

beforeAll(async () => {
  redis = await startRedis()
  pooler = await startPooler(world.database.adminUrl, 6)
  env = envFor(world.database, {
    ...{ REDIS_URL: redis.url, POOL_SIZE: '4', LOG_LEVEL: 'warn' },
    POOLER_DATABASE_URL: pooler.reach(world.database.adminUrl),
    REPLICA_DATABASE_URLS: urlOf(replica, world.database.name),
    RATE_LIMITS: 'studio=100000/100000',
  })
  for (const index of [0, 1]) {
    instances[index] = await startInstance(env)
    clients[index] = createClient(instances[index]?.port ?? 0)
  }
  for (const name of ['North', 'South']) {
    const { id, token } = await world.newStudio()
    studios.push({ id, token, name, written: 0 })
    await world.add('items', { name: `${name} 0`, category: 'Microphones' }, id)
  }
  work = [...Array.from({ length: 6 }, (_, index) => client(index)), writer()]
})
afterAll(async () => {
  done = true
  await Promise.all(work)
  await pooler?.stop()
})

/** Asks one instance, and when it fails the other; what both fail is a failed request. */
async function client(number: number): Promise<void> {
  for (let count = number; !done; count += 1) {
    const studio = studios[count % 2] as Studio
    const known = studio.written
    const at = performance.now()
    let retried = false
    let status = await ask(count % 2, studio, known)
    if (status !== 200) {
      retried = true
      status = await ask((count + 1) % 2, studio, known)
    }
    outcomes.push({ at, took: performance.now() - at, status, retried })
    await sleep(Math.max(0, 6_000 / rate - (performance.now() - at)) * (1.5 + Math.random()) * 0.5)
  }
}

async function ask(instance: number, studio: Studio, known: number): Promise<number | string> {
  try {
    const reply = await clients[instance]?.get<List<{ name: string }>>('/v1/items', { token: studio.token })
    if (reply?.status !== 200) return reply?.status ?? 'none'
    const names = reply.json.data.map(({ name }) => name)
    const version = Number(names[0]?.split(' ')[1])
    // Never another studio's, never older than what was written before the request began, never of the future.
    if (names.length !== 1 || !names[0]?.startsWith(`${studio.name} `)) wrong.push(`${studio.name}: ${names}`)
    if (version < known || version > studio.written + 1)
      wrong.push(`${studio.name}: ${version}, but ${known} was written`)
    return 200
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) wrong.push(String(error))
    return error instanceof Error && 'code' in error ? String(error.code) : 'error'
  }
}

/** Changes the one item of each studio again and again. */
async function writer(): Promise<void> {
  while (!done) {
    for (const studio of studios) {
      const next = studio.written + 1
      const written = await world
        .write(({ query }) => query('update app.items set name = $1', [`${studio.name} ${next}`]), studio.id)
        .then(() => true)
        .catch(() => false)
      if (written) studio.written = next
    }
    await sleep(40)
  }
}

/** Kills a part, starts it again, and writes down what clients saw from the kill until two seconds of peace. */
async function killed(what: string, kill: () => Promise<unknown>, start: () => Promise<unknown>): Promise<Outcome[]> {
  const from = performance.now()
  await kill()
  await sleep(gone)
  await start()
  const back = performance.now()
  await sleep(4_000)
  const seen = outcomes.filter(({ at }) => at >= from)
  const failed = seen.filter(({ status }) => status !== 200)
  const last = failed.at(-1)?.at
  rows.push({
    killed: what,
    'gone for': seconds(back - from),
    requests: seen.length,
    'answered by the other instance': seen.filter(({ status, retried }) => retried && status === 200).length,
    failed: failed.length,
    as: [...new Set(failed.map(({ status }) => status))].join(' '),
    'failing for': last === undefined ? '' : seconds(last - (failed[0]?.at ?? 0)),
    'slowest answer': seconds(Math.max(...seen.map(({ took }) => took))),
  })
  expect(wrong).toEqual([])
  // All is well again.
  expect(seen.filter(({ at, status }) => at > back + 3_000 && status !== 200)).toEqual([])
  return failed
}

const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`
const kill = (child: ChildProcess) => end(child, 'SIGKILL')

test('before anything is killed no request fails', async () => {
  await sleep(2_000)
  expect(outcomes.filter(({ status }) => status !== 200)).toEqual([])
  expect(outcomes.length).toBeGreaterThan(40)
})

test('without the replica no request fails', async () => {
  const failed = await killed(
    'the replica',
    () => stopServer(replica, 'immediate'),
    () => startServer(replica),
  )
  expect(failed).toEqual([])
})

test('without the store no request fails', async () => {
  expect(await killed('Redis', () => kill(redis.child), redis.restart)).toEqual([])
})

test.each([0, 1])('without one of two instances no request to the other fails', async (index) => {
  const { child, port } = instances[index] as Instance
  const start = async () => {
    instances[index] = await startInstance(env, port)
  }
  expect(await killed(`instance ${index + 1}`, () => kill(child), start)).toEqual([])
})

test('without the pooler requests are answered with 503, and all is well when it is back', async () => {
  const start = async () => {
    pooler = await startPooler(world.database.adminUrl, 6, pooler.port)
  }
  const failed = await killed('PgBouncer', () => pooler.stop(), start)
  expect(new Set(failed.map(({ status }) => status))).toEqual(new Set([503]))
})

test('without the primary requests wait for it or are answered with 503, and all is well when it is back', async () => {
  const from = performance.now()
  const failed = await killed(
    'the primary',
    () => stopServer(primary, 'immediate'),
    () => startServer(primary),
  )
  expect(failed.filter(({ status }) => status !== 503)).toEqual([])
  // PgBouncer keeps those who ask it meanwhile; nobody was answered without the primary.
  const waited = outcomes.filter(({ at, took }) => at >= from && took > gone / 3)
  expect(waited.length + failed.length).toBeGreaterThan(0)
})

test('what was seen', () => {
  printTable('Killing one part after the other', rows)
  console.log(
    `${outcomes.length} requests, ${studios.map(({ written }) => written)} writes, ${wrong.length} wrong answers`,
  )
  expect(wrong).toEqual([])
})
