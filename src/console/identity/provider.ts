import {
  authorizationCodeGrant,
  buildAuthorizationUrl,
  buildEndSessionUrl,
  calculatePKCECodeChallenge,
  fetchUserInfo,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from 'openid-client'
import type { SignInIssuer } from '../../config/console.ts'
import { createSignatureVerifier, personIn } from '../../id-tokens/id-token.ts'
import type { Logger } from '../../log.ts'
import { createDiscovery, type Discovered } from './discovery.ts'
import { providerError } from './provider-errors.ts'

/** What a sign-in must return; only its browser and this service know it. */
type Checks = { state: string; nonce: string; verifier: string }

/** The person whom a provider signed in, and the ID token. */
export type SignedIn = { email: string; idToken: string; expires: Date }

/** The greatest age of a sign-in's ID token, in seconds. */
const oldestSeconds = 10 * 60

/** An OpenID provider with this service as its client: the authorization code flow with PKCE. */
export function createProvider(issuer: SignInIssuer, log: Logger) {
  const { number, name, clientId, scopes } = issuer
  const discovery = createDiscovery(issuer, log)
  // Logs at the start which provider cannot be used.
  void discovery.isAway()

  const verify = (idToken: string, { configuration, keys }: Discovered) =>
    createSignatureVerifier({
      issuer: configuration.serverMetadata().issuer,
      audience: clientId,
      keys,
      oldestSeconds,
    })(idToken)

  async function exchange(callback: URL, { state, nonce, verifier }: Checks): Promise<SignedIn> {
    const discovered = await discovery.get()
    const { configuration } = discovered
    const tokens = await authorizationCodeGrant(configuration, callback, {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: verifier,
      idTokenExpected: true,
    })
    const { id_token: idToken = '', access_token: accessToken } = tokens
    const { claims, expires } = await verify(idToken, discovered)
    const complete = isComplete(claims, issuer) || configuration.serverMetadata().userinfo_endpoint === undefined
    const more = complete ? undefined : await fetchUserInfo(configuration, accessToken, String(claims.sub))
    return { email: personIn(personOf(claims, more, issuer), personClaim(issuer)), idToken, expires }
  }

  return {
    number,
    name,
    isAway: discovery.isAway,
    /** Where to send the browser. @throws IssuerUnavailable */
    async begin(redirectUri: string): Promise<{ url: string; checks: Checks }> {
      const { configuration } = await discovery.get()
      const checks = { state: randomState(), nonce: randomNonce(), verifier: randomPKCECodeVerifier() }
      const url = buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri,
        scope: scopes,
        state: checks.state,
        nonce: checks.nonce,
        code_challenge: await calculatePKCECodeChallenge(checks.verifier),
        code_challenge_method: 'S256',
      })
      return { url: url.href, checks }
    },
    /** Exchanges the browser's code. @param callback the redirect URI with the provider's
     * additions
     * @throws IdentityRefused (SignInDeclined, ClientRefused, EmailNotVerified);
     * IssuerUnavailable */
    finish: (callback: URL, checks: Checks): Promise<SignedIn> =>
      exchange(callback, checks).catch((error) => {
        throw providerError(error)
      }),
    /** Where to send the browser to sign out; undefined when the provider has no such address. */
    logoutUrl(idToken: string | undefined, returnTo: string): string | undefined {
      const configuration = discovery.known()?.configuration
      if (configuration?.serverMetadata().end_session_endpoint === undefined) return undefined
      const hint = idToken !== undefined && { id_token_hint: idToken }
      return buildEndSessionUrl(configuration, { post_logout_redirect_uri: returnTo, ...hint }).href
    },
  }
}

export type Provider = ReturnType<typeof createProvider>

const personClaim = ({ userClaim, emailVerified }: SignInIssuer) => ({ claim: userClaim, emailVerified })

/** The claims about the person, from the UserInfo endpoint if asked, else from the ID token. */
function personOf(claims: Claims, more: Claims | undefined, { userClaim, emailVerified }: SignInIssuer): Claims {
  if (more === undefined) return claims
  const hasOwn = emailVerified !== 'optional' || more[userClaim] !== undefined
  return hasOwn ? more : { ...claims, email_verified: more.email_verified }
}

type Claims = Readonly<Record<string, unknown>>

/** Whether the ID token has the person and the verification. A provider may give claims only at
 * the UserInfo endpoint (OpenID Connect Core 1.0 §5.4). */
function isComplete(claims: Claims, { userClaim, emailVerified }: SignInIssuer): boolean {
  if (claims[userClaim] === undefined) return false
  return userClaim !== 'email' || emailVerified === 'xms_edov' || claims.email_verified !== undefined
}

/** How people sign in: at identity providers, or as a person of the demo. */
export type SignInMethod =
  | { kind: 'providers'; providers: readonly Provider[] }
  | { kind: 'demo'; people: readonly DemoPerson[] }

/** The configured providers, or without any the people of the demo, who are loaded only then. */
export async function signInMethod(
  issuers: readonly SignInIssuer[],
  demoPeople: () => Promise<DemoPerson[]>,
  log: Logger,
): Promise<SignInMethod> {
  if (issuers.length > 0) return { kind: 'providers', providers: issuers.map((issuer) => createProvider(issuer, log)) }
  return { kind: 'demo', people: await demoPeople() }
}

/** A membership of a demo studio, and the plan by which the studio may use the API. */
export type DemoMembership = {
  studio: string
  role: 'owner' | 'admin' | 'member'
  plan: 'active' | 'trial' | 'lapsed'
}

/** Somebody of the demo studios. */
export type DemoPerson = {
  email: string
  name: string
  memberships: readonly [DemoMembership, ...DemoMembership[]]
}
