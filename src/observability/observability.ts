import type { Config } from '../config/config.ts'
import type { Pool, PoolStats } from '../database/pool.ts'
import type { Measured, TraceRequest } from '../http/observation.ts'
import type { Readiness } from '../http/readiness.ts'
import type { AdminListener } from './admin-listener.ts'
import type { Logger } from './log.ts'
import type { Metrics } from './metrics/metrics.ts'
import { openTracing, type Tracing } from './tracing/tracing.ts'

/** Metrics, traces and the admin port, as the service uses them: where one is off, nothing happens. */
export type Observability = Omit<Metrics, 'measure' | 'watchPool' | 'text'> & {
  /** Takes in every request; undefined where nobody wants to know. */
  measure: ((request: Measured) => void) | undefined
  /** Begins the trace of every request; undefined where there are none. */
  trace: TraceRequest | undefined
  /** Watches a pool: its state, and, unless it works for no single request, its statements. */
  watchPool(name: string, pool: Pool, isTraced?: boolean): void
  /** Watches a pool of another thread by what it tells. */
  watchPoolStats(name: string, stats: () => PoolStats): void
  /** From when on `/readyz` of the admin port answers what this says. */
  readyWhen(ready: () => Promise<Readiness>): void
  /** From when on `/readyz` of the admin port says that the service stops. */
  stopping(): void
}

/**
 * Opens the admin port and traces, where they are configured. Nothing of them is loaded where they are not.
 *
 * @param resources takes what is to be closed at the end
 * @throws ListenError
 */
export async function openObservability(
  config: Pick<Config, 'metrics' | 'docsUrl' | 'tracing'>,
  log: Logger,
  resources: AsyncDisposableStack,
): Promise<Observability> {
  const admin = await openAdminPort(config, log)
  resources.defer(async () => admin?.close())
  const tracing = await openTracing(config.tracing, log)
  resources.defer(async () => tracing?.close())
  return { ...metricsOf(admin), ...tracesOf(admin, tracing) }
}

async function openAdminPort(
  { metrics, docsUrl }: Pick<Config, 'metrics' | 'docsUrl'>,
  log: Logger,
): Promise<AdminListener | undefined> {
  if (metrics === undefined) return undefined
  const { openAdminListener } = await import('./admin-listener.ts')
  return openAdminListener(metrics, docsUrl, log)
}

const nothing = () => undefined

function metricsOf(admin: AdminListener | undefined) {
  const off = {
    measure: undefined,
    counting: <Limiter>(limiter: Limiter) => limiter,
    watchPoolStats: nothing,
    watchReplicas: nothing,
    watchRecorder: nothing,
    watchCache: nothing,
    watchConnections: nothing,
    readyWhen: nothing,
    stopping: nothing,
  }
  if (admin === undefined) return off
  const { watchPool: watchPoolStats, text: _text, ...metrics } = admin.metrics
  return { ...metrics, watchPoolStats, readyWhen: admin.readyWhen, stopping: admin.stopping }
}

function tracesOf(admin: AdminListener | undefined, tracing: Tracing | undefined) {
  return {
    trace: tracing?.request,
    watchPool(name: string, pool: Pool, isTraced = true) {
      admin?.metrics.watchPool(name, pool.stats)
      if (isTraced) tracing?.watchPool(name, pool)
    },
  }
}
