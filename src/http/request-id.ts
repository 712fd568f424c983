import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'

const header = 'X-Request-Id'

/**
 * Assigns a request id to a response: the one in its body and its log line, which clients quote to support.
 *
 * It is always generated here. One sent by the caller is ignored: it would put the caller's text into our log.
 */
export function assignRequestId(response: ServerResponse): void {
  response.setHeader(header, newRequestId())
}

export function requestIdOf(response: ServerResponse): string {
  return String(response.getHeader(header))
}

export function newRequestId(): string {
  return randomUUID()
}
