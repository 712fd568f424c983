import { generateKeyPairSync } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { Provider } from 'oidc-provider'
import { html } from '../../src/web/html.ts'

/** A person who can sign in at the provider. */
export type Account = { email: string; name: string; verified?: boolean }

/** A real OpenID provider, on a port of this machine. */
export type IdentityProvider = {
  issuer: string
  clientId: string
  clientSecret: string
  close(): Promise<void>
}

export type IdentityProviderOptions = {
  accounts: readonly Account[]
  /** The console that may use it, as PUBLIC_URL, which may be known later. */
  publicUrl: string
  /** 0 is any free port. */
  port?: number
}

const client = { clientId: 'studio-inventory', clientSecret: 'only for this machine' }

/** Starts node-oidc-provider with one client, the console, and nobody's password. */
export async function startIdentityProvider(options: IdentityProviderOptions): Promise<IdentityProvider> {
  const { accounts, publicUrl, port = 0 } = options
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const key = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' })
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: client.clientId,
        client_secret: client.clientSecret,
        token_endpoint_auth_method: 'client_secret_post',
        redirect_uris: [`${publicUrl}/console/sign-in/callback`],
        post_logout_redirect_uris: [`${publicUrl}/console/sign-in`],
      },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    jwks: { keys: [{ ...key, alg: 'RS256', use: 'sig' }] },
    cookies: { keys: [crypto.randomUUID()] },
    pkce: { required: () => true },
    features: {
      devInteractions: { enabled: false },
      rpInitiatedLogout: {
        enabled: true,
        logoutSource(context, form) {
          const button = html`<button form="op.logoutForm" name="logout" value="yes">Yes, sign me out</button>`
          context.body = `<!doctype html><html lang="en"><title>Sign out</title><h1>Sign out?</h1>${form}${button}</html>`
        },
      },
    },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    ttl: { AuthorizationCode: 60, AccessToken: 300, IdToken: 300, Grant: 600, Session: 600, Interaction: 600 },
    async findAccount(_context, id) {
      const account = accounts.find(({ email }) => email === id)
      if (account === undefined) return undefined
      const { email, name, verified = true } = account
      return { accountId: id, claims: async () => ({ sub: id, email, email_verified: verified, name }) }
    },
    // The provider asks nobody what the console may know.
    async loadExistingGrant({ oidc }) {
      const grant = new oidc.provider.Grant({ accountId: oidc.session?.accountId, clientId: oidc.client?.clientId })
      grant.addOIDCScope('openid email profile')
      await grant.save()
      return grant
    },
  })
  const handle = provider.callback()
  server.on('request', (request, response) => {
    if (!request.url?.startsWith('/interaction/')) return handle(request, response)
    interact(provider, accounts, request, response).catch((error) => response.writeHead(400).end(String(error)))
  })
  return {
    issuer,
    ...client,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** GET shows the people; POST signs one of them in, or cancels. */
async function interact(
  provider: Provider,
  accounts: readonly Account[],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.method === 'POST') {
    const accountId = new URLSearchParams(await text(request)).get('account') ?? ''
    const result = accountId === '' ? { error: 'access_denied' } : { login: { accountId } }
    return provider.interactionFinished(request, response, result)
  }
  const { prompt } = await provider.interactionDetails(request, response)
  const page = html`<!doctype html><html lang="en"><title>Identity provider</title><h1>Who are you?</h1>
<p>${prompt.name}</p>
<form method="post">${accounts.map(({ email, name }) => html`<p><button name="account" value="${email}">${name}</button></p>`)}
<p><button name="account" value="">Cancel</button></p></form></html>`
  response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' }).end(String(page))
}
