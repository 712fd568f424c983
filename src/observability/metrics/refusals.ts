import { Counter, type Registry } from 'prom-client'
import type { Counted, Limiter } from '../../auth/limiter.ts'
import { prefix } from './state.ts'

export function refusalsIn(registry: Registry): Counter<'limit'> {
  const refusals = new Counter({
    name: `${prefix}rate_limit_refusals_total`,
    help: 'Refusals by the limit exceeded: the quota of a token, failures of an address, attempts in the console.',
    labelNames: ['limit'],
    registers: [registry],
  })
  for (const limit of ['token', 'address', 'attempt']) refusals.inc({ limit }, 0)
  return refusals
}

/** Wraps a limiter to count its refusals. */
export function countingRefusals(limiter: Limiter, refused: (limit: 'token' | 'address' | 'attempt') => void): Limiter {
  const counted = <What extends Counted>(limit: 'token' | 'address' | 'attempt', answer: Promise<What>) =>
    answer.then((verdict) => {
      if (verdict.retryAfterSeconds > 0) refused(limit)
      return verdict
    })
  return {
    ...limiter,
    admit: (key, token) => counted('token', limiter.admit(key, token)),
    guess: (address, isKnown) => counted('address', limiter.guess(address, isKnown)),
    attempt: (what, key, perMinute) => counted('attempt', limiter.attempt(what, key, perMinute)),
  }
}
