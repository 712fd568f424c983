import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import type { Limiter } from '../../auth/limiter.ts'
import type { RecorderStats } from '../../auth/recorder.ts'
import { manifest } from '../../config/manifest.ts'
import type { PartialAnswers } from '../../database/partial-answers.ts'
import type { PoolStats } from '../../database/pool.ts'
import type { ReplicaState } from '../../database/replicas.ts'
import type { Measured } from '../../http/observation.ts'
import type { Readiness } from '../../http/readiness.ts'
import { prefix } from './names.ts'
import { countingPartialAnswers } from './partial-answers.ts'
import { watchingPools } from './pools.ts'
import { countingRefusals, refusalsIn } from './refusals.ts'
import { watchingReplicas } from './replicas.ts'
import { measuringIn } from './requests.ts'
import { readingIn } from './state.ts'

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
  watchReplicas(states: () => readonly ReplicaState[], cell?: string): void
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

function tellBuild(registry: Registry): void {
  const build = new Gauge({
    name: `${prefix}build_info`,
    help: 'Always 1; its labels say which version of the service and of Node is running.',
    labelNames: ['version', 'node'],
    registers: [registry],
  })
  build.set({ version: manifest.version, node: process.version.slice(1) }, 1)
}
