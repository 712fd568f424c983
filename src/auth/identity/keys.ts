import { createRemoteJWKSet, type JWTVerifyGetKey } from 'jose'

/** The trusted issuer does not give its keys at the moment: a token can be neither taken nor refused. */
export class IssuerUnavailable extends Error {
  override name = 'IssuerUnavailable'
}

/** How long the issuer may take to give its keys, in milliseconds. */
const patience = 3_000

/** What the key set says of a token; anything else says that the keys could not be had. */
const faultsOfToken = ['ERR_JWKS_NO_MATCHING_KEY', 'ERR_JWKS_MULTIPLE_MATCHING_KEYS', 'ERR_JOSE_NOT_SUPPORTED']

/**
 * The public keys at an address, fetched when they are needed and kept for a while.
 *
 * @throws IssuerUnavailable by the function that it returns
 */
export function remoteKeys(jwksUrl: string): JWTVerifyGetKey {
  const keys = createRemoteJWKSet(new URL(jwksUrl), { timeoutDuration: patience })
  return async (header, token) => {
    try {
      return await keys(header, token)
    } catch (error) {
      if (faultsOfToken.includes(String(Reflect.get(Object(error), 'code')))) throw error
      throw new IssuerUnavailable('the keys of the issuer cannot be fetched', { cause: error })
    }
  }
}
