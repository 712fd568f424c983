import type { ServerResponse } from 'node:http'

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

const rateLimitFields = ['RateLimit-Policy', 'RateLimit', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset']

/** Removes the fields: a 401 reveals nothing about quotas, so that all of them are identical. */
export function removeRateLimitFields(response: ServerResponse): void {
  for (const name of rateLimitFields) response.removeHeader(name)
}
