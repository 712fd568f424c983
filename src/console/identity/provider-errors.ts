import {
  AuthorizationResponseError,
  ClientError,
  ResponseBodyError,
  WWWAuthenticateChallengeError,
} from 'openid-client'
import { messageOf } from '../../domain/text.ts'
import { IdentityRefused, IssuerUnavailable } from '../../id-tokens/id-token.ts'

/** The provider sent an error instead of a code: the person declined, or it refused them. */
export class SignInDeclined extends IdentityRefused {
  override name = 'SignInDeclined'
}

/** The provider refuses this client: the operator must change something. */
export class ClientRefused extends IdentityRefused {
  override name = 'ClientRefused'
}

/** Failures unrelated to the person: the provider does not answer, or not as itself. */
const ofProvider = [
  'OAUTH_TIMEOUT',
  'OAUTH_ABORT',
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_RESPONSE_IS_NOT_JSON',
  'OAUTH_PARSE_ERROR',
]

/** Translates an error of the OpenID client. Takes over only names of errors and claims; the
 * rest may contain codes, tokens and states. */
export function providerError(error: unknown): unknown {
  if (error instanceof IdentityRefused || error instanceof IssuerUnavailable) return error
  if (error instanceof AuthorizationResponseError) return new SignInDeclined(reasonOf(error))
  if (error instanceof ResponseBodyError) {
    if (error.status >= 500) return new IssuerUnavailable(reasonOf(error))
    return error.error === 'invalid_grant' ? new IdentityRefused(reasonOf(error)) : new ClientRefused(reasonOf(error))
  }
  if (error instanceof WWWAuthenticateChallengeError) return new ClientRefused(reasonOf(error))
  // fetch() reports a failed connection as a TypeError.
  if (error instanceof TypeError) return new IssuerUnavailable(reasonOf(error))
  if (error instanceof ClientError) {
    return ofProvider.includes(error.code ?? '')
      ? new IssuerUnavailable(reasonOf(error))
      : new IdentityRefused(reasonOf(error))
  }
  return error
}

/** The reason, in words that are safe to log. */
export function reasonOf(error: unknown): string {
  if (error instanceof AuthorizationResponseError || error instanceof ResponseBodyError) return nameIn(error.error)
  if (error instanceof WWWAuthenticateChallengeError) return `status ${error.status} of the token endpoint`
  const { cause } = error instanceof Error ? error : {}
  if (cause instanceof Response) return `${messageOf(error)}: ${cause.status}`
  const code: unknown = Reflect.get(Object(cause), 'code')
  if (typeof code !== 'string') return messageOf(error)
  // The library's messages name parameters and claims without values; the system's name addresses.
  return error instanceof ClientError && cause instanceof Error && code.startsWith('OAUTH_')
    ? cause.message
    : `${messageOf(error)}: ${nameIn(code)}`
}

/** Text that is not an error's name may contain anything. */
function nameIn(text: string): string {
  return /^[\w.:/-]{1,100}$/.test(text) ? text : 'an error without a proper name'
}
