import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose'
import type { SignInIssuer } from '../../src/config/console.ts'

export const seconds = () => Math.floor(Date.now() / 1000)

export const { publicKey, privateKey } = await generateKeyPair('ES256')
const ownKey: JWK = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'ES256' }

/** Makes the ID token of an answer; `nonce` is that of the sign-in. */
export type MakeIdToken = (more: { nonce?: string }) => string | Promise<string>

/** What a provider does at the end of somebody's sign-in there. */
export type SignInResponse = {
  /** Claims besides the usual ones; those that are undefined are left out. */
  claims?: Record<string, unknown>
  header?: object
  /** Instead of a token with these claims. */
  idToken?: MakeIdToken
  /** Parameters of the redirect, instead of the usual ones. */
  redirect?: Record<string, string | undefined>
}

type Code = SignInResponse & { email: string; asked: URLSearchParams }

const clientId = 'studio-inventory'
const clientSecret = 'hunter2/ü:+hunter2'

/** An OpenID provider that says whatever a test wants: an honest one, unless told otherwise.
 * @param keys its public keys, instead of the one that it signs with */
export async function startProvider(keys: readonly JWK[] = [ownKey]) {
  const codes = new Map<string, Code>()
  const server = createServer(async (request, response) => {
    const { status, body } = await answerTo(request).catch((error) => ({ status: 500, body: String(error) }))
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  server.unref()
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  async function answerTo(request: IncomingMessage): Promise<{ status: number; body: unknown }> {
    const { away, metadata, userinfo } = provider
    switch (request.url) {
      case '/.well-known/openid-configuration':
        provider.asked += 1
        return away.metadata
          ? { status: 503, body: {} }
          : { status: 200, body: { ...usualMetadata(issuer), ...metadata } }
      case '/keys':
        return away.keys ? { status: 503, body: {} } : { status: 200, body: { keys } }
      case '/token':
        return away.token ? { status: 503, body: {} } : exchange(request)
      case '/userinfo':
        return { status: request.headers.authorization === 'Bearer access' ? 200 : 401, body: userinfo }
      default:
        return { status: 404, body: {} }
    }
  }

  async function exchange(request: IncomingMessage): Promise<{ status: number; body: unknown }> {
    const body = new URLSearchParams(await text(request))
    const { authorization } = request.headers
    provider.exchanges.push({ body, authorization })
    if (provider.refuses) return { status: 400, body: { error: provider.refuses } }
    const code = codes.get(body.get('code') ?? '')
    if (!provider.careless) codes.delete(body.get('code') ?? '')
    const challenge = createHash('sha256')
      .update(body.get('code_verifier') ?? '')
      .digest('base64url')
    const asAsked =
      body.get('redirect_uri') === code?.asked.get('redirect_uri') && challenge === code?.asked.get('code_challenge')
    if (code === undefined || !(asAsked || provider.careless)) return { status: 400, body: { error: 'invalid_grant' } }
    const nonce = code.asked.get('nonce') ?? ''
    const idToken = code.idToken
      ? await code.idToken({ nonce })
      : await provider.idToken(code.email, { nonce, ...code.claims }, code.header)
    return { status: 200, body: { access_token: 'access', token_type: 'Bearer', id_token: idToken } }
  }

  const provider = {
    issuer,
    clientId,
    /** What the console is configured with. */
    settings: (settings: Partial<SignInIssuer> = {}): SignInIssuer => ({
      number: 1,
      name: 'Test provider',
      issuer,
      clientId,
      clientSecret,
      scopes: 'openid email',
      userClaim: 'email',
      emailVerified: 'required',
      ...settings,
    }),
    /** The metadata has these members, too, and the UserInfo endpoint says this. */
    metadata: {} as Record<string, unknown>,
    userinfo: {} as Record<string, unknown>,
    /** These endpoints do not answer. */
    away: { metadata: false, keys: false, token: false },
    /** Whether a code can be used again, and with any verifier. */
    careless: false,
    /** Each answer of the token endpoint is this error. */
    refuses: undefined as string | undefined,
    /** The requests to the token endpoint, with their Authorization. */
    exchanges: [] as { body: URLSearchParams; authorization: string | undefined }[],
    asked: 0,
    idToken(email: string, claims: Record<string, unknown> = {}, header: object = {}) {
      const all = { ...usualClaims(issuer, email), ...claims }
      const given = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
      return new SignJWT(given).setProtectedHeader({ alg: 'ES256', kid: 'one', ...header }).sign(privateKey)
    },
    /** Somebody signs in there: where the browser is sent back to. */
    signIn(address: string | null, email: string, answer: SignInResponse = {}): URL {
      const asked = new URL(address ?? '').searchParams
      const code = crypto.randomUUID()
      codes.set(code, { ...answer, email, asked })
      const back = new URL(asked.get('redirect_uri') ?? '')
      const parameters = { code, state: asked.get('state') ?? '', iss: issuer, ...answer.redirect }
      for (const [name, value] of Object.entries(parameters))
        if (value !== undefined) back.searchParams.set(name, value)
      return back
    },
  }
  return provider
}

export type TestProvider = Awaited<ReturnType<typeof startProvider>>

/** What an honest provider says about a person. */
export const usualClaims = (issuer: string, email: string): JWTPayload => ({
  iss: issuer,
  aud: clientId,
  sub: email,
  email,
  email_verified: true,
  iat: seconds(),
  exp: seconds() + 300,
  jti: crypto.randomUUID(),
})

/** The provider says that it signs in every way, so only the service can refuse one. */
const algorithms = [
  ...['none', 'HS256', 'HS384', 'HS512', 'RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
]

const usualMetadata = (issuer: string) => ({
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  jwks_uri: `${issuer}/keys`,
  response_types_supported: ['code'],
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: algorithms,
})
