import {
  AuthorizationResponseError,
  ClientError,
  ResponseBodyError,
  WWWAuthenticateChallengeError,
} from 'openid-client'
import { messageOf } from '../../domain/text.ts'
import { IdentityRefused } from '../../identity/id-token.ts'
import { IssuerUnavailable } from '../../identity/issuer-keys.ts'

/** The provider answered with an error instead of a code: the person declined, or it does not let them in. */
export class SignInDeclined extends IdentityRefused {
  override name = 'SignInDeclined'
}

/** The provider does not accept this client: an operator has to change something. */
export class ClientRefused extends IdentityRefused {
  override name = 'ClientRefused'
}

/** Failures that say nothing about the person: the provider does not answer, or not as itself. */
const ofProvider = [
  'OAUTH_TIMEOUT',
  'OAUTH_ABORT',
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_RESPONSE_IS_NOT_JSON',
  'OAUTH_PARSE_ERROR',
]

/** What an error of the OpenID client means. Only names of errors and of claims are taken over: what else it carries
 * are the provider's answers, with codes, tokens and states. */
export function providerError(error: unknown): unknown {
  if (error instanceof IdentityRefused || error instanceof IssuerUnavailable) return error
  if (error instanceof AuthorizationResponseError) return new SignInDeclined(reasonOf(error))
  if (error instanceof ResponseBodyError) {
    if (error.status >= 500) return new IssuerUnavailable(reasonOf(error))
    return error.error === 'invalid_grant' ? new IdentityRefused(reasonOf(error)) : new ClientRefused(reasonOf(error))
  }
  if (error instanceof WWWAuthenticateChallengeError) return new ClientRefused(reasonOf(error))
  // fetch() reports a connection that fails as a TypeError.
  if (error instanceof TypeError) return new IssuerUnavailable(reasonOf(error))
  if (error instanceof ClientError) {
    return ofProvider.includes(error.code ?? '')
      ? new IssuerUnavailable(reasonOf(error))
      : new IdentityRefused(reasonOf(error))
  }
  return error
}

/** Why, in words that may be logged. */
export function reasonOf(error: unknown): string {
  if (error instanceof AuthorizationResponseError || error instanceof ResponseBodyError) return nameIn(error.error)
  if (error instanceof WWWAuthenticateChallengeError) return `status ${error.status} of the token endpoint`
  const { cause } = error instanceof Error ? error : {}
  if (cause instanceof Response) return `${messageOf(error)}: ${cause.status}`
  const code: unknown = Reflect.get(Object(cause), 'code')
  if (typeof code !== 'string') return messageOf(error)
  // Messages of the library name parameters and claims, and none of their values; those of the system name addresses.
  return error instanceof ClientError && cause instanceof Error && code.startsWith('OAUTH_')
    ? cause.message
    : `${messageOf(error)}: ${nameIn(code)}`
}

/** Anything that is not the name of an error may be anything. */
function nameIn(text: string): string {
  return /^[\w.:/-]{1,100}$/.test(text) ? text : 'an error without a proper name'
}
