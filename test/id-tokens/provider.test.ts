import { describe, expect, it } from 'vitest'
import type { SignInIssuer } from '../../src/config/console.ts'
import { createProvider } from '../../src/console/identity/provider.ts'
import { findPort } from '../../src/http/listener.ts'
import { type SignInResponse, startProvider, type TestProvider } from '../console/provider.ts'
import { keepLog } from '../support/log.ts'

const redirectUri = 'https://inventory.example.com/console/sign-in/callback'
const email = 'imogen@northlight.example'

/** A client of a provider, and what it has logged. */
function clientOf(at: TestProvider, settings: Partial<SignInIssuer> = {}) {
  const { log, lines } = keepLog('warn')
  return { client: createProvider(at.settings(settings), log), lines }
}

/** The person whom a sign-in names, or the reason why it is refused. */
async function outcome(
  at: TestProvider,
  settings: Partial<SignInIssuer> = {},
  answer: SignInResponse = {},
): Promise<string> {
  const { client } = clientOf(at, settings)
  const { url, checks } = await client.begin(redirectUri)
  const signedIn = client.finish(at.signIn(url, email, answer), checks)
  return signedIn.then((person) => person.email).catch(({ name, message }: Error) => `${name}: ${message}`)
}

describe('the code is exchanged with the secret of the client', () => {
  const basic = `Basic ${Buffer.from('studio%2Dinventory:hunter2%2F%C3%BC%3A%2Bhunter2').toString('base64')}`
  const both = ['client_secret_basic', 'client_secret_post']
  it.each([
    ['by Basic, when the provider names no way', undefined, {}, basic, null],
    ['in the body, when the provider takes it there', both, {}, undefined, 'hunter2/ü:+hunter2'],
    ['which a public client does not have', both, { clientSecret: undefined }, undefined, null],
  ] as const)('%s', async (_what, offered, settings, authorization, secret) => {
    const at = await startProvider()
    if (offered) at.metadata = { token_endpoint_auth_methods_supported: offered }
    expect(await outcome(at, settings)).toBe(email)
    expect(at.exchanges[0]?.authorization).toBe(authorization)
    expect(at.exchanges[0]?.body.get('client_secret')).toBe(secret)
  })
})

