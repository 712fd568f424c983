import type { RequestHandler, Response } from 'express'
import type { Limiter } from '../auth/limiter.ts'
import { addressKey } from '../http/address.ts'
import { occurrences } from '../http/message.ts'
import type { RequestLocals } from '../http/request-log.ts'
import { setRateLimitFields } from '../http/response.ts'
import type { Analyst } from './analyst-transaction.ts'
import { declined } from './answers.ts'
import type { Identify } from './identity.ts'

/** What the handlers of a request tell each other. */
export type Locals = RequestLocals & { analyst: Analyst; failure?: unknown; planMs?: number }

/** Makes the handler that decides who may ask, before the body is read: identity (401; 429 after
 * too many failures from the address), rate limit (429), a schema (503).
 * Serves: "The studio comes from the verified identity alone; headers, variables and settings
 * change nothing."
 * @throws Refused, IssuerUnavailable */
export function admitAnalysts(
  identify: Identify,
  limiter: Limiter,
  isBuilt: () => boolean,
): RequestHandler<object, unknown, unknown, unknown, Locals> {
  return async (request, response, next) => {
    const analyst = occurrences(request, 'authorization') === 1 ? await identify(request.headers.authorization) : null
    // Nobody guesses a verified identity, so others' failures at its address do not count.
    if (analyst === null) {
      refuseForNow(response, await limiter.admitUnknown(addressKey(request.ip), async () => false))
      const isApiToken = /^bearer +svc_/i.test(request.headers.authorization ?? '')
      throw declined(isApiToken ? 'api_token' : 'unauthenticated')
    }
    const counted = await limiter.admit(keyOf(analyst))
    setRateLimitFields(response, counted.allowances)
    refuseForNow(response, counted)
    if (!isBuilt()) throw declined('unavailable')
    response.locals.analyst = analyst
    next()
  }
}

/** Counts by person and studio. */
export function keyOf({ studioId, userId, email, login }: Analyst): string {
  return `graphql:${studioId}:${login?.name ?? userId ?? email?.toLowerCase()}`
}

/** @throws Refused */
function refuseForNow(response: Response, { retryAfterSeconds }: { retryAfterSeconds: number }): void {
  if (retryAfterSeconds === 0) return
  response.setHeader('Retry-After', String(retryAfterSeconds))
  throw declined('rate_limited')
}
