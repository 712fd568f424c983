import type { z } from 'zod'
import { text, webAddress, wholeNumber } from './values.ts'

/** Where traces go, by OpenTelemetry's own variables. Undefined: off. */
export type TracingConfig =
  | {
      /** The collector's address for OTLP over HTTP, without `/v1/traces`. */
      endpoint: string
      /** Sent with each export: the collector's credentials. */
      headers: Record<string, string>
      serviceName: string
      /** The share of traces started here that is recorded, from 0 to 1. */
      share: number
      /** How long spans wait to be exported in a batch, in milliseconds. */
      exportDelayMs: number
    }
  | undefined

const headerAdvice = 'give name=value pairs, separated by commas, values percent-encoded, for example api-key=secret'

export const tracingVariables = {
  OTEL_EXPORTER_OTLP_ENDPOINT: webAddress(
    'give the address of a collector that takes OTLP over HTTP, without /v1/traces, for example http://localhost:4318',
  ).optional(),
  OTEL_EXPORTER_OTLP_HEADERS: text((value) => headersIn(value) !== undefined, headerAdvice).optional(),
  OTEL_SERVICE_NAME: text((value) => value.length <= 255, 'give a name of at most 255 characters').default(
    'studio-inventory-api',
  ),
  OTEL_TRACES_SAMPLER_ARG: text(
    (value) => /^(?:0|1|[01]?\.\d{1,9})$/.test(value) && Number(value) <= 1,
    'give a share from 0 to 1 (1 when not set)',
  )
    .transform(Number)
    .default(1),
  OTEL_BSP_SCHEDULE_DELAY: wholeNumber(1, 60_000, 1_000),
}

export function readTracing(data: z.infer<z.ZodObject<typeof tracingVariables>>): TracingConfig {
  if (data.OTEL_EXPORTER_OTLP_ENDPOINT === undefined) return undefined
  return {
    endpoint: data.OTEL_EXPORTER_OTLP_ENDPOINT,
    headers: headersIn(data.OTEL_EXPORTER_OTLP_HEADERS ?? '') ?? {},
    serviceName: data.OTEL_SERVICE_NAME,
    share: data.OTEL_TRACES_SAMPLER_ARG,
    exportDelayMs: data.OTEL_BSP_SCHEDULE_DELAY,
  }
}

/** Undefined when a pair is none, or could not be sent as a header. */
function headersIn(value: string): Record<string, string> | undefined {
  const headers: Record<string, string> = {}
  for (const pair of value.split(',').filter((each) => each.trim() !== '')) {
    const [, name, encoded] = /^\s*([\w!#$%&'*+.^`|~-]+)\s*=\s*(.*?)\s*$/.exec(pair) ?? []
    const content = decoded(encoded)
    if (name === undefined || content === undefined || !/^[\x20-\x7e]+$/.test(content)) return undefined
    headers[name] = content
  }
  return headers
}

function decoded(value: string | undefined): string | undefined {
  try {
    return value && decodeURIComponent(value)
  } catch {
    return undefined
  }
}
