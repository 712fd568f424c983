import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import { createRemoteJWKSet, decodeProtectedHeader, type JWTPayload, jwtVerify, SignJWT } from 'jose'
import type { Analyst } from '../database/analysis.ts'

/** The organisation's own issuer of identities. */
export type TrustedIssuer = { jwksUrl: string; issuer: string; audience: string }

/** How long a token of `studio-inventory analyst token` lives at most, in seconds. */
export const longestLife = 15 * 60

/** How old a token of the organisation's issuer may be, in seconds. */
const longestForeignLife = 60 * 60

/** How far clocks may be apart, in seconds. */
const skew = 30

const own = { issuer: 'studio-inventory', audience: 'studio-inventory-graphql', algorithm: 'HS256' } as const

/** Signatures by a private key only: with a shared key, whoever can verify could sign. */
const foreignAlgorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA']

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const credentials = /^[Bb][Ee][Aa][Rr][Ee][Rr] +([\w-]+\.[\w-]+\.[\w-]+)$/
const longestToken = 8 * 1024

/** Says who a request comes from, or null: the cause is not told. Rejects when the issuer's keys cannot be fetched. */
export type Identify = (authorization: string | undefined) => Promise<Analyst | null>

export type IdentityOptions = {
  /** The service's secret; the key of its own tokens is derived from it. */
  secretKey: string
  trusted?: TrustedIssuer | undefined
  /** Milliseconds since the epoch. */
  now?: () => number
}

/**
 * Verifies analysts' tokens: those that `studio-inventory analyst token` signed, and those of the organisation's issuer.
 * The algorithm of a token picks between the two and nothing else; each has its own key, issuer and audience.
 *
 * Serves: "Identity by a short-lived JWT …; the studio comes from the verified identity alone".
 */
export function createIdentify({ secretKey, trusted, now = Date.now }: IdentityOptions): Identify {
  const key = analystKey(secretKey)
  const keySet = trusted && keysOf(trusted.jwksUrl)
  const common = () => ({
    clockTolerance: skew,
    currentDate: new Date(now()),
    requiredClaims: ['iat', 'exp', 'studio_id'],
  })

  return async (authorization) => {
    const token = authorization === undefined ? undefined : credentials.exec(authorization.slice(0, longestToken))?.[1]
    if (token === undefined) return null
    try {
      if (decodeProtectedHeader(token).alg === own.algorithm) {
        const { issuer, audience, algorithm } = own
        const options = { ...common(), issuer, audience, algorithms: [algorithm], maxTokenAge: longestLife }
        return ownAnalyst((await jwtVerify(token, key, options)).payload)
      }
      if (trusted === undefined || keySet === undefined) return null
      const { issuer, audience } = trusted
      const options = { ...common(), issuer, audience, algorithms: foreignAlgorithms, maxTokenAge: longestForeignLife }
      return foreignAnalyst((await jwtVerify(token, keySet, options)).payload)
    } catch (error) {
      if (error instanceof IssuerUnavailable) throw error
      return null
    }
  }
}

/** The organisation's issuer does not give its keys at the moment. */
export class IssuerUnavailable extends Error {
  override name = 'IssuerUnavailable'
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

function ownAnalyst({ sub, studio_id: studioId }: JWTPayload): Analyst | null {
  if (!isUuid(sub) || !isUuid(studioId)) return null
  return { studioId, userId: sub, email: null }
}

/** The issuer knows people by their e-mail, and has to vouch for it. */
function foreignAnalyst({ email, email_verified: verified, studio_id: studioId }: JWTPayload): Analyst | null {
  if (!isUuid(studioId) || typeof email !== 'string' || email.trim() === '' || verified !== true) return null
  return { studioId, userId: null, email }
}

function isUuid(value: unknown): value is string {
  return typeof value === 'string' && uuid.test(value)
}

/** What the key set says of a token; anything else says that the keys could not be had. */
const faultsOfToken = ['ERR_JWKS_NO_MATCHING_KEY', 'ERR_JWKS_MULTIPLE_MATCHING_KEYS', 'ERR_JOSE_NOT_SUPPORTED']

function keysOf(jwksUrl: string): ReturnType<typeof createRemoteJWKSet> | undefined {
  const keys = createRemoteJWKSet(new URL(jwksUrl), { timeoutDuration: 5_000 })
  const asked = async (...of: Parameters<typeof keys>) => {
    try {
      return await keys(...of)
    } catch (error) {
      if (error instanceof Error && faultsOfToken.includes(String(Reflect.get(error, 'code')))) throw error
      throw new IssuerUnavailable('the keys of the issuer cannot be fetched')
    }
  }
  return Object.assign(asked, keys)
}
