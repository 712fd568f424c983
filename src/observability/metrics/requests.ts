import { Counter, Histogram, type Registry } from 'prom-client'
import type { Measured } from '../../http/observation.ts'
import { nameOfRoute, servedNames } from './routes.ts'
import { prefix } from './state.ts'

/** Seconds; a request answered from memory takes half a millisecond, the longest statement some seconds. */
const buckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** Statuses that alerts are about. */
const alarming = ['500', '503'] as const

/** Counts requests by operation and status, and how long they took. */
export function measuringIn(registry: Registry): (request: Measured) => void {
  const requests = new Counter({
    name: `${prefix}requests_total`,
    help: 'Requests by operation and HTTP status; 499 when the client left before the answer.',
    labelNames: ['operation', 'status'],
    registers: [registry],
  })
  // An increase is seen only where there was a series before it.
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
  /** The children of both, by route and status: looking them up by their labels would cost more than counting. */
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
