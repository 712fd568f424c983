import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'

export const jsonType = 'application/json; charset=utf-8'

/**
 * The headers of every answer, errors and photos included; pages and descriptions, which contain no data, replace `Cache-Control`.
 *
 * Serves: "Every response carries `Cache-Control: no-store`."
 */
export const commonHeaders: Readonly<Record<string, string>> = {
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
}

export function setCommonHeaders(response: ServerResponse): void {
  for (const name in commonHeaders) response.setHeader(name, commonHeaders[name] ?? '')
}

/** Ends a response to a conditional request whose answer the client has: 304, the headers that were set, no body. */
export function sendNotModified(response: ServerResponse): void {
  response.statusCode = 304
  response.end()
}

/** Ends a response with a text, or with its bytes. For HEAD, Node sends the same headers without the body. */
export function send(response: ServerResponse, status: number, type: string, text: string | Buffer): void {
  const body = typeof text === 'string' ? Buffer.from(text) : text
  response.statusCode = status
  response.setHeader('Content-Type', type)
  response.setHeader('Content-Length', body.length)
  response.end(body)
}

const requestId = 'X-Request-Id'

/**
 * Assigns a request id to a response: the one in its body and its log line, which clients quote to support. An id that the caller
 * sends is ignored: it would put the caller's text into our log.
 */
export function assignRequestId(response: ServerResponse): void {
  response.setHeader(requestId, newRequestId())
}

export function requestIdOf(response: ServerResponse): string {
  return String(response.getHeader(requestId))
}

export const newRequestId = (): string => randomUUID()
