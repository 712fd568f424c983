import type { Config, TracingConfig } from '../config/config.ts'
import type { Pool } from '../database/pool.ts'
import type { Readiness } from '../http/readiness.ts'
import type { Logger } from '../log.ts'
import type { Tracing } from './traces.ts'

/** Metrics, traces and the admin port, as the service uses them: where one is off, nothing happens. */
export type Observability = Awaited<ReturnType<typeof openObservability>>

/** Opens the admin port and traces where they are configured, and loads their code only then. @throws ListenError */
export async function openObservability(
  config: Pick<Config, 'metrics' | 'docsUrl' | 'tracing'>,
  log: Logger,
  resources: AsyncDisposableStack,
) {
  const { metrics, docsUrl } = config
  const admin = metrics && (await (await import('./admin-listener.ts')).openAdminListener(metrics, docsUrl, log))
  resources.defer(async () => admin?.close())
  const tracing = await openTracing(config.tracing, log)
  resources.defer(async () => tracing?.close())
  return {
    metrics: admin?.metrics,
    /** Starts the trace of every request. */
    trace: tracing?.request,
    /** Observes a pool: its state, and, if it serves single requests, its statements. */
    watchPool(name: string, pool: Pool, { isTraced = true } = {}): void {
      admin?.metrics.watchPool(name, pool)
      if (isTraced) tracing?.watchPool(name, pool)
    },
    /** Sets what `/readyz` of the admin port answers from now on. */
    readyWhen: (ready: () => Promise<Readiness>): void => admin?.readyWhen(ready),
  }
}

/** Starts tracing if configured; otherwise no part of OpenTelemetry is loaded. Nothing connects yet. */
export async function openTracing(config: TracingConfig, log: Logger): Promise<Tracing | undefined> {
  if (config === undefined) return undefined
  const { createTracing } = await import('./traces.ts')
  return createTracing(config, log)
}
