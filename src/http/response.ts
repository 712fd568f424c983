import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'

export const jsonType = 'application/json; charset=utf-8'

const requestId = 'X-Request-Id'

/** Sets the headers of every answer; pages without data replace `Cache-Control`. Ignores an id
 * from the caller, because the log would repeat it.
 * Serves: "Every response carries `Cache-Control: no-store`"; "the response carries a
 * request_id". */
export function setCommonHeaders(response: ServerResponse): void {
  response.setHeader(requestId, randomUUID())
  response.setHeader('Cache-Control', 'no-store')
  response.setHeader('X-Content-Type-Options', 'nosniff')
}

/** The id of a request, which clients quote to support. */
export function requestIdOf(response: ServerResponse): string {
  return String(response.getHeader(requestId))
}

/** Answers 304 to a client that has the current answer: the headers set so far, no body. */
export function sendNotModified(response: ServerResponse): void {
  response.statusCode = 304
  response.end()
}

/** Ends a response with a text or bytes. For HEAD, Node sends the same headers without the body. */
export function send(response: ServerResponse, status: number, type: string, body: string | Buffer): void {
  response.statusCode = status
  response.setHeader('Content-Type', type)
  response.setHeader('Content-Length', Buffer.byteLength(body))
  response.end(body)
}

/** Tells the client the rest of its quota. Times are whole seconds, rounded up. */
export type Allowance = { name: string; quota: number; windowSeconds: number; remaining: number; resetSeconds: number }

/** Sets `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers). The three
 * fields of earlier drafts describe the window with the least left; of equal ones, the later.
 * @example RateLimit-Policy: "second";q=20;w=1, "minute";q=300;w=60
 * @example RateLimit: "second";r=19;t=1, "minute";r=299;t=60 */
export function setRateLimitFields(response: ServerResponse, allowances: readonly [Allowance, ...Allowance[]]): void {
  let [tightest, policy, rest] = [allowances[0], '', '']
  for (const allowance of allowances) {
    const { name, quota, windowSeconds, remaining, resetSeconds } = allowance
    policy += `${policy && ', '}"${name}";q=${quota};w=${windowSeconds}`
    rest += `${rest && ', '}"${name}";r=${remaining};t=${resetSeconds}`
    if (remaining <= tightest.remaining) tightest = allowance
  }
  response.setHeader('RateLimit-Policy', policy)
  response.setHeader('RateLimit', rest)
  response.setHeader('RateLimit-Limit', tightest.quota)
  response.setHeader('RateLimit-Remaining', tightest.remaining)
  response.setHeader('RateLimit-Reset', tightest.resetSeconds)
}

/** Removes the fields, so that every 401 looks the same and reveals no quota. */
export function removeRateLimitFields(response: ServerResponse): void {
  for (const name of ['-Policy', '', '-Limit', '-Remaining', '-Reset']) response.removeHeader(`RateLimit${name}`)
}

/** Whether the service can answer: the newest migration in its database, or why not. */
export type Readiness = { ready: true; schemaVersion: string } | { ready: false; reason: string }

/** Answers 200 or 503. A failed check means not ready. */
export async function sendReadiness(response: ServerResponse, ready: () => Promise<Readiness>): Promise<void> {
  const state = await ready().catch((): Readiness => ({ ready: false, reason: 'the readiness check failed' }))
  const [status, body] = state.ready
    ? [200, { status: 'ready', schema_version: state.schemaVersion }]
    : [503, { status: 'unavailable', reason: state.reason }]
  send(response, status, jsonType, JSON.stringify(body))
}

export const disclaimers = [
  'coverage_state and gap_amount reflect valuation status and not insurance adequacy.',
  'market_value_estimate is derived from third-party market data and is no guarantee of resale value.',
]

/** The `_meta` object as JSON text.
 * Serves: "`_meta.disclaimers` appears on every response"; "deep link to the
 * adequacy-disclaimer section of the interactive reference". */
export function metaText(docsUrl: string): string {
  return JSON.stringify({ disclaimers, documentation_url: `${docsUrl}#adequacy-disclaimer` })
}

/** A page of a list: its elements as JSON joined by commas, and the total of all pages. */
type Page = { elements: string; page: number; perPage: number; total: number }

/** Writes the list envelope around PostgreSQL's JSON; `meta` is the `_meta` object as JSON text. */
export function listEnvelope({ elements, page, perPage, total }: Page, meta: string): string {
  const nextPage = page * perPage < total ? page + 1 : null
  const paging = `{"page":${page},"per_page":${perPage},"total":${total},"next_page":${nextPage}}`
  return `{"data":[${elements}],"meta":${paging},"_meta":${meta}}`
}

/** The single-resource envelope: `data`, `_meta`. */
export function singleEnvelope(resource: string, meta: string): string {
  return `{"data":${resource},"_meta":${meta}}`
}
