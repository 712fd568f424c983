import type { Config } from '../config/config.ts'
import type { OpenMetrics } from './admin-listener.ts'
import type { Logger } from './log.ts'

/** Metrics, health and readiness for the operator; nothing of it is loaded where they are off. */
export async function openOperatorPort(
  { metrics, docsUrl }: Pick<Config, 'metrics' | 'docsUrl'>,
  log: Logger,
): Promise<OpenMetrics | undefined> {
  if (metrics === undefined) return undefined
  const { openMetrics } = await import('./admin-listener.ts')
  return openMetrics(metrics, docsUrl, log)
}
