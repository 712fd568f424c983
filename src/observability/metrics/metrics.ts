import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Limiter } from '../../auth/limiter.ts'
import type { RecorderStats } from '../../auth/recorder.ts'
import { manifest } from '../../config/manifest.ts'
import { type PartialAnswers, parts } from '../../database/partial-answers.ts'
import type { PoolStats } from '../../database/pool.ts'
import type { ReplicaState } from '../../database/replica.ts'
import type { Measured } from '../../http/observation.ts'
import type { Readiness } from '../../http/readiness.ts'
import { nameOfRoute, servedNames } from './routes.ts'

/** Statistics of a cache of bodies. */
export type CacheStats = { hits: number; misses: number; bytes: number }

/** The metrics of this process. No label takes a value that clients choose. `cell` is the name of a cell; undefined where there is one database. */
export type Metrics = {
  /** Counts a request that has ended. */
  measure(request: Measured): void
  /** Wraps a limiter to count its refusals. */
  counting(limiter: Limiter): Limiter
  /** Parts whose state is read at each scrape. */
  watchPool(name: string, stats: () => PoolStats, cell?: string): void
  /** Adds answers that lacked a part to those that are counted. */
  watchPartialAnswers(counts: Readonly<PartialAnswers>): void
  watchReplicas(states: () => readonly Omit<ReplicaState, 'name'>[], cell?: string): void
  watchRecorder(stats: () => RecorderStats, cell?: string): void
  watchCache(stats: () => CacheStats, cell?: string): void
  watchConnections(count: () => Promise<number>): void
  /** @param age in seconds; undefined while it is not known */
  watchWatermark(age: () => number | undefined, cell?: string): void
  watchValuationRefresh(failures: () => number, cell?: string): void
  /** Of several cells each has a series, beside that of the service. */
  watchReadiness(ready: () => Promise<Readiness>): void
  /** @param counts how many sign-ins to the console ended in each way */
  watchSignIns(counts: Readonly<Record<string, number>>): void
  /** All of them in Prometheus' text format. */
  text(): Promise<string>
}

/** Seconds; a request answered from memory takes half a millisecond, the longest statement some seconds. */
const buckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** Makes a registry with the metrics of Node and of the process, and ours, whose names begin with `studio_inventory_`. */
export function createMetrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const refusals = refusalsIn(registry)
  const { gauge, total } = readingIn(registry)
  tellBuild(registry)

  return {
    measure: measuringIn(registry),
    counting: (limiter) => countingRefusals(limiter, (limit) => refusals.inc({ limit })),
    watchPool: watchingPools(registry),
    watchPartialAnswers: countingPartialAnswers(registry),
    watchReplicas: watchingReplicas(registry),
    watchRecorder: (stats, cell) => {
      gauge('recorder_waiting', 'Entries of request activity waiting to be written.', () => stats().waiting, cell)
      total('recorder_dropped_total', 'Entries of request activity that were dropped.', () => stats().dropped, cell)
    },
    watchCache: (stats, cell) => {
      total('cache_hits_total', 'Requests answered with a cached body.', () => stats().hits, cell)
      total('cache_misses_total', 'Requests whose body was not cached.', () => stats().misses, cell)
      gauge('cache_bytes', 'Size of the cached bodies.', () => stats().bytes, cell)
    },
    watchConnections: (count) => {
      gauge('connections', 'Open client connections.', count)
    },
    watchWatermark: (age, cell) => {
      const help =
        'Age of the watermark: the moment before which no change can still become visible to clients that poll.'
      gauge('watermark_age_seconds', help, () => age() ?? Number.NaN, cell)
    },
    watchValuationRefresh: (failures, cell) => {
      const help = "Refreshes of a studio's valuations that failed; they are tried again."
      total('valuation_refresh_failures_total', help, failures, cell)
    },
    watchReadiness: (ready) => {
      const help = 'Whether the service can serve requests (1) or not (0), as /readyz answers.'
      new Gauge({
        ...{ name: `${prefix}ready`, help, labelNames: ['cell'] as const, registers: [registry] },
        async collect() {
          const state = await ready()
          this.set(state.ready ? 1 : 0)
          for (const [cell, reason] of Object.entries(state.cells ?? {})) this.set({ cell }, reason === 'ready' ? 1 : 0)
        },
      })
    },
    watchSignIns: (counts) => {
      const help =
        'Sign-ins to the console by outcome: signed_in, refused, or unavailable when the identity provider did not answer.'
      const labelNames = ['outcome'] as const
      new Counter({
        ...{ name: `${prefix}sign_ins_total`, help, labelNames, registers: [registry] },
        collect() {
          this.reset()
          for (const [outcome, count] of Object.entries(counts)) this.inc({ outcome }, count)
        },
      })
    },
    text: () => registry.metrics(),
  }
}

