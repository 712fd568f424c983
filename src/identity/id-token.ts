import { errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose'

/** Whom a trusted issuer vouches for, until when its token can be used, and what else it says. */
export type Vouched = { email: string; expires: Date; claims: JWTPayload }

/** The token is not one that the trusted issuer made for this service. The message is for the log; callers are told no cause. */
export class IdentityRefused extends Error {
  override name = 'IdentityRefused'
}

/** The issuer does not say that the e-mail is its user's. */
export class EmailNotVerified extends IdentityRefused {
  override name = 'EmailNotVerified'
}

/**
 * What has to say that an e-mail is its user's: `email_verified: true`; the same or nothing (`optional`); or Microsoft's claim that
 * the domain is its tenant's (`xms_edov`). `email_verified: false` refuses it under each.
 */
export type EmailPolicy = 'required' | 'optional' | 'xms_edov'

/** Which claim has the e-mail of a person. The policy is about the claim `email` alone. */
export type PersonClaim = { claim: string; emailVerified: EmailPolicy }

type Claims = Readonly<Record<string, unknown>>

/** What an issuer has signed, and until when its token can be used. */
export type Signed = { claims: JWTPayload; expires: Date }

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

const verifiedEmail: PersonClaim = { claim: 'email', emailVerified: 'required' }

// ASCII alone: some letters of other alphabets become ASCII when case is folded, and would be somebody else.
const address = /^[\x21-\x7e]{3,320}$/

/**
 * Makes the verifier of what one trusted issuer signs in an ID token (OpenID Connect Core 1.0 §2): signature, issuer, audience,
 * expiry, not-before and age. What else a caller requires it checks in the result. The function throws as VerifyIdToken does.
 */
export function createSignatureVerifier(options: VerifierOptions): (idToken: string) => Promise<Signed> {
  const { audience } = options
  return async (idToken) => {
    if (!compact.test(idToken)) throw new IdentityRefused('not in the compact form')
    const claims = await verify(idToken, options)
    if (Array.isArray(claims.aud) && claims.aud.length > 1 && claims.azp !== audience) {
      throw new IdentityRefused('for several audiences, and issued to another party')
    }
    const { exp } = claims
    if (exp === undefined || exp > lastSecond) throw new IdentityRefused('without a usable claim: exp')
    return { claims, expires: new Date((exp + clockSkewSeconds) * 1000) }
  }
}

/** Makes a verifier that also says whom the token names: the one with the verified e-mail. */
export function createVerifier(options: VerifierOptions): VerifyIdToken {
  const signed = createSignatureVerifier(options)
  return async (idToken) => {
    const { claims, expires } = await signed(idToken)
    return { email: personIn(claims, verifiedEmail), expires, claims }
  }
}

/** The e-mail of the person whom claims of an issuer describe. @throws IdentityRefused without such a claim; EmailNotVerified */
export function personIn(claims: Claims, { claim, emailVerified }: PersonClaim): string {
  const email = claims[claim]
  if (typeof email !== 'string' || !address.test(email)) throw new IdentityRefused(`without a usable claim: ${claim}`)
  if (claim !== 'email') return email
  if (!isVerified(claims, emailVerified)) throw new EmailNotVerified('without a usable claim: email_verified')
  return email
}

function isVerified({ email_verified: verified, xms_edov: ownDomain }: Claims, policy: EmailPolicy): boolean {
  // A claim that says no counts under every policy, in each of its forms.
  if ([false, 0, '0', 'false'].some((no) => no === verified)) return false
  // Microsoft writes it in several ways.
  if (policy === 'xms_edov') return [true, 1, '1', 'true'].some((yes) => yes === ownDomain)
  return verified === true || (policy === 'optional' && verified === undefined)
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
