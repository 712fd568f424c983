import { LRUCache } from 'lru-cache'
import type { Config, RateQuota } from '../config/config.ts'
import type { Allowance } from '../http/response.ts'
import type { Logger } from '../observability/log.ts'
import { type Count, type Counter, connectSharedStore, maxKeys, memoryCounter, sharedCounter } from './counters.ts'

/**
 * What the last authentication of a token said. Never an authority: it picks the quota, names the token of a refused request and
 * says which studio's cached answers to look in.
 */
export type Remembered = { tokenId: string; studioId: string; plan: string | null }

/** Whether a request may go on, and what is left of the quota. */
export type Verdict = Counted & { allowances: readonly Allowance[] }

/** Something that is counted. `retryAfterSeconds` is 0 exactly when it may be done; otherwise waiting that long is enough. */
export type Counted = {
  retryAfterSeconds: number
  /** Undoes the count. Does nothing once the window has passed. */
  takeBack(): void
}

/** A token, and the addresses (`addressKey`) from which its last request was authenticated. */
type Known = { token: Remembered; addresses: Set<string> }

/** Of so many addresses a token is remembered at once; beyond that the one that was added first is forgotten. */
const maxAddresses = 100

/** All limits of the service. A token's key is its digest as text; no secret is passed here. */
export type Limiter = {
  /** What is known of a token whose last request from this address (`addressKey`) was authenticated; undefined for any other. */
  remembered(key: string, address: string): Remembered | undefined
  remember(key: string, address: string, token: Remembered): void
  /** Takes note that a token was refused from this address: it may work from others. */
  forget(key: string, address: string): void
  /** Whether a token was refused from this address less than a minute ago, and has not worked since. */
  wasRefused(key: string, address: string): boolean
  /** Counts one request of a token against the quota of its plan, by what is remembered of it. */
  admit(key: string, token?: Remembered): Promise<Verdict>
  /**
   * Counts an authentication as failed before it is tried, so that no more get through at once than may fail. Above the limit only a
   * token that `isKnown` passes: what others guess from the same address is no reason to refuse it.
   */
  guess(address: string, isKnown: () => Promise<boolean>): Promise<Counted>
  /** Counts a failure that was not expected: of a token that worked before. */
  countFailure(address: string): Promise<void>
  /** Counts one attempt; more than the limit of a minute have to wait. */
  attempt(what: string, key: string, perMinute: number): Promise<Counted>
  /** Disconnects from the shared store. */
  close(): void
}

/**
 * Makes the limiter with its counters in memory, or in Redis when `redisUrl` is set.
 *
 * Serves: "Rate limiting exists (a 429 is returned, and the check precedes any data query)."
 */
export async function createLimiter(config: Pick<Config, 'rateLimits' | 'redisUrl'>, log: Logger): Promise<Limiter> {
  if (config.redisUrl === undefined) {
    return limiterWith(config.rateLimits, (_, windowSeconds) => memoryCounter(windowSeconds))
  }
  const store = await connectSharedStore(config.redisUrl)
  return limiterWith(
    config.rateLimits,
    (name, windowSeconds) => sharedCounter(store, name, windowSeconds, log),
    () => store.disconnect(),
  )
}

/** The limiter over counters made by `counter`, one per name. */
export function limiterWith(
  limits: Config['rateLimits'],
  counter: (name: string, windowSeconds: number) => Counter,
  close: () => void = () => {},
): Limiter {
  const tokens = new LRUCache<string, Known>({ max: maxKeys })
  const refused = new LRUCache<string, true>({ max: maxKeys, ttl: 60_000 })
  const seconds = counter('second', 1)
  const minutes = counter('minute', 60)
  const failures = counter('failed', 60)
  const attempts = counter('attempt', 60)

  return {
    remembered(key, address) {
      const known = tokens.get(key)
      return known?.addresses.has(address) ? known.token : undefined
    },
    remember(key, address, token) {
      const addresses = tokens.get(key)?.addresses ?? new Set()
      addresses.add(address)
      const [oldest] = addresses
      if (addresses.size > maxAddresses && oldest !== undefined) addresses.delete(oldest)
      tokens.set(key, { token, addresses })
      refused.delete(pairOf(key, address))
    },
    forget(key, address) {
      tokens.get(key)?.addresses.delete(address)
      refused.set(pairOf(key, address), true)
    },
    wasRefused: (key, address) => refused.has(pairOf(key, address)),

    async admit(key, token = tokens.get(key)?.token) {
      const quota = quotaOf(limits, token)
      const [second, minute] = await Promise.all([seconds.add(key), minutes.add(key)])
      const [backToSecond, backToMinute] = [takingBack(seconds, key, second), takingBack(minutes, key, minute)]
      // A request that the short window refuses is not charged to the long one: a burst costs its second, not its minute.
      const isBurst = second.consumedPoints > quota.perSecond && minute.consumedPoints <= quota.perMinute
      if (isBurst) backToMinute()
      const used = isBurst ? minute.consumedPoints - 1 : minute.consumedPoints
      return {
        retryAfterSeconds: Math.max(waitOf(second, quota.perSecond), waitOf(minute, quota.perMinute)),
        allowances: [
          allowance('second', quota.perSecond, seconds.windowSeconds, second.consumedPoints, second),
          allowance('minute', quota.perMinute, minutes.windowSeconds, used, minute),
        ],
        takeBack() {
          backToSecond()
          backToMinute()
        },
      }
    },

    async guess(address, isKnown) {
      const count = await failures.add(address)
      const wait = waitOf(count, limits.failedPerMinute)
      return {
        retryAfterSeconds: wait > 0 && !(await isKnown()) ? wait : 0,
        takeBack: takingBack(failures, address, count),
      }
    },
    async countFailure(address) {
      await failures.add(address)
    },
    async attempt(what, key, perMinute) {
      const charged = `${what}:${key}`
      const count = await attempts.add(charged)
      return { retryAfterSeconds: waitOf(count, perMinute), takeBack: takingBack(attempts, charged, count) }
    },
    close,
  }
}

/** Makes what takes a count back, once at most. */
function takingBack(counter: Counter, key: string, { msBeforeNext }: Count): () => void {
  const endsAt = Date.now() + msBeforeNext
  let isCounted = true
  return () => {
    // The next window has not counted it.
    if (isCounted && Date.now() < endsAt) void counter.giveBack(key)
    isCounted = false
  }
}

/** A token never seen has the Studio quota; a studio whose plan has lapsed has the smaller one. */
function quotaOf(limits: Config['rateLimits'], token: Remembered | undefined): RateQuota {
  return token === undefined || token.plan === 'studio' ? limits.studio : limits.pro
}

function waitOf(count: Count, quota: number): number {
  return count.consumedPoints > quota ? wholeSeconds(count.msBeforeNext) : 0
}

function allowance(name: string, quota: number, windowSeconds: number, used: number, count: Count): Allowance {
  const remaining = Math.min(Math.max(quota - used, 0), quota)
  return { name, quota, windowSeconds, remaining, resetSeconds: wholeSeconds(count.msBeforeNext) }
}

function wholeSeconds(milliseconds: number): number {
  return Math.max(1, Math.ceil(milliseconds / 1000))
}

/** A token and the address (`addressKey`) from which it is used. */
function pairOf(key: string, address: string): string {
  return `${key} ${address}`
}
