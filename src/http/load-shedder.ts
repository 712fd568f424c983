import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from '../observability/log.ts'
import type { Measured } from './observation.ts'
import { type Problems, problemDefinitions, problemType } from './problems.ts'
import { newRequestId } from './request-id.ts'
import { standingHeaders } from './response.ts'

export type FloodOptions = {
  /** Below which path requests are refused; others are few and cheap. */
  prefix: string
  /** Whether one more request has to be refused at this moment; counts it then. */
  flooded(): boolean
  problems: Problems
  log: Logger
  measure?: ((request: Measured) => void) | undefined
}

const sayEveryMs = 1_000

/**
 * Refuses requests with credentials while a flood lasts, before anything is done for them: with all of the usual way to a
 * 503 a flood would take the processor from those that are served. Their log is one line a second.
 *
 * @returns whether the request is answered
 */
export function createFloodGate(
  options: FloodOptions,
): (request: IncomingMessage, response: ServerResponse) => boolean {
  const { prefix, flooded, problems, log, measure } = options
  const { status, headers } = problemDefinitions.unavailable
  const standing = { ...standingHeaders, ...headers, 'Content-Type': problemType }
  let [refused, said] = [0, Number.NEGATIVE_INFINITY]

  return (request, response) => {
    if (request.headers.authorization === undefined || !request.url?.startsWith(prefix) || !flooded()) return false
    const requestId = newRequestId()
    const body = problems.body('unavailable', requestId)
    response.writeHead(status, { ...standing, 'X-Request-Id': requestId, 'Content-Length': Buffer.byteLength(body) })
    response.end(body)
    measure?.({ route: 'refused', status, durationMs: 0 })
    refused += 1
    const now = performance.now()
    if (now - said >= sayEveryMs) {
      log.warn({ refused, status }, 'a flood: requests are refused at once')
      ;[refused, said] = [0, now]
    }
    return true
  }
}
