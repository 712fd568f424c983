import { hash } from 'node:crypto'
import { createRemoteJWKSet, errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose'
import { z } from 'zod'

/** Who signs in, the digest of what the issuer signed, and until when that could be used. */
export type Identity = { email: string; digest: Buffer; expires: Date }

/** The sign-in cannot be accepted. The message is for the log; people are told no cause. */
export class IdentityRefused extends Error {
  override name = 'IdentityRefused'
}

/** Judges an ID token. @throws IdentityRefused; anything else is a failure to reach the issuer's keys */
export type Verifier = (idToken: string) => Promise<Identity>

/** Signatures by a private key alone: with a shared secret, or none, everybody who verifies could also sign. */
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519']
const clockSkewSeconds = 30
const oldestSeconds = 600

const claims = z.object({
  exp: z.number(),
  // ASCII alone: some letters of other alphabets become ASCII when case is folded, and would be somebody else.
  email: z.string().regex(/^[\x21-\x7e]{3,320}$/),
  email_verified: z.literal(true),
})

/**
 * Makes the verifier of one issuer's ID tokens (OpenID Connect Core 1.0 §2): signature, issuer, audience, expiry,
 * not-before and age, with 30 seconds for clocks that differ. The person is the one with the verified e-mail.
 */
export function createVerifier(trusted: { issuer: string; audience: string; keys: JWTVerifyGetKey }): Verifier {
  const { issuer, audience, keys } = trusted
  return async (idToken) => {
    if (!compact.test(idToken)) throw new IdentityRefused('not in the compact form')
    const payload = await verify(idToken, keys, { issuer, audience })
    if (Array.isArray(payload.aud) && payload.aud.length > 1 && payload.azp !== audience) {
      throw new IdentityRefused('made for several audiences, and for another party than this')
    }
    const parsed = claims.safeParse(payload)
    if (!parsed.success) throw new IdentityRefused(`without a usable claim: ${parsed.error.issues[0]?.path.join('.')}`)
    const { exp, email } = parsed.data
    return { email, digest: signedPart(idToken), expires: new Date((exp + clockSkewSeconds) * 1000) }
  }
}

/** The JWS compact serialization, and nothing around it. */
const compact = /^[\w-]+\.[\w-]+\.[\w-]+$/

/** Of the bytes that were signed, not of the whole text: one signature can be written in several ways. */
function signedPart(idToken: string): Buffer {
  return hash('sha256', idToken.slice(0, idToken.lastIndexOf('.')), 'buffer')
}

/** The public keys at an address, fetched when they are needed and kept for a while. */
export function remoteKeys(jwksUrl: string): JWTVerifyGetKey {
  return createRemoteJWKSet(new URL(jwksUrl), { timeoutDuration: 3_000 })
}

/** What says that the token is wrong, not that the keys could not be had. */
const unreachable = [errors.JWKSTimeout, errors.JWKSInvalid]

async function verify(
  idToken: string,
  keys: JWTVerifyGetKey,
  expected: { issuer: string; audience: string },
): Promise<JWTPayload> {
  try {
    const { payload, protectedHeader } = await jwtVerify(idToken, keys, {
      ...expected,
      algorithms,
      clockTolerance: clockSkewSeconds,
      maxTokenAge: oldestSeconds,
      requiredClaims: ['exp', 'iat', 'sub'],
    })
    if (!/^jwt$/i.test(protectedHeader.typ ?? 'JWT')) throw new IdentityRefused('not an ID token')
    return payload
  } catch (error) {
    if (!(error instanceof errors.JOSEError) || unreachable.some((kind) => error instanceof kind)) throw error
    if (error.code === 'ERR_JOSE_GENERIC') throw error // the answer with the keys was not a 200
    throw new IdentityRefused(error.code)
  }
}