const prefix = 'studio_inventory_'

/** Statuses that alerts are about. */
const alarming = ['500', '503'] as const

function tellBuild(registry: Registry): void {
  const build = new Gauge({
    name: `${prefix}build_info`,
    help: 'Always 1; its labels say which version of the service and of Node is running.',
    labelNames: ['version', 'node'],
    registers: [registry],
  })
  build.set({ version: manifest.version, node: process.version.slice(1) }, 1)
}

function measuringIn(registry: Registry): Metrics['measure'] {
  const requests = new Counter({
    name: `${prefix}requests_total`,
    help: 'Requests by operation and HTTP status; 499 when the client left before the answer.',
    labelNames: ['operation', 'status'],
    registers: [registry],
  })
  // An increase is seen only where there was a series before it.
  for (const operation of servedNames) {
    for (const status of alarming) requests.inc({ operation, status }, 0)
  }
  const durations = new Histogram({
    name: `${prefix}request_duration_seconds`,
    help: 'Time from a request to the end of its response.',
    labelNames: ['operation'],
    buckets,
    registers: [registry],
  })
  /** The children of both, by route and status: looking them up by their labels would cost more than counting. */
  const known = new Map<string, (durationMs: number) => void>()
  return ({ route, status, durationMs }) => {
    const key = `${status}${route}`
    let count = known.get(key)
    if (count === undefined) {
      const operation = nameOfRoute(route)
      const [requested, took] = [requests.labels(operation, String(status)), durations.labels(operation)]
      count = (milliseconds) => {
        requested.inc()
        took.observe(milliseconds / 1000)
      }
      known.set(key, count)
    }
    count(durationMs)
  }
}

function refusalsIn(registry: Registry): Counter<'limit'> {
  const refusals = new Counter({
    name: `${prefix}rate_limit_refusals_total`,
    help: 'Refusals by the limit exceeded: the quota of a token, failures of an address, attempts in the console.',
    labelNames: ['limit'],
    registers: [registry],
  })
  for (const limit of ['token', 'address', 'attempt']) refusals.inc({ limit }, 0)
  return refusals
}

function countingRefusals(limiter: Limiter, refused: (limit: 'token' | 'address' | 'attempt') => void): Limiter {
  return {
    ...limiter,
    async admit(key) {
      const verdict = await limiter.admit(key)
      if (verdict.retryAfterSeconds > 0) refused('token')
      return verdict
    },
    async guess(address, isKnown) {
      const guess = await limiter.guess(address, isKnown)
      if (guess.retryAfterSeconds > 0) refused('address')
      return guess
    },
    async attempt(what, key, perMinute) {
      const attempt = await limiter.attempt(what, key, perMinute)
      if (attempt.retryAfterSeconds > 0) refused('attempt')
      return attempt
    },
  }
}

/** A label with the name of the cell, where there are several. */
const inCell = (cell: string | undefined) => (cell === undefined ? {} : { cell })

