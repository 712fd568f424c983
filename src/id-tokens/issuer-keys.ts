import {
  createLocalJWKSet,
  createRemoteJWKSet,
  customFetch,
  type JWKSCacheInput,
  type JWTVerifyGetKey,
  jwksCache,
} from 'jose'

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
