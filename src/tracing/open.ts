import type { TracingConfig } from '../config/tracing.ts'
import type { Pool } from '../database/pools.ts'
import type { TraceRequest } from '../http/observation.ts'
import type { Logger } from '../log.ts'

/**
 * Traces, as the rest of the service knows them; what makes them stays in this folder. A span tells the template of a route
 * and the name of a statement, how long they took and how they ended: no token, no id of a path, no value, no data.
 */
export type Tracing = {
  /** Begins the span of a request. */
  request: TraceRequest
  /** Gives each statement that a request runs on a pool a span; `name` says which pool it was. */
  watchPool(name: string, pool: Pool): void
  /** Exports what waits; gives up after two seconds. Never throws. */
  close(): Promise<void>
}

/** Begins to trace where that is configured; else nothing of OpenTelemetry is loaded. Nothing connects yet. */
export async function openTracing(config: TracingConfig, log: Logger): Promise<Tracing | undefined> {
  if (config === undefined) return undefined
  const { createTracing } = await import('./spans.ts')
  return createTracing(config, log)
}
