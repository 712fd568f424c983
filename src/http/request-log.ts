import type { Request, RequestHandler, Response } from 'express'
import { type Logger, requestLines } from '../log.ts'
import { splitTarget } from './message.ts'
import { requestIdOf } from './response.ts'

/** A request in a token's activity. `endpoint` is method and route: `GET /v1/items/{id}`. */
export type Activity = {
  tokenId: string
  at: Date
  endpoint: string
  status: number
  durationMs: number
  requestId: string
  /** The text after `?`, cut; names of its parameters, and of those that the operation lacks. */
  query: string
  parameters: readonly string[]
  ignored: readonly string[]
  address: string | null
  /** The client's `User-Agent`, cut. */
  agent: string
  /** The length of the body as it was sent. */
  bytes: number
  /** Whether the answer came from the cache. */
  cached: boolean
}

/** Handlers put this into `response.locals` for the log of requests. */
export type RequestLocals = {
  /** The token of the request, once it is known. */
  tokenId?: string | undefined
  /** Records the request when its token is known. Must not throw. */
  record?: ((activity: Activity) => void) | undefined
  address?: string | null
  cached?: boolean
  /** Names of the given query parameters. Not their values, which may contain anything. */
  parameters?: readonly string[]
  /** Names that the operation does not have. They are cleaned, so that a page can show them. */
  ignored?: readonly string[]
  /** The recorded trace of the request. */
  traceId?: string | undefined
}

/** The fields of every log line about a request. */
export const idsOf = (response: Response<unknown, RequestLocals>) => ({
  request_id: requestIdOf(response),
  trace_id: response.locals.traceId,
})

/** A finished request. `route` is a template, never an address. */
export type EndedRequest = { route: string; status: number; durationMs: number; requestId: string }

/** Traces a request: `run` runs its handlers; call `end` once. `traceId` is undefined if the trace
 * is not recorded. */
export type TraceRequest = (request: Request) => {
  traceId: string | undefined
  run(work: () => void): void
  end(request: EndedRequest): void
}

/** Metrics and traces, if they are on. These functions must not throw. */
export type Telemetry = { measure?: ((request: EndedRequest) => void) | undefined; trace?: TraceRequest | undefined }

/** The route of a request that matched none. */
export const unmatched = 'unmatched'

/** The logged status of a request whose client left before the answer began. */
const clientLeft = 499

/** Writes one log line and, for a known token, one entry of activity when a request ends. Logs
 * the route's template instead of the URL, which can contain a token or a signed photo URL. */
export function logRequests(log: Logger, { measure, trace }: Telemetry = {}): RequestHandler {
  const writeLine = requestLines(log)
  return (request, response: Response<unknown, RequestLocals>, next) => {
    const at = new Date()
    const started = performance.now()
    const traced = trace?.(request)
    response.locals.traceId = traced?.traceId
    response.once('close', () => {
      const durationMs = Math.round((performance.now() - started) * 1000) / 1000
      const { tokenId, record, parameters, ignored, address = null, cached = false } = response.locals
      const route = routeOf(request)
      const status = response.headersSent ? response.statusCode : clientLeft
      const requestId = requestIdOf(response)
      writeLine(status >= 500 ? 'error' : 'info', {
        request_id: requestId,
        trace_id: traced?.traceId,
        method: request.method,
        route,
        parameters,
        ignored,
        status,
        duration_ms: durationMs,
        token_id: tokenId,
        aborted: response.writableFinished ? undefined : true,
      })
      const ended = { route, status, durationMs, requestId }
      measure?.(ended)
      traced?.end(ended)
      if (tokenId !== undefined && response.headersSent) {
        const asked = { endpoint: `${request.method} ${route}`, query: cut(splitTarget(request.url).query, 1_000) }
        const agent = cut(request.headers['user-agent'] ?? '', 200)
        const bytes = request.method === 'HEAD' ? 0 : Number(response.getHeader('Content-Length') ?? 0)
        const given = { parameters: parameters ?? [], ignored: ignored ?? [] }
        record?.({ tokenId, at, ...asked, status, durationMs, requestId, ...given, address, agent, bytes, cached })
      }
    })
    if (traced === undefined) next()
    else traced.run(next)
  }
}

/** The template of the matched route, as the reference has it: `/v1/items/{id}`. */
function routeOf(request: Request): string {
  const path: unknown = request.route?.path
  return typeof path === 'string' ? `${request.baseUrl}${path}`.replace(/:(\w+)/g, '{$1}') : unmatched
}

/** The beginning of a text, as a text of its own: a slice would keep the whole one. */
const cut = (text: string, length: number) =>
  text.length > length ? Buffer.from(text.slice(0, length)).toString() : text
