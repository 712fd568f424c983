import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'

const header = 'X-Request-Id'

/**
 * Assigns a request id to a response: the one that its body, its log line and the message to support name.
 *
 * It is always made here. One sent by the caller is not taken over: it would be the caller's text in our log.
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
