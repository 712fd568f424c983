import { isIP } from 'node:net'
import type { z } from 'zod'
import { text } from './values.ts'

/** The admin port: metrics, health and readiness. Undefined: off. */
export type MetricsConfig = { host: string; port: number } | undefined

export const metricsVariables = {
  METRICS_PORT: text(
    (value) => /^\d{1,5}$/.test(value) && Number(value) <= 65535,
    'give a port from 0 to 65535; 0 is any free one',
  )
    .transform(Number)
    .optional(),
  METRICS_HOST: text(
    (value) => isIP(value) !== 0 || /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(value),
    'give the address to listen on without a port, for example 127.0.0.1 or 0.0.0.0',
  ).default('127.0.0.1'),
}

export function readMetrics(data: z.infer<z.ZodObject<typeof metricsVariables>>): MetricsConfig {
  return data.METRICS_PORT === undefined ? undefined : { host: data.METRICS_HOST, port: data.METRICS_PORT }
}
