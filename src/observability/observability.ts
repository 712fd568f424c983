import { LRUCache } from 'lru-cache'
import type { Config, TracingConfig } from '../config/config.ts'
import type { Pool } from '../database/pool.ts'
import type { Readiness } from '../http/response.ts'
import type { Logger } from '../log.ts'
import type { Tracing } from './traces.ts'

/** For how long the log does not repeat that a studio exceeds its share, in milliseconds. */
const silentMs = 10_000

/** Metrics, traces and the admin port for the service. A part that is off does nothing. */
export type Observability = Awaited<ReturnType<typeof openObservability>>

/** Opens and loads the admin port and traces only if configured. @throws ListenError */
export async function openObservability(
  config: Pick<Config, 'metrics' | 'docsUrl' | 'tracing'>,
  log: Logger,
  resources: Pick<AsyncDisposableStack, 'defer'>,
) {
  const { metrics, docsUrl } = config
  const admin = metrics && (await (await import('./admin-listener.ts')).openAdminListener(metrics, docsUrl, log))
  resources.defer(async () => admin?.close())
  const tracing = await openTracing(config.tracing, log)
  const logged = new LRUCache<string, true>({ max: 1_000, ttl: silentMs })
  resources.defer(async () => tracing?.close())
  return {
    metrics: admin?.metrics,
    trace: tracing?.request,
    /** Observes the state of a pool and, if it serves single requests, its statements. Logs the studios
     * that exceed their share. */
    watchPool(name: string, pool: Pool, { isTraced = true } = {}): void {
      let refusals = 0
      pool.observer.refused = (studioId) => {
        refusals += 1
        const key = `${name} ${studioId}`
        if (!logged.has(key)) log.warn({ studio_id: studioId, pool: name }, 'a studio exceeds its share and gets 429')
        logged.set(key, true, { noUpdateTTL: true })
      }
      admin?.metrics.watchPool(name, pool, () => refusals)
      if (isTraced) tracing?.watchPool(name, pool)
    },
    /** Sets what `/readyz` of the admin port answers from now on. */
    readyWhen: (ready: () => Promise<Readiness>): void => admin?.readyWhen(ready),
  }
}

/** Starts tracing if configured; otherwise loads no part of OpenTelemetry. Connects later. */
export async function openTracing(config: TracingConfig, log: Logger): Promise<Tracing | undefined> {
  if (config === undefined) return undefined
  const { createTracing } = await import('./traces.ts')
  return createTracing(config, log)
}
