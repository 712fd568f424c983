import type { ServerResponse } from 'node:http'

/** What is left of a quota, as sent to the client. Times in whole seconds, rounded up. */
export type Allowance = { name: string; quota: number; windowSeconds: number; remaining: number; resetSeconds: number }

/**
 * Sets `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers): one item per window.
 *
 * @example
 * RateLimit-Policy: "second";q=20;w=1, "minute";q=300;w=60
 * RateLimit: "second";r=19;t=1, "minute";r=299;t=60
 */
export function setRateLimitFields(response: ServerResponse, allowances: readonly Allowance[]): void {
  let policy = ''
  let state = ''
  for (const { name, quota, windowSeconds, remaining, resetSeconds } of allowances) {
    const separator = policy === '' ? '' : ', '
    policy += `${separator}"${name}";q=${quota};w=${windowSeconds}`
    state += `${separator}"${name}";r=${remaining};t=${resetSeconds}`
  }
  response.setHeader('RateLimit-Policy', policy)
  response.setHeader('RateLimit', state)
}

/** Removes the fields: a 401 reveals nothing about quotas, so that all of them are identical. */
export function removeRateLimitFields(response: ServerResponse): void {
  response.removeHeader('RateLimit-Policy')
  response.removeHeader('RateLimit')
}
