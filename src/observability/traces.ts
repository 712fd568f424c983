import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Context, ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api'
import { type ExportResult, ExportResultCode, parseKeyPairsIntoRecord, parseTraceParent } from '@opentelemetry/core'
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
import type { Pool } from '../database/pool.ts'
import { type TraceRequest, unmatched } from '../http/request-log.ts'
import type { Logger } from '../log.ts'

export type Tracing = ReturnType<typeof createTracing>

/** Makes spans by hand, by OpenTelemetry's conventions for HTTP and databases, without global
 * state. A span has a route's template or a statement's name, but no token, id or data, which
 * automatic instrumentation would send: ids in URLs, SQL, headers. */
export function createTracing(config: NonNullable<TracingConfig>, log: Logger) {
  const { tracer, close } = openExport(config, log)
  /** The running request, while its span is recorded. */
  const current = new AsyncLocalStorage<Context | undefined>()
  return {
    request: tracingRequests(tracer, current),
    /** Gives each statement of a request a span; `name` is that of the pool. */
    watchPool(name: string, pool: Pool): void {
      pool.observer.statement = (statement, run) => {
        const request = current.getStore()
        return request === undefined ? run() : withinSpan(statementSpan(tracer, name, statement, request), run)
      }
    },
    close,
  }
}

/** HTTP's own methods; any other is `_OTHER`. */
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT'])

function tracingRequests(tracer: Tracer, current: AsyncLocalStorage<Context | undefined>): TraceRequest {
  return ({ method, protocol, headers }) => {
    const known = methods.has(method) ? method : '_OTHER'
    // A proxy may send any scheme.
    const attributes = { 'http.request.method': known, 'url.scheme': protocol === 'https' ? 'https' : 'http' }
    const span = tracer.startSpan(known, { kind: SpanKind.SERVER, attributes }, callerOf(headers.traceparent))
    const context = span.isRecording() ? trace.setSpan(ROOT_CONTEXT, span) : undefined
    return {
      traceId: context && span.spanContext().traceId,
      run: (work) => current.run(context, work),
      end({ route, status, requestId }) {
        if (route !== unmatched) {
          span.updateName(`${known} ${route}`)
          span.setAttribute('http.route', route)
        }
        span.setAttribute('http.response.status_code', status)
        span.setAttribute('http.response.header.x-request-id', [requestId])
        if (status >= 500) fail(span, String(status))
        span.end()
      },
    }
  }
}

/** The span that a client's `traceparent` names. Ignores `tracestate`, a client's free text. */
function callerOf(traceparent: unknown): Context {
  const caller = typeof traceparent === 'string' ? parseTraceParent(traceparent) : null
  return caller === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, { ...caller, isRemote: true })
}

function statementSpan(tracer: Tracer, pool: string, statement: string, request: Context): Span {
  const attributes = {
    'db.system.name': 'postgresql',
    'db.query.summary': statement,
    'studio_inventory.pool': pool,
  }
  return tracer.startSpan(statement, { kind: SpanKind.CLIENT, attributes }, request)
}

async function withinSpan<Result>(span: Span, run: () => Promise<Result>): Promise<Result> {
  try {
    return await run()
  } catch (error) {
    const { name, sqlState } = error as Error & { sqlState?: unknown }
    if (typeof sqlState === 'string') span.setAttribute('db.response.status_code', sqlState)
    // SQLSTATEs of class SI are ours: not signed in, or not found. The database has not failed.
    if (!String(sqlState).startsWith('SI')) fail(span, String(sqlState ?? name))
    throw error
  } finally {
    span.end()
  }
}

/** Records the kind of a failure; a message could repeat values of the request. */
function fail(span: Span, kind: string): void {
  span.setAttribute('error.type', kind)
  span.setStatus({ code: SpanStatusCode.ERROR })
}

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
function openExport(
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
