import { setTimeout as sleep } from 'node:timers/promises'
import type { Redis } from 'ioredis'
import { LRUCache } from 'lru-cache'
import { RateLimiterMemory, RateLimiterRedis, type RateLimiterRes } from 'rate-limiter-flexible'
import { messageOf } from '../domain/error.ts'
import type { Logger } from '../observability/log.ts'

/** How often a key was counted in its current window (`consumedPoints`), and when that window ends. */
export type Count = Readonly<Pick<RateLimiterRes, 'consumedPoints' | 'msBeforeNext'>>

/** Counts per key in fixed windows; a window begins with the first count of its key. Never rejects. */
export type Counter = {
  windowSeconds: number
  add(key: string): Promise<Count>
  /** Subtracts one count. */
  giveBack(key: string): Promise<Count>
}

/** The client that `RateLimiterRedis` is given: ioredis in the service. */
export type StoreClient = object

/** Keys that one counter stores in memory; beyond that the least recently used is evicted. */
export const maxKeys = 50_000

/** The counter only counts: the limit is enforced where the quota is known, so the library's own limit is never reached. */
const noLimit = Number.MAX_SAFE_INTEGER

/** After an error the store is not used for this long, so that a slow one does not slow every request. */
const storeBackoffMs = 5_000
const alarmEveryMs = 60_000

/** Counts in the memory of this process. */
export function memoryCounter(windowSeconds: number, max = maxKeys): Counter {
  const limiter = new RateLimiterMemory({ points: noLimit, duration: windowSeconds, keyPrefix: '' })
  const recent = new LRUCache<string, true>({ max, dispose: (_, key) => void limiter.delete(key) })
  return {
    windowSeconds,
    add(key) {
      if (recent.get(key) === undefined) recent.set(key, true)
      return limiter.consume(key)
    },
    giveBack: (key) => limiter.reward(key),
  }
}

/**
 * Counts in Redis or Valkey, shared by every process that uses the same one.
 *
 * A store that fails locks nobody out: this process then counts for itself, and logs that, once a minute at most.
 */
export function sharedCounter(client: StoreClient, name: string, windowSeconds: number, log: Logger): Counter {
  const shared = new RateLimiterRedis({
    storeClient: client,
    keyPrefix: `studio-inventory:${name}`,
    points: noLimit,
    duration: windowSeconds,
    rejectIfRedisNotReady: true,
  })
  const local = memoryCounter(windowSeconds)
  let backoffUntil = 0
  let alarmedUntil = 0

  async function withFallback(count: () => Promise<Count>, countHere: () => Promise<Count>): Promise<Count> {
    if (Date.now() < backoffUntil) return countHere()
    try {
      return await count()
    } catch (error) {
      const now = Date.now()
      backoffUntil = now + storeBackoffMs
      if (now >= alarmedUntil) {
        alarmedUntil = now + alarmEveryMs
        const reason = messageOf(error)
        log.error({ counter: name, reason }, 'the shared rate limit counters are unreachable; counting in this process')
      }
      return countHere()
    }
  }

  return {
    windowSeconds,
    add: (key) =>
      withFallback(
        () => shared.consume(key),
        () => local.add(key),
      ),
    giveBack: (key) =>
      withFallback(
        () => shared.reward(key),
        () => local.giveBack(key),
      ),
  }
}

/** A command that takes longer than this counts as failed: a limiter must not be slower than what it protects. */
const commandTimeoutMs = 250
const connectTimeoutMs = 2_000
const longestReconnectMs = 5_000

/**
 * Connects to Redis or Valkey for the shared counters; resolves when connected, and after two seconds in any case. It reconnects
 * automatically; while it is disconnected every command fails at once.
 */
export async function connectSharedStore(url: string): Promise<Redis> {
  const { Redis } = await import('ioredis')
  const store = new Redis(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: commandTimeoutMs,
    connectTimeout: connectTimeoutMs,
    retryStrategy: (attempt) => Math.min(attempt * 200, longestReconnectMs),
  })
  // The counters report an unreachable store; without a listener ioredis would print every attempt.
  store.on('error', () => {})
  const connected = new Promise<void>((resolve) => store.once('ready', () => resolve()))
  await Promise.race([connected, sleep(connectTimeoutMs, undefined, { ref: false })])
  return store
}
