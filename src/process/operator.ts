import type { Config } from '../config.ts'
import type { Logger } from '../log.ts'
import type { OpenMetrics } from '../metrics/open.ts'

/** Metrics, health and readiness for the operator; nothing of it is loaded where they are off. */
export async function openOperatorPort(
  { metrics, docsUrl }: Pick<Config, 'metrics' | 'docsUrl'>,
  log: Logger,
): Promise<OpenMetrics | undefined> {
  if (metrics === undefined) return undefined
  const { openMetrics } = await import('../metrics/open.ts')
  return openMetrics(metrics, docsUrl, log)
}
