import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import type { Limiter } from '../../auth/limiter.ts'
import type { RecorderStats } from '../../auth/recorder.ts'
import { manifest } from '../../config/config.ts'
import type { PartialAnswers } from '../../database/partial-answers.ts'
import type { PoolStats } from '../../database/pool.ts'
import type { ReplicaState } from '../../database/replicas.ts'
import type { Measured } from '../../http/observation.ts'
import type { Readiness } from '../../http/readiness.ts'
import { countingPartialAnswers } from './partial-answers.ts'
import { watchingPools } from './pools.ts'
import { countingRefusals, refusalsIn } from './refusals.ts'
import { watchingReplicas } from './replicas.ts'
import { measuringIn } from './requests.ts'
import { prefix, readingIn } from './state.ts'

/** Statistics of a cache of bodies. */
export type CacheStats = { hits: number; misses: number; bytes: number }

/** The metrics of this process. No label takes a value that clients choose. */
export type Metrics = {
  /** Counts a request that has ended. */
  measure(request: Measured): void
  /** Wraps a limiter to count its refusals. */
  counting(limiter: Limiter): Limiter
  /** Parts whose state is read at each scrape. */
  watchPool(name: string, stats: () => PoolStats): void
  /** Adds answers that lacked a part to those that are counted. */
  watchPartialAnswers(counts: Readonly<PartialAnswers>): void
  watchReplicas(states: () => readonly ReplicaState[]): void
  watchRecorder(stats: () => RecorderStats): void
  watchCache(stats: () => CacheStats): void
  watchConnections(count: () => Promise<number>): void
  /** @param age in seconds; undefined while it is not known */
  watchWatermark(age: () => number | undefined): void
  watchValuationRefresh(failures: () => number): void
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
    watchRecorder: (stats) => {
      gauge('recorder_waiting', 'Entries of request activity waiting to be written.', () => stats().waiting)
      total('recorder_dropped_total', 'Entries of request activity that were dropped.', () => stats().dropped)
    },
    watchCache: (stats) => {
      total('cache_hits_total', 'Requests answered with a cached body.', () => stats().hits)
      total('cache_misses_total', 'Requests whose body was not cached.', () => stats().misses)
      gauge('cache_bytes', 'Size of the cached bodies.', () => stats().bytes)
    },
    watchConnections: (count) => {
      gauge('connections', 'Open client connections.', count)
    },
    watchWatermark: (age) => {
      const help =
        'Age of the watermark: the moment before which no change can still become visible to clients that poll.'
      gauge('watermark_age_seconds', help, () => age() ?? Number.NaN)
    },
    watchValuationRefresh: (failures) => {
      const help = "Refreshes of a studio's valuations that failed; they are tried again."
      total('valuation_refresh_failures_total', help, failures)
    },
    watchReadiness: (ready) => {
      const help = 'Whether the service can serve requests (1) or not (0), as /readyz answers.'
      gauge('ready', help, async () => ((await ready()).ready ? 1 : 0))
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
