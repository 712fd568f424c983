import type { Config, TracingConfig } from '../config/config.ts'
import type { Pool } from '../database/pool.ts'
import type { Ended, TraceRequest } from '../http/observation.ts'
import type { Readiness } from '../http/readiness.ts'
import type { AdminListener } from './admin-listener.ts'
import type { Logger } from './log.ts'
import type { Metrics } from './metrics.ts'
import type { Tracing } from './traces.ts'

/** Metrics, traces and the admin port, as the service uses them: where one is off, nothing happens. */
export type Observability = Omit<
  Metrics,
  'measure' | 'watchPool' | 'watchPartialAnswers' | 'watchReadiness' | 'text'
> & {
  /** Counts every request; undefined where metrics are off. */
  measure: ((request: Ended) => void) | undefined
  /** Starts the trace of every request; undefined where traces are off. */
  trace: TraceRequest | undefined
  /** Observes a pool: its state, and, if it serves single requests, its statements. */
  watchPool(name: string, pool: Pool, options?: { isTraced?: boolean }): void
  /** Sets what `/readyz` of the admin port answers from now on. */
  readyWhen(ready: () => Promise<Readiness>): void
  /** Makes `/readyz` of the admin port answer that the service is stopping. */
  stopping(): void
}

/** Opens the admin port and traces where they are configured, and loads their code only then. @throws ListenError */
export async function openObservability(
  config: Pick<Config, 'metrics' | 'docsUrl' | 'tracing'>,
  log: Logger,
  resources: AsyncDisposableStack,
): Promise<Observability> {
  const { metrics, docsUrl } = config
  const admin = metrics && (await (await import('./admin-listener.ts')).openAdminListener(metrics, docsUrl, log))
  resources.defer(async () => admin?.close())
  const tracing = await openTracing(config.tracing, log)
  resources.defer(async () => tracing?.close())
  return { ...metricsOf(admin), ...tracesOf(admin, tracing) }
}

/** Starts tracing if configured; otherwise no part of OpenTelemetry is loaded. Nothing connects yet. */
export async function openTracing(config: TracingConfig, log: Logger): Promise<Tracing | undefined> {
  if (config === undefined) return undefined
  const { createTracing } = await import('./traces.ts')
  return createTracing(config, log)
}

const nothing = () => undefined

function metricsOf(admin: AdminListener | undefined) {
  const off = {
    measure: undefined,
    counting: <Limiter>(limiter: Limiter) => limiter,
    watchReplicas: nothing,
    watchRecorder: nothing,
    watchCache: nothing,
    watchConnections: nothing,
    watchWatermark: nothing,
    watchValuationRefresh: nothing,
    watchSignIns: nothing,
    readyWhen: nothing,
    stopping: nothing,
  }
  if (admin === undefined) return off
  return { ...admin.metrics, readyWhen: admin.readyWhen, stopping: admin.stopping }
}

function tracesOf(admin: AdminListener | undefined, tracing: Tracing | undefined) {
  return {
    trace: tracing?.request,
    watchPool(name: string, pool: Pool, { isTraced = true }: { isTraced?: boolean } = {}) {
      admin?.metrics.watchPool(name, pool.stats)
      admin?.metrics.watchPartialAnswers(pool.partial)
      if (isTraced) tracing?.watchPool(name, pool)
    },
  }
}
