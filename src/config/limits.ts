import type { z } from 'zod'
import { wholeNumber } from './values.ts'

/** What is bounded so that no number of clients brings the service down. */
export const limitVariables = {
  MAX_CONNECTIONS: wholeNumber(1, 1_000_000, 10_000),
  POOL_QUEUE: wholeNumber(1, 1_000_000, 200),
}

export type LimitConfig = {
  /** Connections of clients, kept and half-sent ones included; further ones are closed on arrival. */
  maxConnections: number
  /** Requests that may wait for a connection of one pool; further ones are answered with 503 at once. */
  poolQueue: number
}

export function readLimits(data: z.infer<z.ZodObject<typeof limitVariables>>): LimitConfig {
  return { maxConnections: data.MAX_CONNECTIONS, poolQueue: data.POOL_QUEUE }
}
