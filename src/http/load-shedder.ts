import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from '../observability/log.ts'
import type { Measured } from './observation.ts'
import { type Problems, problemDefinitions, problemType } from './problems.ts'
import { newRequestId } from './request-id.ts'
import { commonHeaders } from './response.ts'

export type LoadShedderOptions = {
  /** The path prefix below which requests are shed; others are few and cheap. */
  prefix: string
  /** Whether this request has to be refused now; it then counts as refused. */
  shed(request: IncomingMessage): boolean
  problems: Problems
  /** Headers of every refusal, besides those of the problem. */
  headers?: Readonly<Record<string, string>>
  log: Logger
  measure?: ((request: Measured) => void) | undefined
}

const logIntervalMs = 1_000

/**
 * Sheds load: refuses requests with credentials while the database is overloaded, before any work is done for them. The usual
 * path to a 503 would take CPU time from the requests that are served. Refusals are logged as one line a second.
 *
 * @returns whether the request is answered
 */
export function createLoadShedder(
  options: LoadShedderOptions,
): (request: IncomingMessage, response: ServerResponse) => boolean {
  const { prefix, shed, problems, log, measure } = options
  const { status, headers } = problemDefinitions.unavailable
  const headersOfRefusal = { ...commonHeaders, ...options.headers, ...headers, 'Content-Type': problemType }
  let [refused, loggedAt] = [0, Number.NEGATIVE_INFINITY]

  return (request, response) => {
    if (request.headers.authorization === undefined || !request.url?.startsWith(prefix) || !shed(request)) return false
    const requestId = newRequestId()
    const body = problems.body('unavailable', requestId)
    response.writeHead(status, {
      ...headersOfRefusal,
      'X-Request-Id': requestId,
      'Content-Length': Buffer.byteLength(body),
    })
    response.end(body)
    measure?.({ route: 'refused', status, durationMs: 0 })
    refused += 1
    const now = performance.now()
    if (now - loggedAt >= logIntervalMs) {
      log.warn({ refused, status }, 'overload: requests are refused at once')
      ;[refused, loggedAt] = [0, now]
    }
    return true
  }
}
