import {
  createLocalJWKSet,
  createRemoteJWKSet,
  customFetch,
  type JWKSCacheInput,
  type JWTVerifyGetKey,
  jwksCache,
} from 'jose'

/** The trusted issuer does not give its keys at the moment: a token can be neither taken nor refused. */
export class IssuerUnavailable extends Error {
  override name = 'IssuerUnavailable'
}

/** How long the issuer may take to give its keys, in milliseconds. */
const fetchTimeoutMs = 3_000

/** How long no keys are fetched after a fetch failed, so that many tokens do not become many fetches. */
const rest = 2_000

/** How long keys are used while it cannot be asked for newer ones, as it is every ten minutes. */
const oldest = 60 * 60_000

/** What the key set says of a token; anything else says that the keys could not be had. */
const faultsOfToken = ['ERR_JWKS_NO_MATCHING_KEY', 'ERR_JWKS_MULTIPLE_MATCHING_KEYS', 'ERR_JOSE_NOT_SUPPORTED']

/**
 * The public keys at an address, fetched when they are needed and kept for a while.
 *
 * @throws IssuerUnavailable by the function that it returns
 */
export function remoteKeys(jwksUrl: string): JWTVerifyGetKey {
  const last: JWKSCacheInput = {}
  const resting = new Error('they could not be fetched a moment ago')
  let failed = Number.NEGATIVE_INFINITY
  const keys = createRemoteJWKSet(new URL(jwksUrl), {
    timeoutDuration: fetchTimeoutMs,
    [jwksCache]: last,
    [customFetch]: (url, options) =>
      performance.now() - failed < rest ? Promise.reject(resting) : fetch(url, options),
  })
  return async (header, token) => {
    try {
      return await keys(header, token)
    } catch (cause) {
      if (isFaultOfToken(cause)) throw cause
      if (cause !== resting) failed = performance.now()
      const { jwks, uat = Number.NEGATIVE_INFINITY } = last
      if (jwks !== undefined && Date.now() - uat < oldest) {
        try {
          return await createLocalJWKSet(jwks)(header, token)
        } catch (error) {
          // The issuer may have another key by now.
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
