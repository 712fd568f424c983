import { exportJWK, type JWTPayload, SignJWT } from 'jose'
import { describe, expect, it } from 'vitest'
import { createVerifier, IdentityRefused } from '../../src/id-tokens/id-token.ts'
import { type Answer, type MakeIdToken, publicKey, seconds, usualClaims } from './provider.ts'
import { provider, sessionCookie, signIn, useConsole } from './support.ts'

const world = useConsole()
const owner = () => world.cast.a.people.owner

const sharedSecret = new TextEncoder().encode(JSON.stringify(await exportJWK(publicKey)))
const claims = (more: JWTPayload) => ({ ...usualClaims(provider.issuer, owner().email), ...more })

describe('no session is opened, and no cause is told, for an ID token', () => {
  const madeAs = (idToken: MakeIdToken): Answer => ({ idToken })
  const refused: [what: string, answer: () => Answer][] = [
    ['that is missing', () => madeAs(() => '')],
    ['that is no JWT', () => madeAs(() => 'svc_studio_abc')],
    ['of long ago', () => ({ claims: { iat: seconds() - 700, exp: seconds() + 3600 } })],
    ['without the nonce of this sign-in', () => ({ claims: { nonce: undefined } })],
    ['with the nonce of another sign-in', () => ({ claims: { nonce: 'A'.repeat(43) } })],
  ]
  it.each(refused)('%s', async (_what, answer) => {
    const visitor = world.stranger()
    const page = await signIn(visitor, owner().email, answer())
    expect(page.status, page.text).toBe(401)
    expect(page.text).toContain('You could not be signed in.')
    expect(visitor.cookies.has(sessionCookie)).toBe(false)
  })
})

it('an ID token opens no session however it is sent here, but by the code of a sign-in of this browser', async () => {
  const token = await provider.idToken(owner().email)
  const visitor = world.stranger()
  await visitor.get('/console/sign-in/start')
  const statuses = [
    (await visitor.post('/console/sign-in', { id_token: token }, { Origin: provider.issuer })).status,
    (await visitor.post('/console/sign-in/callback', { id_token: token })).status,
    (await visitor.get(`/console/sign-in/callback?id_token=${token}`)).status,
    (await visitor.get('/console', { Authorization: `Bearer ${token}` })).status,
  ]
  expect(statuses).toEqual([405, 405, 401, 303])
  expect(visitor.cookies.has(sessionCookie)).toBe(false)
})

describe('somebody who cannot be signed in reads why', () => {
  it.each<[what: string, answer: () => Answer, status: number, says: string]>([
    [
      'declined',
      () => ({ redirect: { code: undefined, error: 'access_denied' } }),
      403,
      'The sign-in was cancelled, or',
    ],
    ['other error', () => ({ redirect: { code: undefined, error: 'server_error' } }), 403, 'was not finished, or Test'],
    ['e-mail not verified', () => ({ claims: { email_verified: false } }), 403, 'Your e-mail is not verified'],
    ['nobody here', () => ({ claims: { email: 'nobody@example.com' } }), 403, 'You have no access here yet'],
  ])('%s', async (_what, answer, status, says) => {
    const visitor = world.stranger()
    const page = await signIn(visitor, owner().email, answer())
    expect(page.status).toBe(status)
    expect(page.text).toContain(says)
    expect(page.text).toContain('href="/console"')
    expect(visitor.cookies.has(sessionCookie)).toBe(false)
  })

  it('but no text from the provider or the address', async () => {
    const redirect = { code: undefined, error: '<b>x', error_description: '<script>alert(1)</script>', error_uri: 'x' }
    const page = await signIn(world.stranger(), owner().email, { redirect })
    expect(page.status).toBe(403)
    expect(page.text).not.toMatch(/alert|<b>x/)
    expect(world.service.log()).not.toMatch(/alert|<b>x/)
  })

  it('when the provider does not accept this client, which is for the operator', async () => {
    const before = world.service.log().length
    const visitor = world.stranger()
    const begun = await visitor.get('/console/sign-in/start')
    const { pathname, search } = provider.signIn(begun.location, owner().email)
    provider.refuses = 'invalid_client'
    const page = await visitor.get(`${pathname}${search}`)
    provider.refuses = undefined
    expect(page.status).toBe(503)
    expect(page.text).toContain('Test provider does not accept this service at the moment.')
    expect(world.service.log().slice(before)).toContain('"reason":"invalid_client"')
  })
})

it('only signatures by private keys count, whatever keys the issuer shows', async () => {
  const options = { issuer: provider.issuer, audience: provider.clientId, oldestSeconds: 600 }
  const verify = createVerifier({ ...options, keys: async () => sharedSecret })
  const token = await new SignJWT(claims({})).setProtectedHeader({ alg: 'HS256' }).sign(sharedSecret)
  await expect(verify(token)).rejects.toThrow(IdentityRefused)
})
