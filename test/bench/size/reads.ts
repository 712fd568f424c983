import { type Client, withClient } from '../../../src/database/client.ts'
import { cpuOf } from './cpu.ts'
import { median, percentile, type Sampled, sample } from './sample.ts'
import type { Place } from './server.ts'
import { type Shape, shapes } from './shapes.ts'

/**
 * Times inside PostgreSQL in microseconds; `cold` is the first time that a studio is read, `warm` the second. `cpu` is PostgreSQL's
 * processor time for one request of a connection that sends many, as prepared statements.
 */
export type Read = {
  what: string
  cold: number
  coldBlocks: number
  cold95: number
  warm: number
  warmBlocks: number
  cpu: number
}

type Explained = { 'Execution Time': number; Plan: { 'Shared Read Blocks': number; 'Shared Hit Blocks': number } }

/** Each request for studios of its own, which none before has read, called as studio_api does. */
export async function measureReads(place: Place, studiosEach: number): Promise<Read[]> {
  const studios = await withClient(place.adminUrl, (client) => sample(client, studiosEach * shapes.length))
  const found = await withClient(place.apiUrl, async (client) => {
    const each = Math.floor(studios.length / shapes.length)
    const reads: Omit<Read, 'cpu'>[] = []
    for (const [n, shape] of shapes.entries()) {
      // Its plans are made first, as a connection of the pool has them.
      for (const studio of studios.slice(-1))
        for (let again = 0; again < 7; again++) await explain(client, shape, studio)
      reads.push(await measured(client, shape, studios.slice(n * each, n * each + each)))
    }
    return reads
  })
  const reads: Read[] = []
  for (const [n, read] of found.entries()) {
    const some = studios.slice(n * Math.floor(studios.length / shapes.length)).slice(0, 20)
    const cpu = await cpuOfRequests(place, shapes[n] as Shape, some, studiosEach * 5)
    reads.push({ ...read, cpu })
  }
  return reads
}

/** Of requests that have been asked before, of which the plans are made. */
function cpuOfRequests(place: Place, shape: Shape, studios: Sampled[], times: number): Promise<number> {
  return withClient(place.apiUrl, async (client) => {
    const ask = async (count: number) => {
      for (let n = 0; n < count; n++) {
        const text = `select * from ${shape.call(studios[n % studios.length] as Sampled)}`
        await client.query({ name: String(n % studios.length), text })
      }
    }
    const { rows } = await client.query<{ pid: number }>('select pg_catalog.pg_backend_pid() as pid')
    const pid = Number(rows[0]?.pid)
    await ask(studios.length * 2)
    const start = await cpuOf(pid)
    await ask(times)
    return (((await cpuOf(pid)) - start) / times) * 1e6
  })
}

async function measured(client: Client, shape: Shape, studios: Sampled[]): Promise<Omit<Read, 'cpu'>> {
  const cold: Explained[] = []
  const warm: Explained[] = []
  for (const studio of studios) {
    cold.push(await explain(client, shape, studio))
    warm.push(await explain(client, shape, studio))
  }
  const times = (found: Explained[]) => found.map((one) => one['Execution Time'] * 1_000)
  const blocks = (found: Explained[]) => median(found.map(({ Plan }) => Plan['Shared Read Blocks']))
  return {
    what: shape.what,
    cold: median(times(cold)),
    cold95: percentile(times(cold), 0.95),
    coldBlocks: blocks(cold),
    warm: median(times(warm)),
    warmBlocks: median(warm.map(({ Plan }) => Plan['Shared Hit Blocks'])),
  }
}

async function explain(client: Client, { call }: Shape, studio: Sampled): Promise<Explained> {
  const text = `explain (analyze, timing off, buffers, format json) select * from ${call(studio)}`
  const { rows } = await client.query<{ 'QUERY PLAN': Explained[] | string }>(text)
  const plan = rows[0]?.['QUERY PLAN']
  const [explained] = (typeof plan === 'string' ? JSON.parse(plan) : plan) as Explained[]
  return explained as Explained
}

/** The first list of a connection, which plans it, in microseconds; its studio has been read before. */
export async function measureFirst(place: Place, connections: number): Promise<number> {
  const [studio] = await withClient(place.adminUrl, (client) => sample(client, 1))
  const [list] = shapes
  if (studio === undefined || list === undefined) throw new Error('there is no studio')
  const times: number[] = []
  for (let n = 0; n <= connections; n++) {
    const { 'Execution Time': ms } = await withClient(place.apiUrl, (client) => explain(client, list, studio))
    times.push(ms * 1_000)
  }
  return median(times.slice(1))
}

/** A statement for one token, and one for eight, of studios at random: the client's view, in microseconds. */
export async function measureAuthentication(place: Place, times: number) {
  const studios = await withClient(place.adminUrl, (client) => sample(client, times * 9))
  return withClient(place.apiUrl, async (client) => {
    const ask = async (some: Sampled[]) => {
      const started = performance.now()
      const { rows } = await client.query<{ said: string }>({
        name: 'authenticate',
        text: 'select access.authenticate_batch($1, $2, null) as said',
        values: [Buffer.concat(some.map(({ digest }) => digest)), some.map(() => null)],
      })
      const { tokens } = JSON.parse(rows[0]?.said ?? '{}')
      if (tokens.some(([status]: number[]) => status !== 200)) throw new Error('a token was refused')
      return (performance.now() - started) * 1_000
    }
    for (const studio of studios.slice(-20)) await ask([studio])
    const { rows } = await client.query<{ pid: number }>('select pg_catalog.pg_backend_pid() as pid')
    const pid = Number(rows[0]?.pid)
    const start = await cpuOf(pid)
    for (const studio of studios) await ask([studio])
    const cpu = (((await cpuOf(pid)) - start) / studios.length) * 1e6
    const one: number[] = []
    const eight: number[] = []
    const nothing: number[] = []
    for (let n = 0; n + 9 <= studios.length; n += 9) {
      one.push(await ask(studios.slice(n, n + 1)))
      eight.push(await ask(studios.slice(n + 1, n + 9)))
      const started = performance.now()
      await client.query({ name: 'one', text: 'select 1', values: [] })
      nothing.push((performance.now() - started) * 1_000)
    }
    return { one: median(one), eight: median(eight), nothing: median(nothing), cpu }
  })
}
