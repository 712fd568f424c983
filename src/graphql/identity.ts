import type { RequestHandler, Response } from 'express'
import type { Limiter } from '../auth/limiter.ts'
import type { TrustedIssuer } from '../config/graphql.ts'
import type { SecretKeys } from '../domain/keys.ts'
import { isUuid } from '../domain/text.ts'
import { addressKey } from '../http/address.ts'
import { occurrences } from '../http/message.ts'
import type { RequestLocals } from '../http/request-log.ts'
import { setRateLimitFields } from '../http/response.ts'
import { createVerifier, IdentityRefused, remoteKeys, type VerifyIdToken } from '../id-tokens/id-token.ts'
import { createAnalystTokens } from './analyst-token.ts'
import type { Analyst } from './analyst-transaction.ts'
import { declined } from './answers.ts'

/** The greatest age of an issuer's ID token, in seconds. Each request sends the same one. */
const oldestSeconds = 60 * 60

const credentials = /^[Bb][Ee][Aa][Rr][Ee][Rr] +([\w-]+\.[\w-]+\.[\w-]+)$/
const longestToken = 8 * 1024

/** Returns who sends a request, or null. Rejects when the issuer's keys cannot be fetched. */
type Identify = (authorization: string | undefined) => Promise<Analyst | null>

type IdentityOptions = {
  /** The service's secrets, from which the keys of its own tokens are derived. */
  secretKeys: SecretKeys
  trusted?: TrustedIssuer | undefined
  /** Milliseconds since the epoch. */
  now?: () => number
}

/** Verifies analysts' tokens: those from `studio-inventory analyst token`, and a trusted
 * issuer's ID tokens that name a studio. The algorithm decides which; each has its own key,
 * issuer and audience.
 * Serves: "Identity by a short-lived JWT …; the studio comes from the verified identity alone". */
export function createIdentify({ secretKeys, trusted, now }: IdentityOptions): Identify {
  const own = createAnalystTokens(secretKeys, now)
  const verify = trusted && createVerifier({ ...trusted, keys: remoteKeys(trusted.jwksUrl), oldestSeconds, now })

  return async (authorization) => {
    const token = authorization === undefined ? undefined : credentials.exec(authorization.slice(0, longestToken))?.[1]
    if (token === undefined) return null
    if (own.isOne(token)) return own.verify(token)
    return verify === undefined ? null : vouchedFor(verify, token)
  }
}

/** An ID token names a person by e-mail address, and by a claim one of their studios. */
async function vouchedFor(verify: VerifyIdToken, token: string): Promise<Analyst | null> {
  try {
    const { email, claims } = await verify(token)
    return isUuid(claims.studio_id) ? { studioId: claims.studio_id, userId: null, email } : null
  } catch (error) {
    if (error instanceof IdentityRefused) return null
    throw error
  }
}

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

/** The key under which the limits count a person in a studio. */
export function keyOf({ studioId, userId, email, login }: Analyst): string {
  return `graphql:${studioId}:${login?.name ?? userId ?? email?.toLowerCase()}`
}

/** @throws Refused */
function refuseForNow(response: Response, { retryAfterSeconds }: { retryAfterSeconds: number }): void {
  if (retryAfterSeconds === 0) return
  response.setHeader('Retry-After', String(retryAfterSeconds))
  throw declined('rate_limited')
}
