import { registerHooks } from 'node:module'
import type { LastAuthentication, Limiter } from '../../../src/auth/limiter.ts'
import type { Recorder } from '../../../src/auth/recorder.ts'

// Loaded before the service (`node --import`), takes the place of the two modules that limit and
// record requests: it counts and keeps nothing, but remembers tokens, for the body cache goes by
// their studios. All else is the service as it is.
export * from '../../../src/auth/limiter.ts'
export * from '../../../src/auth/recorder.ts'

export const createRecorder = (): Recorder => ({
  ...{ record: () => undefined, flush: async () => undefined, stats: () => ({ waiting: 0, dropped: 0 }) },
})

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

registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context)
    return /\/src\/auth\/(limiter|recorder)\.ts$/.test(found.url) ? { ...found, url: import.meta.url } : found
  },
})
