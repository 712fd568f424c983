import type { LastAuthentication, Limiter } from '../../../src/auth/limiter.ts'

export * from '../../../src/auth/limiter.ts'

/** A limiter that counts nothing and lets everything through. It remembers tokens, for the body cache goes by their studios. */
export async function createLimiter(): Promise<Limiter> {
  const allowance = { name: 'second', quota: 1, windowSeconds: 1, remaining: 1, resetSeconds: 1 }
  const counted = { retryAfterSeconds: 0, takeBack: () => undefined }
  const tokens = new Map<string, LastAuthentication>()
  return {
    remembered: (key) => tokens.get(key),
    remember: (key, _from, token) => void tokens.set(key, token),
    forget: (key) => void tokens.delete(key),
    wasRefused: () => false,
    admit: async () => ({ ...counted, allowances: [allowance] }),
    admitUnknown: async () => counted,
    countFailure: async () => undefined,
    admitAction: async () => counted,
    close: () => undefined,
  }
}
