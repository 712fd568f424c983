import type { Limiter } from '../../../src/access/limiter.ts'

export * from '../../../src/access/limiter.ts'

/** A limiter that counts nothing and lets everything through. */
export async function createLimiter(): Promise<Limiter> {
  return {
    remembered: () => undefined,
    remember: () => undefined,
    forget: () => undefined,
    admit: async () => ({ retryAfterSeconds: 0, allowances: [] }),
    waitOfAddress: async () => 0,
    countFailure: async () => undefined,
    attempt: async () => 0,
    close: () => undefined,
  }
}
