import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import { decodeProtectedHeader, type JWTPayload, jwtVerify, SignJWT } from 'jose'
import { clockSkewSeconds } from '../../auth/identity/id-token.ts'
import type { Analyst } from '../../database/analyst-transaction.ts'
import { isUuid } from '../../domain/uuid.ts'

/** How long a token of `studio-inventory analyst token` lives at most, in seconds. */
export const longestLife = 15 * 60

const own = { issuer: 'studio-inventory', audience: 'studio-inventory-graphql', algorithm: 'HS256' } as const

/**
 * The service's own tokens for analysts. They are no ID tokens: nobody but the service signs and verifies them, with a key
 * derived from its secret, and they name a user by id.
 */
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
        maxTokenAge: longestLife,
        requiredClaims: ['iat', 'exp', 'studio_id'],
      }).catch(() => null)
      return verified && analystOf(verified.payload)
    },
  }
}

/** Signs a token that names a user of a studio. @param lifeSeconds at most `longestLife` */
export async function signAnalystToken(
  secretKey: string,
  { studioId, userId }: { studioId: string; userId: string },
  { lifeSeconds = longestLife, now = Date.now }: { lifeSeconds?: number; now?: () => number } = {},
): Promise<string> {
  const issued = Math.floor(now() / 1000)
  return new SignJWT({ studio_id: studioId })
    .setProtectedHeader({ alg: own.algorithm, typ: 'JWT' })
    .setIssuer(own.issuer)
    .setAudience(own.audience)
    .setSubject(userId)
    .setIssuedAt(issued)
    .setExpirationTime(issued + Math.min(lifeSeconds, longestLife))
    .sign(analystKey(secretKey))
}

function analystKey(secretKey: string): KeyObject {
  return createSecretKey(createHmac('sha256', secretKey).update('analyst-token').digest())
}

function analystOf({ sub, studio_id: studioId }: JWTPayload): Analyst | null {
  return isUuid(sub) && isUuid(studioId) ? { studioId, userId: sub, email: null } : null
}

function algorithmOf(token: string): unknown {
  try {
    return decodeProtectedHeader(token).alg
  } catch {
    return undefined
  }
}
