import { setTimeout as sleep } from 'node:timers/promises'
import type { Redis } from 'ioredis'
import { LRUCache } from 'lru-cache'
import { RateLimiterMemory, RateLimiterRedis, type RateLimiterRes } from 'rate-limiter-flexible'
import { messageOf } from '../domain/text.ts'
import type { Logger } from '../log.ts'

/** How often a key was counted in its current window, and when that window ends. */
export type Count = Pick<RateLimiterRes, 'consumedPoints' | 'msBeforeNext'> & {
  /** Subtracts this count, once. Does nothing once the window has passed. */
  takeBack(): void
}

/** Counts per key in fixed windows. The first count of a key begins its window. Never rejects. */
export type Counter = { add(key: string): Promise<Count> }

/** Keeps 50,000 keys in memory, then evicts the least recently used. `max` would allocate room for
 * all of them at once; `maxSize` grows with the keys. */
export const keptKeys = { maxSize: 50_000, sizeCalculation: () => 1 }

/** Above every quota: the limiter enforces the quotas, not the library. */
const noLimit = Number.MAX_SAFE_INTEGER

/** How long to avoid the store after an error, so that a slow store does not slow every request. */
const storeBackoffMs = 5_000
const alarmEveryMs = 60_000

type Library = Pick<RateLimiterMemory, 'consume' | 'reward'>

function counterOf(library: Library): Counter {
  return {
    async add(key) {
      const { consumedPoints, msBeforeNext } = await library.consume(key)
      const endsAt = Date.now() + msBeforeNext
      let isCounted = true
      const takeBack = () => {
        if (isCounted && Date.now() < endsAt) void library.reward(key)
        isCounted = false
      }
      return { consumedPoints, msBeforeNext, takeBack }
    },
  }
}

export function memoryCounter(windowSeconds: number, maxKeys?: number): Counter {
  return counterOf(inMemory(windowSeconds, maxKeys))
}

function inMemory(windowSeconds: number, maxSize = keptKeys.maxSize): Library {
  const library = new RateLimiterMemory({ points: noLimit, duration: windowSeconds, keyPrefix: '' })
  const recent = new LRUCache<string, true>({ ...keptKeys, maxSize, dispose: (_, key) => void library.delete(key) })
  return {
    consume(key) {
      if (recent.get(String(key)) === undefined) recent.set(String(key), true)
      return library.consume(key)
    },
    reward: (key) => library.reward(key),
  }
}

/** Counts in Redis or Valkey. If the store fails, this process counts alone and logs it. */
export function sharedCounter(storeClient: object, name: string, windowSeconds: number, log: Logger): Counter {
  const shared = new RateLimiterRedis({
    storeClient,
    keyPrefix: `studio-inventory:${name}`,
    points: noLimit,
    duration: windowSeconds,
    rejectIfRedisNotReady: true,
  })
  const local = inMemory(windowSeconds)
  let [backoffUntil, alarmedUntil] = [0, 0]

  async function withFallback(count: (library: Library) => Promise<RateLimiterRes>): Promise<RateLimiterRes> {
    if (Date.now() < backoffUntil) return count(local)
    try {
      return await count(shared)
    } catch (error) {
      const now = Date.now()
      backoffUntil = now + storeBackoffMs
      if (now >= alarmedUntil) {
        alarmedUntil = now + alarmEveryMs
        const failure = { counter: name, reason: messageOf(error) }
        log.error(failure, 'the shared rate limit counters are unreachable; counting in this process')
      }
      return count(local)
    }
  }
  const library: Library = {
    consume: (key) => withFallback((store) => store.consume(key)),
    reward: (key) => withFallback((store) => store.reward(key)),
  }
  return counterOf(library)
}

/** A slower command counts as failed: a limiter must not be slower than what it protects. */
const commandTimeoutMs = 250
const connectTimeoutMs = 2_000

/** Connects to Redis or Valkey. Resolves after two seconds at most. Reconnects by itself. */
export async function connectSharedStore(url: string): Promise<Redis> {
  const { Redis } = await import('ioredis')
  const store = new Redis(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: commandTimeoutMs,
    connectTimeout: connectTimeoutMs,
    retryStrategy: (attempt) => Math.min(attempt * 200, 5_000),
  })
  // The counters report an unreachable store. Without a listener, ioredis prints every attempt.
  store.on('error', () => {})
  const connected = new Promise<void>((resolve) => store.once('ready', () => resolve()))
  await Promise.race([connected, sleep(connectTimeoutMs, undefined, { ref: false })])
  return store
}
