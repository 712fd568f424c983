import type { Request, RequestHandler, Response } from 'express'
import { type Logger, requestLines } from '../log.ts'
import { requestIdOf } from './response.ts'

/** One request of a token, as its activity shows it. `endpoint` is method and route template: `GET /v1/items/{id}`. */
export type Activity = { tokenId: string; at: Date; endpoint: string; status: number; durationMs: number }

/** What the handlers tell the observation, in `response.locals`. */
export type Observed = {
  /** The token of the request, once it is known. */
  tokenId?: string
  /** Records the request, once its token is known; must not throw. */
  record?: ((activity: Activity) => void) | undefined
  /** Names of the query parameters given; never their values, which may contain anything. */
  parameters?: readonly string[]
}

/** A request as it ended. The route is a template, never an address. */
export type Ended = { route: string; status: number; durationMs: number; requestId: string }

/** A request in its trace: its handlers run within `run`, and `end` is called once. */
export type TraceRequest = (request: Request) => { run(work: () => void): void; end(request: Ended): void }

/** The metrics and the traces, where they are on. None of them may throw. */
export type Observers = { measure?: ((request: Ended) => void) | undefined; trace?: TraceRequest | undefined }

/** The route of a request that has none. */
export const unmatched = 'unmatched'

/** Status in the log of a request whose client left before the answer began. */
const clientLeft = 499

/**
 * Observes every request from outside: one log line and, when its token is known, one entry of activity, both at its end.
 * Of the URL only the route's template is logged: a path or query can contain a token or a signed photo URL.
 */
export function observe(log: Logger, { measure, trace }: Observers = {}): RequestHandler {
  const writeLine = requestLines(log)
  return (request, response: Response<unknown, Observed>, next) => {
    const at = new Date()
    const started = performance.now()
    const traced = trace?.(request)
    response.once('close', () => {
      const durationMs = Math.round((performance.now() - started) * 1000) / 1000
      const { tokenId, record, parameters } = response.locals
      const route = routeOf(request)
      const status = response.headersSent ? response.statusCode : clientLeft
      const requestId = requestIdOf(response)
      writeLine(status >= 500 ? 'error' : 'info', {
        request_id: requestId,
        method: request.method,
        route,
        parameters,
        status,
        duration_ms: durationMs,
        token_id: tokenId,
        aborted: response.writableFinished ? undefined : true,
      })
      const ended = { route, status, durationMs, requestId }
      measure?.(ended)
      traced?.end(ended)
      if (tokenId !== undefined && response.headersSent) {
        record?.({ tokenId, at, endpoint: `${request.method} ${route}`, status, durationMs })
      }
    })
    if (traced === undefined) next()
    else traced.run(next)
  }
}

/** The template of the matched route, as the reference writes it: `/v1/items/{id}`. */
function routeOf(request: Request): string {
  const path: unknown = request.route?.path
  return typeof path === 'string' ? `${request.baseUrl}${path}`.replace(/:(\w+)/g, '{$1}') : unmatched
}