describe('the user is the one with the e-mail', () => {
  const notVerified = 'EmailNotVerified: without a usable claim: email_verified'
  const unsaid = { claims: { email_verified: undefined } }
  const denied = { claims: { email_verified: false } }

  it('which the provider has verified, unless the operator says that it may leave that out', async () => {
    const at = await startProvider()
    expect(await outcome(at, {}, unsaid)).toBe(notVerified)
    expect(await outcome(at, { emailVerified: 'optional' }, unsaid)).toBe(email)
    for (const emailVerified of ['required', 'optional'] as const) {
      expect(await outcome(at, { emailVerified }, denied)).toBe(notVerified)
    }
  })

  it('whose domain is the tenant’s, where the operator asks Microsoft for that', async () => {
    const at = await startProvider()
    const emailVerified = 'xms_edov'
    for (const xms_edov of [true, 1, '1', 'true']) {
      expect(await outcome(at, { emailVerified }, { claims: { email_verified: undefined, xms_edov } })).toBe(email)
    }
    for (const xms_edov of [undefined, false, '0', [true]]) {
      expect(await outcome(at, { emailVerified }, { claims: { xms_edov } })).toBe(notVerified)
    }
    for (const email_verified of [false, 0, '0', 'false']) {
      expect(await outcome(at, { emailVerified }, { claims: { email_verified, xms_edov: true } })).toBe(notVerified)
    }
    expect(await outcome(at, {}, { claims: { email_verified: undefined, xms_edov: true } })).toBe(notVerified)
  })

  it('in the claim that the operator names', async () => {
    const at = await startProvider()
    const claims = { email: 'nobody@example.com', upn: email, email_verified: false }
    expect(await outcome(at, { userClaim: 'upn' }, { claims })).toBe(email)
    const missing = 'IdentityRefused: without a usable claim: preferred_username'
    expect(await outcome(at, { userClaim: 'preferred_username' }, { claims })).toBe(missing)
  })

  it('at the UserInfo endpoint, when the ID token does not say it', async () => {
    const at = await startProvider()
    at.metadata = { userinfo_endpoint: `${at.issuer}/userinfo` }
    const saying = (userinfo: object, claims: object = { email: undefined, email_verified: undefined }) => {
      at.userinfo = { sub: email, ...userinfo }
      return outcome(at, {}, { claims: { ...claims } })
    }
    expect(await saying({ email, email_verified: true })).toBe(email)
    expect(await saying({ email, email_verified: false })).toBe(notVerified)
    expect(await saying({ email })).toBe(notVerified)
    expect(await saying({ email, email_verified: true, sub: 'another' })).toMatch(/^IdentityRefused: .*"sub"/)
    // The confirmation of one e-mail says nothing about another.
    const unconfirmed = { email: 'victim@example.com', email_verified: undefined }
    expect(await saying({ email_verified: true }, unconfirmed)).toBe('IdentityRefused: without a usable claim: email')
    expect(await saying({ email, email_verified: true }, unconfirmed)).toBe(email)
  })

  it('unless the UserInfo endpoint denies it, where the operator says that both may leave it out', async () => {
    const at = await startProvider()
    at.metadata = { userinfo_endpoint: `${at.issuer}/userinfo` }
    const saying = (userinfo: object) => {
      at.userinfo = { sub: email, ...userinfo }
      return outcome(at, { emailVerified: 'optional' }, unsaid)
    }
    expect(await saying({ email, email_verified: false })).toBe(notVerified)
    expect(await saying({ email_verified: false })).toBe(notVerified)
    for (const said of [{ email, email_verified: true }, { email }, {}]) expect(await saying(said)).toBe(email)
  })
})

describe('a provider is not used', () => {
  it.each([
    ['is that of another', { issuer: 'https://id.example.com' }],
    ['names keys that anybody could change in transit', { jwks_uri: 'http://keys.example.com/jwks.json' }],
    ['names no keys', { jwks_uri: undefined }],
    ['names no page to sign in at', { authorization_endpoint: undefined }],
    ['leads out of https to sign out', { end_session_endpoint: 'http://id.example.com/logout' }],
  ])('whose metadata %s', async (_what, metadata) => {
    const at = await startProvider()
    at.metadata = metadata
    await expect(clientOf(at).client.begin(redirectUri)).rejects.toThrow('the metadata of the issuer cannot be fetched')
  })

  it.each([
    ['refuses connections', undefined, 'fetch failed: ECONNREFUSED'],
    ['answers with an error', '/nowhere', 'unexpected HTTP response status code: 404'],
    ['is another than its address says', '', 'discovered metadata issuer does not match the expected issuer'],
  ])('that %s, and the log says so', async (_what, path, reason) => {
    const at = await startProvider()
    at.metadata = { issuer: 'https://id.example.com' }
    const nobody = `http://127.0.0.1:${await findPort('127.0.0.1', 0)}`
    const issuer = path === undefined ? nobody : `${at.issuer}${path}`
    const { client, lines } = clientOf(at, { issuer })
    expect(await client.isAway()).toBe(true)
    expect(lines[0]).toMatchObject({ level: 'warn', issuer, reason })
  })

  it('again before the backoff is over, however often people try', async () => {
    const at = await startProvider()
    at.away.metadata = true
    const { client } = clientOf(at)
    for (let n = 0; n < 50; n++) await client.begin(redirectUri).catch(() => undefined)
    expect(at.asked).toBeLessThan(25)
  })

  it('its metadata is fetched once for several sign-ins', async () => {
    const at = await startProvider()
    const { client } = clientOf(at)
    for (let n = 0; n < 5; n++) await client.begin(redirectUri)
    expect(at.asked).toBe(1)
  })
})
