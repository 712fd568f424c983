import { Counter, Histogram, type Registry } from 'prom-client'
import { prefix as apiPrefix, operations } from '../api/operations.ts'
import type { CountResult, Limiter } from '../auth/limiter.ts'
import type { EndedRequest } from '../http/request-log.ts'

/** The prefix of our metrics' names. */
export const prefix = 'studio_inventory_'

const operationOfPath = new Map(operations.map(({ id, path }) => [apiPrefix + path, id]))

/** Routes that can fail: the operations, and others that read the database or files. */
export const servedNames: readonly string[] = [
  ...operations.map(({ id }) => id),
  ...['console', 'docs', 'front', 'graphql', 'mcp', 'openapi', 'photos', 'readyz', 'unmatched'],
]

/** The metrics' name for a route template: operation id, first part of the path, or `front`. */
function nameOfRoute(route: string): string {
  if (route === '/') return 'front'
  return operationOfPath.get(route) ?? (/^\/?([a-z]+)/.exec(route)?.[1] || 'unmatched')
}

/** In seconds, from an answer out of memory to the longest statement. */
const buckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** The statuses that alerts watch. */
const alarming = ['500', '503'] as const

/** Counts requests by operation and status, and measures their duration. */
export function measuringIn(registry: Registry): (request: EndedRequest) => void {
  const requests = new Counter({
    name: `${prefix}requests_total`,
    help: 'Requests by operation and HTTP status; 499 when the client left before the answer.',
    labelNames: ['operation', 'status'],
    registers: [registry],
  })
  // Prometheus sees an increase only in a series that exists before it.
  for (const operation of servedNames) {
    for (const status of alarming) requests.inc({ operation, status }, 0)
  }
  const durations = new Histogram({
    name: `${prefix}request_duration_seconds`,
    help: 'Time from a request to the end of its response.',
    labelNames: ['operation'],
    buckets,
    registers: [registry],
  })
  /** The children of both metrics by route and status; a look-up costs more than counting. */
  const known = new Map<string, (durationMs: number) => void>()
  return ({ route, status, durationMs }) => {
    const key = `${status}${route}`
    let count = known.get(key)
    if (count === undefined) {
      const operation = nameOfRoute(route)
      const [requested, took] = [requests.labels(operation, String(status)), durations.labels(operation)]
      count = (milliseconds) => {
        requested.inc()
        took.observe(milliseconds / 1000)
      }
      known.set(key, count)
    }
    count(durationMs)
  }
}

export function countingRefusals(registry: Registry): (limiter: Limiter) => Limiter {
  const limits = ['token', 'address', 'attempt'] as const
  const refusals = new Counter({
    name: `${prefix}rate_limit_refusals_total`,
    help: 'Refusals by the limit exceeded: the quota of a token, failures of an address, attempts in the console.',
    labelNames: ['limit'],
    registers: [registry],
  })
  for (const limit of limits) refusals.inc({ limit }, 0)
  const counted = <What extends CountResult>(limit: (typeof limits)[number], answer: Promise<What>) =>
    answer.then((verdict) => {
      if (verdict.retryAfterSeconds > 0) refusals.inc({ limit })
      return verdict
    })
  return (limiter) => ({
    ...limiter,
    admit: (key) => counted('token', limiter.admit(key)),
    admitUnknown: (address, isIssued) => counted('address', limiter.admitUnknown(address, isIssued)),
    admitAction: (action, key, perMinute) => counted('attempt', limiter.admitAction(action, key, perMinute)),
  })
}
