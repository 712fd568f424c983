import type { TracingConfig } from '../../config/config.ts'
import type { Logger } from '../log.ts'
import type { Tracing } from './spans.ts'

export type { Tracing }

/** Starts tracing if configured; otherwise no part of OpenTelemetry is loaded. Nothing connects yet. */
export async function openTracing(config: TracingConfig, log: Logger): Promise<Tracing | undefined> {
  if (config === undefined) return undefined
  const { createTracing } = await import('./spans.ts')
  return createTracing(config, log)
}
