import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import { decodeProtectedHeader, type JWTPayload, jwtVerify, SignJWT } from 'jose'
import { isUuid } from '../domain/text.ts'
import { clockSkewSeconds } from '../identity/id-token.ts'
import type { Analyst } from './analyst-transaction.ts'

/** How long a token of `studio-inventory analyst token` that names a user is valid at most, in seconds. */
export const longestLife = 15 * 60

/** How many days a token of an analyst's login is valid at most. The login itself may end earlier. */
export const longestLoginDays = 90

/** How a user and a studio, or an analyst's login and its studio, are named in a token. */
export type Named = { studioId: string } & ({ userId: string } | { login: string })

const daySeconds = 24 * 60 * 60

/** The name of an analyst's login, as access.create_analyst makes it. */
const loginName = /^analyst_[0-9a-f]{12}$/

const own = { issuer: 'studio-inventory', audience: 'studio-inventory-graphql', algorithm: 'HS256' } as const

/** The service's own tokens for analysts. They are no ID tokens: nobody but the service signs and verifies them, with
 * a key derived from its secret, and they name a user by id, for minutes, or an analyst's login, for days. The
 * database checks both at each request. */
export function createAnalystTokens(secretKey: string, now: () => number = Date.now) {
  const key = analystKey(secretKey)
  return {
    /** Whether the algorithm is that of the service's own tokens: no issuer that is trusted may use it. */
    isOne: (token: string): boolean => algorithmOf(token) === own.algorithm,

    /** Who a token names; null when it is not one of ours that can be used. */
    async verify(token: string): Promise<Analyst | null> {
      const { issuer, audience, algorithm } = own
      const verified = await jwtVerify(token, key, {
        issuer,
        audience,
        algorithms: [algorithm],
        clockTolerance: clockSkewSeconds,
        currentDate: new Date(now()),
        maxTokenAge: longestLoginDays * daySeconds,
        requiredClaims: ['iat', 'exp', 'studio_id'],
      }).catch(() => null)
      const analyst = verified && analystOf(verified.payload)
      const oldest = analyst?.login ? longestLoginDays * daySeconds : longestLife
      const age = now() / 1000 - Number(verified?.payload.iat)
      return age <= oldest + clockSkewSeconds ? analyst : null
    },
  }
}

/** Signs a token that names a user of a studio, or an analyst's login. @param lifeSeconds of a user's token at most
 * `longestLife`; of a login's, the verifier sets the limit @param now in milliseconds; of a login's token by the
 * database's clock, because its rotations are compared with it */
export async function signAnalystToken(
  secretKey: string,
  named: Named,
  { lifeSeconds = longestLife, now = Date.now }: { lifeSeconds?: number; now?: () => number } = {},
): Promise<string> {
  const ofLogin = 'login' in named
  // To the millisecond: a login that was rotated in this second refuses what was issued before, and nothing else.
  const issued = ofLogin ? now() / 1000 : Math.floor(now() / 1000)
  return new SignJWT({ studio_id: named.studioId })
    .setProtectedHeader({ alg: own.algorithm, typ: 'JWT' })
    .setIssuer(own.issuer)
    .setAudience(own.audience)
    .setSubject(ofLogin ? named.login : named.userId)
    .setIssuedAt(issued)
    .setExpirationTime(issued + (ofLogin ? lifeSeconds : Math.min(lifeSeconds, longestLife)))
    .sign(analystKey(secretKey))
}

function analystKey(secretKey: string): KeyObject {
  return createSecretKey(createHmac('sha256', secretKey).update('analyst-token').digest())
}

function analystOf({ sub, iat, studio_id: studioId }: JWTPayload): Analyst | null {
  if (!isUuid(studioId)) return null
  if (isUuid(sub)) return { studioId, userId: sub, email: null }
  if (sub === undefined || !loginName.test(sub)) return null
  return { studioId, userId: null, email: null, login: { name: sub, issued: new Date(Number(iat) * 1000) } }
}

function algorithmOf(token: string): unknown {
  try {
    return decodeProtectedHeader(token).alg
  } catch {
    return undefined
  }
}
