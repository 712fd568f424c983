import { decodeProtectedHeader, type JWTPayload, jwtVerify, SignJWT } from 'jose'
import { keysFor, type SecretKeys, withAnyKey } from '../domain/keys.ts'
import { isUuid } from '../domain/text.ts'
import { clockSkewSeconds } from '../id-tokens/id-token.ts'
import type { Analyst } from './analyst-transaction.ts'

/** The longest validity, in seconds, of a user's token from `studio-inventory analyst token`. */
export const longestLife = 15 * 60

/** The longest validity, in days, of a token for an analyst's login. The login may end earlier. */
export const longestLoginDays = 90

/** A token's subject: a user in a studio, or an analyst's login. */
export type TokenSubject = { studioId: string } & ({ userId: string } | { login: string })

const daySeconds = 24 * 60 * 60

/** What the keys of these tokens are derived for. */
const purpose = 'analyst-token'

/** The name that access.create_analyst gives a login. */
const loginName = /^analyst_[0-9a-f]{12}$/

const own = { issuer: 'studio-inventory', audience: 'studio-inventory-graphql', algorithm: 'HS256' } as const

/** The service's own tokens for analysts. These are not ID tokens: only the service signs and
 * verifies them, with a key derived from its secret. They name a user for minutes, or a login
 * for days. The database checks both at each request. */
export function createAnalystTokens(secretKeys: SecretKeys, now: () => number = Date.now) {
  const keys = keysFor(secretKeys, purpose)
  return {
    /** Whether the service's own algorithm signed it. No trusted issuer may use that algorithm. */
    isOne: (token: string): boolean => algorithmOf(token) === own.algorithm,

    /** The subject of a token; null when it is not ours or cannot be used. */
    async verify(token: string): Promise<Analyst | null> {
      const { issuer, audience, algorithm } = own
      const verified = await withAnyKey(keys, (key) =>
        jwtVerify(token, key, {
          issuer,
          audience,
          algorithms: [algorithm],
          clockTolerance: clockSkewSeconds,
          currentDate: new Date(now()),
          maxTokenAge: longestLoginDays * daySeconds,
          requiredClaims: ['iat', 'exp', 'studio_id'],
        }),
      )
      const analyst = verified && analystOf(verified.payload)
      const oldest = analyst?.login ? longestLoginDays * daySeconds : longestLife
      const age = now() / 1000 - Number(verified?.payload.iat)
      return age <= oldest + clockSkewSeconds ? analyst : null
    },
  }
}

/** Signs a token for a user in a studio, or for an analyst's login.
 * @param lifeSeconds at most `longestLife` for a user; the verifier limits a login's
 * @param now in milliseconds; the database's clock for a login, because rotations are compared
 * with it */
export async function signAnalystToken(
  secretKey: string,
  named: TokenSubject,
  { lifeSeconds = longestLife, now = Date.now }: { lifeSeconds?: number; now?: () => number } = {},
): Promise<string> {
  const ofLogin = 'login' in named
  // To the millisecond: a login that was rotated in this second refuses only earlier tokens.
  const issued = ofLogin ? now() / 1000 : Math.floor(now() / 1000)
  return new SignJWT({ studio_id: named.studioId })
    .setProtectedHeader({ alg: own.algorithm, typ: 'JWT' })
    .setIssuer(own.issuer)
    .setAudience(own.audience)
    .setSubject(ofLogin ? named.login : named.userId)
    .setIssuedAt(issued)
    .setExpirationTime(issued + (ofLogin ? lifeSeconds : Math.min(lifeSeconds, longestLife)))
    .sign(keysFor(secretKey, purpose)[0])
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