function watchingPools(registry: Registry): Metrics['watchPool'] {
  const pools: { labels: { pool: string; cell?: string }; stats(): PoolStats }[] = []
  const labelNames = ['pool', 'cell'] as const
  const parts = [
    ['size', 'Connections to the database.'],
    ['idle', 'Idle connections to the database.'],
    ['waiting', 'Statements waiting for a connection.'],
  ] as const
  for (const [part, help] of parts) {
    new Gauge({
      ...{ name: `${prefix}pool_${part}`, help, labelNames, registers: [registry] },
      collect() {
        for (const { labels, stats } of pools) this.set(labels, stats()[part])
      },
    })
  }
  new Counter({
    ...{ name: `${prefix}pool_refused_total`, labelNames, registers: [registry] },
    help: 'Statements refused with 503 because the queue for a connection was full.',
    collect() {
      this.reset()
      for (const { labels, stats } of pools) this.inc(labels, stats().refused)
    },
  })
  return (pool, stats, cell) => void pools.push({ labels: { pool, ...inCell(cell) }, stats })
}

function countingPartialAnswers(registry: Registry): Metrics['watchPartialAnswers'] {
  const sources: Readonly<PartialAnswers>[] = []
  new Counter({
    ...{ name: `${prefix}partial_answers_total`, labelNames: ['part'] as const, registers: [registry] },
    help: 'Answers with 200 that lacked what could not be read; item: read in parts, perhaps whole.',
    collect() {
      this.reset()
      for (const part of parts)
        this.inc(
          { part },
          sources.reduce((sum, counts) => sum + counts[part], 0),
        )
    },
  })
  return (counts) => void sources.push(counts)
}

/** Replicas by their number in the configuration: metrics do not reveal host names. */
function watchingReplicas(registry: Registry): Metrics['watchReplicas'] {
  const cells: { states: Parameters<Metrics['watchReplicas']>[0]; cell: string | undefined }[] = []
  const all = () =>
    cells.flatMap(({ states, cell }) =>
      states().map((state, index) => ({ ...state, labels: { replica: index + 1, ...inCell(cell) } })),
    )
  const register = () => {
    new Gauge({
      ...{ name: `${prefix}replica_in_use`, labelNames: ['replica', 'cell'], registers: [registry] },
      help: 'Whether a replica is read from (1) or its circuit is open (0).',
      collect() {
        for (const { labels, inUse } of all()) this.set(labels, inUse ? 1 : 0)
      },
    })
    new Counter({
      ...{ name: `${prefix}replica_answers_total`, labelNames: ['replica', 'answer', 'cell'], registers: [registry] },
      help: 'Statements by how the replica answered: current, behind (discarded, as its version differs), failed.',
      collect() {
        this.reset()
        for (const { labels, ...state } of all()) {
          for (const answer of ['current', 'behind', 'failed'] as const) this.inc({ ...labels, answer }, state[answer])
        }
      },
    })
  }
  return (states, cell) => {
    if (cells.length === 0) register()
    cells.push({ states, cell })
  }
}

type Source = { read: () => number | Promise<number>; cell: string | undefined }

/** Gauges and counters whose values are maintained elsewhere, registered when they have their first source. */
function readingIn(registry: Registry) {
  const known = new Map<string, Source[]>()
  function sourcesOf(name: string, register: (sources: Source[]) => void): Source[] {
    const sources = known.get(name) ?? []
    if (!known.has(name)) register(sources)
    known.set(name, sources)
    return sources
  }
  const labelNames = ['cell'] as const
  const registers = [registry]
  return {
    gauge(name: string, help: string, read: Source['read'], cell?: string): void {
      const register = (sources: Source[]) =>
        new Gauge({
          ...{ name: prefix + name, help, labelNames, registers },
          async collect() {
            for (const source of sources) this.set(inCell(source.cell), await source.read())
          },
        })
      sourcesOf(name, register).push({ read, cell })
    },
    total(name: string, help: string, read: () => number, cell?: string): void {
      const register = (sources: Source[]) =>
        new Counter({
          ...{ name: prefix + name, help, labelNames, registers },
          async collect() {
            this.reset()
            for (const source of sources) this.inc(inCell(source.cell), await source.read())
          },
        })
      sourcesOf(name, register).push({ read, cell })
    },
  }
}
