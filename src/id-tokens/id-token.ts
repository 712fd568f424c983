import {
  createLocalJWKSet,
  createRemoteJWKSet,
  customFetch,
  errors,
  type JWKSCacheInput,
  type JWTPayload,
  type JWTVerifyGetKey,
  jwksCache,
  jwtVerify,
} from 'jose'

/** The person whom a trusted issuer vouches for, the token's expiry, and its other claims. */
type VerifiedIdentity = { email: string; expires: Date; claims: JWTPayload }

/** The trusted issuer did not make this token for this service. Only log the message. */
export class IdentityRefused extends Error {
  override name = 'IdentityRefused'
}

/** The issuer does not confirm that the e-mail address belongs to its user. */
export class EmailNotVerified extends IdentityRefused {
  override name = 'EmailNotVerified'
}

/** How an issuer must confirm an e-mail address: `email_verified: true`; the same or nothing
 * (`optional`); or Microsoft's claim that the domain is its tenant's (`xms_edov`).
 * `email_verified: false` always refuses it. */
type EmailPolicy = 'required' | 'optional' | 'xms_edov'

/** The claim that has a person's e-mail address. The policy applies only to the claim `email`. */
type PersonClaim = { claim: string; emailVerified: EmailPolicy }

type Claims = Readonly<Record<string, unknown>>

/** A token's signed claims, and its expiry. */
type Signed = { claims: JWTPayload; expires: Date }

/** Verifies. @throws IdentityRefused; IssuerUnavailable when the keys cannot be fetched */
export type VerifyIdToken = (idToken: string) => Promise<VerifiedIdentity>

type VerifierOptions = {
  issuer: string
  audience: string
  keys: JWTVerifyGetKey
  oldestSeconds: number
  /** Milliseconds since the epoch. */
  now?: (() => number) | undefined
}

/** The maximum clock skew, in seconds. */
export const clockSkewSeconds = 30

/** Only private keys: with a shared secret or none, each verifier could also sign. */
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519']

/** The JWS compact serialization. */
const compact = /^[\w-]+\.[\w-]+\.[\w-]+$/

/** The end of the year 9999, in seconds since the epoch: programs disagree on later dates. */
const lastSecond = 253_402_300_799

const verifiedEmail: PersonClaim = { claim: 'email', emailVerified: 'required' }

// Only ASCII: some letters of other alphabets become ASCII when case is folded.
const address = /^[\x21-\x7e]{3,320}$/

/** Makes the verifier of one issuer's ID tokens (OpenID Connect Core 1.0 §2). It checks
 * signature, issuer, audience, expiry, not-before and age; callers check other claims. */
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

/** Makes a verifier that also returns the person: the verified e-mail address. */
export function createVerifier(options: VerifierOptions): VerifyIdToken {
  const signed = createSignatureVerifier(options)
  return async (idToken) => {
    const { claims, expires } = await signed(idToken)
    return { email: personIn(claims, verifiedEmail), expires, claims }
  }
}

/** The e-mail address in claims. @throws IdentityRefused without such a claim; EmailNotVerified */
export function personIn(claims: Claims, { claim, emailVerified }: PersonClaim): string {
  const email = claims[claim]
  if (typeof email !== 'string' || !address.test(email)) throw new IdentityRefused(`without a usable claim: ${claim}`)
  if (claim !== 'email') return email
  if (!isVerified(claims, emailVerified)) throw new EmailNotVerified('without a usable claim: email_verified')
  return email
}

function isVerified({ email_verified: verified, xms_edov: ownDomain }: Claims, policy: EmailPolicy): boolean {
  // Any form of "no" refuses the address under every policy.
  if ([false, 0, '0', 'false'].some((no) => no === verified)) return false
  // Microsoft writes the claim in several ways.
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
    // Access tokens (RFC 9068) and other tokens of the issuer have another type.
    if (!/^jwt$/i.test(protectedHeader.typ ?? 'JWT')) throw new IdentityRefused('not an ID token')
    return payload
  } catch (error) {
    if (error instanceof errors.JOSEError) throw new IdentityRefused(error.code)
    throw error
  }
}

/** The trusted issuer's keys cannot be fetched, so a token is neither accepted nor refused. */
export class IssuerUnavailable extends Error {
  override name = 'IssuerUnavailable'
}

/** How long fetching the issuer's keys may take, in milliseconds. */
const fetchTimeoutMs = 3_000

/** The pause after a failed fetch, so that many tokens do not cause many fetches. */
const backoffMs = 2_000

/** How long to use keys when the fetch of newer ones, due every ten minutes, fails. */
const maxAgeMs = 60 * 60_000

/** Errors of the token; any other means that the fetch failed. */
const faultsOfToken = ['ERR_JWKS_NO_MATCHING_KEY', 'ERR_JWKS_MULTIPLE_MATCHING_KEYS', 'ERR_JOSE_NOT_SUPPORTED']

/** The public keys at a URL, fetched on demand and cached. Throws IssuerUnavailable. */
export function remoteKeys(jwksUrl: string): JWTVerifyGetKey {
  const last: JWKSCacheInput = {}
  const backingOff = new Error('the last attempt to fetch them failed just now')
  let failed = Number.NEGATIVE_INFINITY
  const keys = createRemoteJWKSet(new URL(jwksUrl), {
    timeoutDuration: fetchTimeoutMs,
    [jwksCache]: last,
    [customFetch]: (url, options) =>
      performance.now() - failed < backoffMs ? Promise.reject(backingOff) : fetch(url, options),
  })
  return async (header, token) => {
    try {
      return await keys(header, token)
    } catch (cause) {
      if (isFaultOfToken(cause)) throw cause
      if (cause !== backingOff) failed = performance.now()
      const { jwks, uat = Number.NEGATIVE_INFINITY } = last
      if (jwks !== undefined && Date.now() - uat < maxAgeMs) {
        try {
          return await createLocalJWKSet(jwks)(header, token)
        } catch (error) {
          // The issuer may have a newer key by now.
          if (!isFaultOfToken(error)) throw error
        }
      }
      throw new IssuerUnavailable('the keys of the issuer cannot be fetched', { cause })
    }
  }
}

function isFaultOfToken(error: unknown): boolean {
  return faultsOfToken.includes(String(Reflect.get(Object(error), 'code')))
}
