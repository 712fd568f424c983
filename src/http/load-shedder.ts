import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from '../observability/log.ts'
import type { Measured } from './observation.ts'
import { type Problems, problemDefinitions, problemType } from './problems.ts'
import { newRequestId } from './request-id.ts'
import { standingHeaders } from './response.ts'

export type LoadShedderOptions = {
  /** Below which path requests are refused; others are few and cheap. */
  prefix: string
  /** Whether one more request has to be refused at this moment; it counts as refused then. */
  shed(): boolean
  problems: Problems
  log: Logger
  measure?: ((request: Measured) => void) | undefined
}

const logIntervalMs = 1_000

/**
 * Sheds load: refuses requests with credentials while the database is overloaded, before anything is done for them. All of the
 * usual way to a 503 would take the processor from the requests that are served. Their log is one line a second.
 *
 * @returns whether the request is answered
 */
export function createLoadShedder(
  options: LoadShedderOptions,
): (request: IncomingMessage, response: ServerResponse) => boolean {
  const { prefix, shed, problems, log, measure } = options
  const { status, headers } = problemDefinitions.unavailable
  const standing = { ...standingHeaders, ...headers, 'Content-Type': problemType }
  let [refused, loggedAt] = [0, Number.NEGATIVE_INFINITY]

  return (request, response) => {
    if (request.headers.authorization === undefined || !request.url?.startsWith(prefix) || !shed()) return false
    const requestId = newRequestId()
    const body = problems.body('unavailable', requestId)
    response.writeHead(status, { ...standing, 'X-Request-Id': requestId, 'Content-Length': Buffer.byteLength(body) })
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
