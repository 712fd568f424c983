import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Tracer } from '@opentelemetry/api'
import { type ExportResult, ExportResultCode } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import { manifest } from '../../config/manifest.ts'
import type { TracingConfig } from '../../config/tracing.ts'
import type { Logger } from '../log.ts'

/** The most spans that wait; more are lost while the collector takes none. */
const maxWaiting = 2_048

/** How long an export may take with all its attempts, in milliseconds. */
const exportMs = 5_000

/** How long the last export may take, in milliseconds. */
const lastExportMs = 2_000

/** How often at most it is said that the collector takes nothing, in milliseconds. */
const logIntervalMs = 60_000

/**
 * Opens the way to the collector: OTLP over HTTP, in batches and in the background. Nothing is looked up about the machine
 * or the process: a command line or an environment could hold a secret.
 */
export function openExport(
  { endpoint, headers, serviceName, share, exportDelayMs }: NonNullable<TracingConfig>,
  log: Logger,
): { tracer: Tracer; close(): Promise<void> } {
  const exporter = new OTLPTraceExporter({ url: `${endpoint}/v1/traces`, headers, timeoutMillis: exportMs })
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.name': serviceName,
      'service.version': manifest.version,
      'service.instance.id': randomUUID(),
    }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(share) }),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: loggingFailures(exporter, log),
        scheduledDelayMillis: exportDelayMs,
        maxQueueSize: maxWaiting,
      }),
    ],
  })
  return {
    tracer: provider.getTracer('studio-inventory-api', manifest.version),
    async close() {
      const exported = provider.shutdown().then(
        () => true,
        () => true,
      )
      const inTime = await Promise.race([exported, sleep(lastExportMs, false, { ref: false })])
      if (!inTime) log.warn('the last traces were not exported in time')
    },
  }
}

/** The same exporter, of whose failures the log hears: of the first at once, then once in a while; and of their end. */
function loggingFailures(exporter: OTLPTraceExporter, log: Logger): SpanExporter {
  let [lost, said, failing] = [0, Number.NEGATIVE_INFINITY, false]

  function look(result: ExportResult, spans: number): void {
    if (result.code === ExportResultCode.SUCCESS) {
      if (failing) log.info('traces are exported again')
      failing = false
      return
    }
    failing = true
    lost += spans
    const now = performance.now()
    if (now - said < logIntervalMs) return
    log.warn({ reason: reasonOf(result.error), lost }, 'traces could not be exported')
    ;[lost, said] = [0, now]
  }

  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        look(result, spans.length)
        done(result)
      })
    },
    forceFlush: () => exporter.forceFlush(),
    shutdown: () => exporter.shutdown(),
  }
}

/** An error of several addresses has no message, only a code. */
function reasonOf(error: (Error & { code?: unknown }) | undefined): string {
  return [error?.code, error?.message].filter((part) => part !== undefined && part !== '').join(' ') || 'unknown'
}
