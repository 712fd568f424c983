import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'

export const jsonType = 'application/json; charset=utf-8'

const requestId = 'X-Request-Id'

/**
 * Sets the headers of every answer. Pages without data replace `Cache-Control`. An id that the caller sends is ignored: it would be logged.
 * Serves: "Every response carries `Cache-Control: no-store`"; "the response carries a request_id".
 */
export function setCommonHeaders(response: ServerResponse): void {
  response.setHeader(requestId, randomUUID())
  response.setHeader('Cache-Control', 'no-store')
  response.setHeader('X-Content-Type-Options', 'nosniff')
}

/** The id of a request, which clients quote to support. */
export function requestIdOf(response: ServerResponse): string {
  return String(response.getHeader(requestId))
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

/** What is left of a quota, as sent to the client. Times in whole seconds, rounded up. */
export type Allowance = { name: string; quota: number; windowSeconds: number; remaining: number; resetSeconds: number }

/**
 * Sets `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers), and the three fields of its earlier drafts, which tell
 * the window of which least is left; of equal ones the later.
 * @example RateLimit-Policy: "second";q=20;w=1, "minute";q=300;w=60
 * @example RateLimit: "second";r=19;t=1, "minute";r=299;t=60
 */
export function setRateLimitFields(response: ServerResponse, allowances: readonly [Allowance, ...Allowance[]]): void {
  const listed = (write: (allowance: Allowance) => string) => allowances.map(write).join(', ')
  const tightest = allowances.reduce((one, other) => (other.remaining <= one.remaining ? other : one))
  response.setHeader(
    'RateLimit-Policy',
    listed(({ name, quota, windowSeconds }) => `"${name}";q=${quota};w=${windowSeconds}`),
  )
  response.setHeader(
    'RateLimit',
    listed(({ name, remaining, resetSeconds }) => `"${name}";r=${remaining};t=${resetSeconds}`),
  )
  response.setHeader('RateLimit-Limit', tightest.quota)
  response.setHeader('RateLimit-Remaining', tightest.remaining)
  response.setHeader('RateLimit-Reset', tightest.resetSeconds)
}

/** Removes the fields: a 401 reveals nothing about quotas, so that all of them are identical. */
export function removeRateLimitFields(response: ServerResponse): void {
  for (const name of ['-Policy', '', '-Limit', '-Remaining', '-Reset']) response.removeHeader(`RateLimit${name}`)
}
