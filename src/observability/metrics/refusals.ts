import { Counter, type Registry } from 'prom-client'
import type { Limiter } from '../../auth/limiter.ts'
import { prefix } from './names.ts'

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
  return {
    ...limiter,
    async admit(key) {
      const verdict = await limiter.admit(key)
      if (verdict.retryAfterSeconds > 0) refused('token')
      return verdict
    },
    async guess(address, isKnown) {
      const guess = await limiter.guess(address, isKnown)
      if (guess.retryAfterSeconds > 0) refused('address')
      return guess
    },
    async attempt(what, key, perMinute) {
      const attempt = await limiter.attempt(what, key, perMinute)
      if (attempt.retryAfterSeconds > 0) refused('attempt')
      return attempt
    },
  }
}
