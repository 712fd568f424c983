import { errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose'
import { z } from 'zod'

/** Whom a trusted issuer vouches for, until when its token can be used, and what else it says. */
export type Vouched = { email: string; expires: Date; claims: JWTPayload }

/** The token is not one that the trusted issuer made for this service. The message is for the log; callers are told no cause. */
export class IdentityRefused extends Error {
  override name = 'IdentityRefused'
}

/** Verifies an ID token. @throws IdentityRefused; IssuerUnavailable when the keys cannot be fetched */
export type VerifyIdToken = (idToken: string) => Promise<Vouched>

export type VerifierOptions = {
  issuer: string
  audience: string
  keys: JWTVerifyGetKey
  /** How long ago a token may have been issued, in seconds. */
  oldestSeconds: number
  /** Milliseconds since the epoch. */
  now?: (() => number) | undefined
}

/** The maximum clock skew, in seconds. */
export const clockSkewSeconds = 30

/** Only signatures by a private key: with a shared secret, or none, everybody who verifies could also sign. */
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519']

/** Exactly the JWS compact serialization. */
const compact = /^[\w-]+\.[\w-]+\.[\w-]+$/

/** The end of the year 9999, in seconds since the epoch: later than this are no dates that everybody writes alike. */
const lastSecond = 253_402_300_799

const needed = z.object({
  exp: z.number().max(lastSecond),
  // ASCII alone: some letters of other alphabets become ASCII when case is folded, and would be somebody else.
  email: z.string().regex(/^[\x21-\x7e]{3,320}$/),
  email_verified: z.literal(true),
})

/**
 * Makes the verifier of one trusted issuer's ID tokens (OpenID Connect Core 1.0 §2): signature, issuer, audience, expiry,
 * not-before and age. The person is the one with the verified e-mail. This is the only verifier: what else a
 * caller requires of a token (that it was not used before, that it names a studio) it checks in the result.
 */
export function createVerifier(options: VerifierOptions): VerifyIdToken {
  const { audience } = options
  return async (idToken) => {
    if (!compact.test(idToken)) throw new IdentityRefused('not in the compact form')
    const claims = await verify(idToken, options)
    if (Array.isArray(claims.aud) && claims.aud.length > 1 && claims.azp !== audience) {
      throw new IdentityRefused('for several audiences, and issued to another party')
    }
    const parsed = needed.safeParse(claims)
    if (!parsed.success) throw new IdentityRefused(`without a usable claim: ${parsed.error.issues[0]?.path.join('.')}`)
    const { exp, email } = parsed.data
    return { email, expires: new Date((exp + clockSkewSeconds) * 1000), claims }
  }
}

async function verify(idToken: string, options: VerifierOptions): Promise<JWTPayload> {
  const { issuer, audience, keys, oldestSeconds, now = Date.now } = options
  try {
    const { payload, protectedHeader } = await jwtVerify(idToken, keys, {
      issuer,
      audience,
      algorithms,
      clockTolerance: clockSkewSeconds,
      currentDate: new Date(now()),
      maxTokenAge: oldestSeconds,
      requiredClaims: ['exp', 'iat', 'sub'],
    })
    // Access tokens (RFC 9068) and others that the issuer signs say by their type what they are for.
    if (!/^jwt$/i.test(protectedHeader.typ ?? 'JWT')) throw new IdentityRefused('not an ID token')
    return payload
  } catch (error) {
    if (error instanceof errors.JOSEError) throw new IdentityRefused(error.code)
    throw error
  }
}
