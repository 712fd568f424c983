import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'

/** A command that takes longer than this counts as failed: a limiter must not be slower than what it protects. */
const commandTimeoutMs = 250
const connectTimeoutMs = 2_000
const longestReconnectMs = 5_000

/**
 * Connects to Redis or Valkey for the shared counters; resolves when connected, and after two seconds in any case. It reconnects
 * automatically; while it is disconnected every command fails at once.
 */
export async function connectSharedStore(url: string): Promise<Redis> {
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
