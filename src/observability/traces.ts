import { AsyncLocalStorage } from 'node:async_hooks'
import { type Context, ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api'
import { parseTraceParent } from '@opentelemetry/core'
import type { TracingConfig } from '../config/config.ts'
import type { Pool } from '../database/pool.ts'
import { type TraceRequest, unmatched } from '../http/request-log.ts'
import type { Logger } from '../log.ts'
import { openExport } from './trace-export.ts'

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
