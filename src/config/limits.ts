import type { z } from 'zod'
import { wholeNumber } from './values.ts'

/** Limits that protect the service from any number of clients, how long removals are known, and how it shuts down. */
export const limitVariables = {
  MAX_CONNECTIONS: wholeNumber(1, 1_000_000, 10_000),
  POOL_QUEUE: wholeNumber(1, 1_000_000, 200),
  REMOVALS_DAYS: wholeNumber(1, 3_650, 90),
  SHUTDOWN_DELAY_MS: wholeNumber(0, 600_000, 0),
  SHUTDOWN_TIMEOUT_MS: wholeNumber(1, 600_000, 10_000),
}

export type LimitConfig = {
  /** Connections of clients, including idle and half-sent ones; further ones are closed on arrival. */
  maxConnections: number
  /** Requests that may wait for a connection of one pool; further ones are answered with 503 at once. */
  poolQueue: number
  /** For how many days removals are known. */
  removalsDays: number
  /** How long the service is unready but goes on answering before it stops accepting connections, in milliseconds. */
  shutdownDelayMs: number
  /** How long requests in flight may then take to finish, in milliseconds. */
  shutdownTimeoutMs: number
}

export function readLimits(data: z.infer<z.ZodObject<typeof limitVariables>>): LimitConfig {
  return {
    maxConnections: data.MAX_CONNECTIONS,
    poolQueue: data.POOL_QUEUE,
    removalsDays: data.REMOVALS_DAYS,
    shutdownDelayMs: data.SHUTDOWN_DELAY_MS,
    shutdownTimeoutMs: data.SHUTDOWN_TIMEOUT_MS,
  }
}
