import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import type { CacheStats } from '../api/cache.ts'
import type { RecorderStats } from '../auth/recorder.ts'
import { manifest } from '../config/config.ts'
import { type PartialAnswers, type Pool, type PoolStats, parts } from '../database/pool.ts'
import type { ReplicaState } from '../database/replicas.ts'
import type { Readiness } from '../http/response.ts'
import { countingRefusals, measuringIn, prefix } from './request-metrics.ts'

/** What a process knows of a job. */
export type JobState = {
  name: string
  everySeconds: number
  /** In milliseconds since the epoch; when it began, until it has succeeded. */
  succeededAt: number
  /** How long the last run took. */
  seconds: number
  /** Since the start of the process. */
  rows: number
  failures: number
}

/** The metrics of this process: Node's and ours, which begin with `studio_inventory_`. No client
 * chooses the value of a label. */
export function createMetrics() {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const { gauge, total } = readingIn(registry)
  const pools: { pool: string; stats(): PoolStats; exceeded(): number }[] = []
  const ofPools = (part: keyof PoolStats) => () => pools.map(({ pool, stats }) => [{ pool }, stats()[part]] as const)
  gauge('pool_size', 'Connections to the database.', ofPools('size'), ['pool'])
  gauge('pool_idle', 'Idle connections to the database.', ofPools('idle'), ['pool'])
  gauge('pool_waiting', 'Statements waiting for a connection.', ofPools('waiting'), ['pool'])
  const refused = 'Statements refused with 503 because the queue for a connection was full.'
  total('pool_refused_total', refused, ofPools('refused'), ['pool'])
  const exceeded = 'Requests refused with 429 because their studio had its share of the pool. The log names the studio.'
  total('share_refusals_total', exceeded, () => pools.map((one) => [{ pool: one.pool }, one.exceeded()]), ['pool'])

  const partial: Readonly<PartialAnswers>[] = []
  const lacking = (part: (typeof parts)[number]) => partial.reduce((sum, counts) => sum + counts[part], 0)
  const partialHelp = 'Answers with 200 that lacked what could not be read.'
  total('partial_answers_total', partialHelp, () => parts.map((part) => [{ part }, lacking(part)]), ['part'])
  tellBuild(registry)

  // Each scrape reads the state of the parts.
  return {
    measure: measuringIn(registry),
    counting: countingRefusals(registry),
    /** @param exceeded how many requests of studios beyond their share were refused */
    watchPool(pool: string, { stats, partial: counts }: Pick<Pool, 'stats' | 'partial'>, exceeded: () => number): void {
      pools.push({ pool, stats, exceeded })
      partial.push(counts)
    },
    /** @param failures how many answers lack their photos, because signing failed */
    watchPhotos(failures: () => number): void {
      partial.push({
        valuation: 0,
        assignments_count: 0,
        get photos() {
          return failures()
        },
      })
    },
    watchReplicas(states: () => readonly ReplicaState[]): void {
      // These numbers come from the configuration, because metrics must not reveal host names.
      const numbered = () => states().map((state, index) => ({ ...state, replica: index + 1 }))
      const inUse = 'Whether the service reads from a replica (1) or pauses it for some seconds after an error (0).'
      gauge('replica_in_use', inUse, () => numbered().map((one) => [{ replica: one.replica }, one.inUse ? 1 : 0]), [
        'replica',
      ])
      const answers = ['current', 'behind', 'failed'] as const
      total(
        'replica_answers_total',
        'Statements by how the replica answered: current, behind (discarded, as its version differs), failed.',
        () =>
          numbered().flatMap(({ replica, ...state }) =>
            answers.map((answer) => [{ replica, answer }, state[answer]] as const),
          ),
        ['replica', 'answer'],
      )
    },
    watchRecorder(stats: () => RecorderStats): void {
      gauge('recorder_waiting', 'Entries of request activity waiting to be written.', () => stats().waiting)
      total('recorder_dropped_total', 'Entries of request activity that were dropped.', () => stats().dropped)
    },
    watchCache(stats: () => CacheStats): void {
      total('cache_hits_total', 'Requests answered with a cached body.', () => stats().hits)
      total('cache_misses_total', 'Requests whose body was not cached.', () => stats().misses)
      gauge('cache_bytes', 'Size of the cached bodies.', () => stats().bytes)
    },
    watchConnections: (count: () => Promise<number>) => gauge('connections', 'Open client connections.', count),
    /** `age` is in seconds; undefined while it is not known. */
    watchWatermark(age: () => number | undefined): void {
      const help = 'Age of the watermark: every change before it is visible to clients that poll.'
      gauge('watermark_age_seconds', help, () => age() ?? Number.NaN)
    },
    watchLogins(sessions: () => number): void {
      total('database_logins_total', 'Sessions that all logins have opened in the database.', sessions)
    },
    watchJobs(states: () => readonly JobState[]): void {
      // Prometheus has a label `job` of its own.
      const ofJobs = (read: (state: JobState) => number) => () =>
        states().map((state) => [{ job_name: state.name }, read(state)] as const)
      const labels = ['job_name']
      const age = 'How long ago a job last succeeded in this process, or began.'
      gauge(
        'job_success_age_seconds',
        age,
        ofJobs((job) => (Date.now() - job.succeededAt) / 1000),
        labels,
      )
      gauge(
        'job_interval_seconds',
        'The pause after a run of a job.',
        ofJobs((job) => job.everySeconds),
        labels,
      )
      gauge(
        'job_duration_seconds',
        'How long the last run of a job took.',
        ofJobs((job) => job.seconds),
        labels,
      )
      total(
        'job_rows_total',
        'Rows that a job changed.',
        ofJobs((job) => job.rows),
        labels,
      )
      total(
        'job_failures_total',
        'Runs of a job that failed; it tries again.',
        ofJobs((job) => job.failures),
        labels,
      )
    },
    watchValuationRefresh(failures: () => number): void {
      const help = "Refreshes of a studio's valuations that failed; they are tried again."
      total('valuation_refresh_failures_total', help, failures)
    },
    watchAnalysts(ended: () => readonly (readonly [reason: string, sessions: number])[]): void {
      const help =
        "Sessions of analysts that the watchdog ended: writing to the catalog, notifications unread, no room for so many, or another of a login's limits; or that do not end (never)."
      const reasons = () => ended().map(([reason, sessions]) => [{ reason }, sessions] as const)
      total('analyst_sessions_ended_total', help, reasons, ['reason'])
    },
    watchReadiness(ready: () => Promise<Readiness>): void {
      const help = 'Whether the service can serve requests (1) or not (0), as /readyz answers.'
      gauge('ready', help, async () => ((await ready()).ready ? 1 : 0))
    },
    watchSignIns(counts: Readonly<Record<string, number>>): void {
      const help =
        'Sign-ins to the console by outcome: signed_in, refused, or unavailable when the identity provider did not answer.'
      const outcomes = () => Object.entries(counts).map(([outcome, count]) => [{ outcome }, count] as const)
      total('sign_ins_total', help, outcomes, ['outcome'])
    },
    text: () => registry.metrics(),
  }
}

type Readings = readonly (readonly [labels: Record<string, string | number>, value: number])[]

/** A metric without labels has one number. */
const listed = (read: Readings | number): Readings => (typeof read === 'number' ? [[{}, read]] : read)

/** Gauges and counters whose values live elsewhere. Each scrape reads them. */
function readingIn(registry: Registry) {
  const registers = [registry]
  return {
    gauge(
      name: string,
      help: string,
      read: () => Readings | number | Promise<number>,
      labelNames: string[] = [],
    ): void {
      new Gauge({
        ...{ name: prefix + name, help, labelNames, registers },
        async collect() {
          for (const [labels, value] of listed(await read())) this.set(labels, value)
        },
      })
    },
    total(name: string, help: string, read: () => Readings | number, labelNames: string[] = []): void {
      new Counter({
        ...{ name: prefix + name, help, labelNames, registers },
        collect() {
          this.reset()
          for (const [labels, value] of listed(read())) this.inc(labels, value)
        },
      })
    },
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
