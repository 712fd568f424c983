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

/** Assigns the id of a request, which clients quote to support. An id that the caller sends is ignored: it would be logged. */
export function assignRequestId(response: ServerResponse): void {
  response.setHeader(requestId, newRequestId())
}

export function requestIdOf(response: ServerResponse): string {
  return String(response.getHeader(requestId))
}

export const newRequestId = (): string => randomUUID()

/** What is left of a quota, as sent to the client. Times in whole seconds, rounded up. */
export type Allowance = { name: string; quota: number; windowSeconds: number; remaining: number; resetSeconds: number }

/**
 * Sets `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers): one item per window. And for tools that know
 * the fields of its earlier drafts, `RateLimit-Limit`, `RateLimit-Remaining` and `RateLimit-Reset`: of the window of which least is left.
 *
 * @example
 * RateLimit-Policy: "second";q=20;w=1, "minute";q=300;w=60
 * RateLimit: "second";r=19;t=1, "minute";r=299;t=60
 * RateLimit-Limit: 20
 * RateLimit-Remaining: 19
 * RateLimit-Reset: 1
 */
export function setRateLimitFields(response: ServerResponse, allowances: readonly Allowance[]): void {
  let policy = ''
  let state = ''
  let [tightest] = allowances
  for (const allowance of allowances) {
    const { name, quota, windowSeconds, remaining, resetSeconds } = allowance
    // Where as much is left of several, the one that resets last decides.
    if (tightest === undefined || remaining <= tightest.remaining) tightest = allowance
    const separator = policy === '' ? '' : ', '
    policy += `${separator}"${name}";q=${quota};w=${windowSeconds}`
    state += `${separator}"${name}";r=${remaining};t=${resetSeconds}`
  }
  response.setHeader('RateLimit-Policy', policy)
  response.setHeader('RateLimit', state)
  if (tightest === undefined) return
  response.setHeader('RateLimit-Limit', tightest.quota)
  response.setHeader('RateLimit-Remaining', tightest.remaining)
  response.setHeader('RateLimit-Reset', tightest.resetSeconds)
}

/** Removes the fields: a 401 reveals nothing about quotas, so that all of them are identical. */
export function removeRateLimitFields(response: ServerResponse): void {
  for (const name of ['-Policy', '', '-Limit', '-Remaining', '-Reset']) response.removeHeader(`RateLimit${name}`)
}
