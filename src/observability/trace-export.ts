import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Tracer } from '@opentelemetry/api'
import { type ExportResult, ExportResultCode, parseKeyPairsIntoRecord } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import { manifest, type TracingConfig } from '../config/config.ts'
import type { Logger } from '../log.ts'

/** How many spans may wait; an unreachable collector makes the service drop the rest. */
const maxWaiting = 2_048

/** How long an export may take, including retries, in milliseconds. */
const exportMs = 5_000

/** How long the last export may take, in milliseconds. */
const lastExportMs = 2_000

/** The shortest interval between log lines about failed exports, in milliseconds. */
const logIntervalMs = 60_000

/** The sampler of a standard name. A share of 1 records everything, 0 nothing. */
function samplerOf(name: string, share: number): Sampler {
  const root = new TraceIdRatioBasedSampler(name.endsWith('ratio') ? share : name.endsWith('on') ? 1 : 0)
  return name.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root
}

/** Makes the OTLP exporter over HTTP. Omits the command line, which could contain a secret. */
export function openExport(
  { url, headers, sampler, share, exportDelayMs = 1_000 }: NonNullable<TracingConfig>,
  log: Logger,
): { tracer: Tracer; close(): Promise<void> } {
  const exporter = new OTLPTraceExporter({ url, timeoutMillis: exportMs, headers: parseKeyPairsIntoRecord(headers) })
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.name': manifest.name,
      'service.version': manifest.version,
      'service.instance.id': randomUUID(),
    }).merge(detectResources({ detectors: [envDetector] })),
    sampler: samplerOf(sampler, share),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: loggingFailures(exporter, log),
        scheduledDelayMillis: exportDelayMs,
        maxQueueSize: maxWaiting,
      }),
    ],
  })
  return {
    tracer: provider.getTracer('studio-inventory', manifest.version),
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

/** Logs the exporter's first failure at once, further ones at intervals, and its recovery. */
function loggingFailures(exporter: OTLPTraceExporter, log: Logger): SpanExporter {
  let [lost, lastLogged, failing] = [0, Number.NEGATIVE_INFINITY, false]

  function look(result: ExportResult, spans: number): void {
    if (result.code === ExportResultCode.SUCCESS) {
      if (failing) log.info('traces are exported again')
      failing = false
      return
    }
    failing = true
    lost += spans
    const now = performance.now()
    if (now - lastLogged < logIntervalMs) return
    log.warn({ reason: reasonOf(result.error), lost }, 'traces could not be exported')
    ;[lost, lastLogged] = [0, now]
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

/** An error about several addresses has a code but no message. */
function reasonOf(error: (Error & { code?: unknown }) | undefined): string {
  return [error?.code, error?.message].filter((part) => part !== undefined && part !== '').join(' ') || 'unknown'
}
