import { exportJWK, SignJWT } from 'jose'
import { describe, expect, it } from 'vitest'
import { createVerifier, IdentityRefused } from '../../src/id-tokens/id-token.ts'
import { publicKey, type SignInResponse, seconds, startProvider, usualClaims } from './provider.ts'
import { consoleOf, methodOf, provider, sessionCookie, signIn, useConsole, type Visitor, visitorOf } from './support.ts'

const world = useConsole()
const owner = () => world.cast.a.people.owner
const flowCookie = 'studio-inventory-sign-in'

/** A person has begun to sign in and returns with a code, which the test has not sent yet. */
async function begin(visitor: Visitor, at = provider, start = '/console/sign-in/start', answer = {}): Promise<string> {
  const begun = await visitor.get(start)
  const { pathname, search } = at.signIn(begun.location, owner().email, answer)
  return `${pathname}${search}`
}

const isSignedIn = (visitor: Visitor) => visitor.cookies.has(sessionCookie)

/** The same address with other values. */
function changed(address: string, values: Record<string, string>): string {
  const url = new URL(address, 'http://here')
  for (const [name, value] of Object.entries(values)) url.searchParams.set(name, value)
  return `${url.pathname}${url.search}`
}

it("another person's code signs nobody in: the browser has not begun that sign-in", async () => {
  const [attacker, victim] = [world.stranger(), world.stranger()]
  const callback = await begin(attacker)
  const before = provider.exchanges.length
  const text = expect.stringContaining('started in another browser')
  expect(await victim.get(callback)).toMatchObject({ status: 400, text })
  // It does not help that the victim is about to sign in.
  await victim.get('/console/sign-in/start')
  expect((await victim.get(callback)).status).toBe(401)
  expect(isSignedIn(victim)).toBe(false)
  expect(provider.exchanges.length).toBe(before)
})

it('a state that is missing, empty, cut or of another sign-in is refused, and does not end the one that was begun', async () => {
  const visitor = world.stranger()
  const callback = await begin(visitor)
  const state = new URL(callback, 'http://here').searchParams.get('state') ?? ''
  for (const other of ['', state.slice(1), 'A'.repeat(43)]) {
    expect((await visitor.get(changed(callback, { state: other }))).status).toBe(401)
  }
  expect((await visitor.get(`${callback}&state=${state}`)).status).toBe(401)
  expect((await visitor.get(callback)).status).toBe(200)
})

it('the cookie of a sign-in opens nothing in another state, and cannot be made or changed', async () => {
  const visitor = world.stranger()
  const callback = await begin(visitor)
  const sealed = visitor.cookies.get(flowCookie) ?? ''
  for (const other of ['', 'A'.repeat(43), `${sealed.slice(0, -3)}AAA`]) {
    visitor.cookies.set(flowCookie, other)
    expect((await visitor.get(callback)).status).toBe(400)
  }
  expect(isSignedIn(visitor)).toBe(false)
})

it('a sign-in is finished once, even at a provider that takes its codes again and with the cookie kept', async () => {
  const careless = await startProvider()
  careless.careless = true
  const service = await world.start({ console: consoleOf({}, methodOf(careless.settings())) })
  const visitor = visitorOf(service)
  const callback = await begin(visitor, careless)
  const sealed = visitor.cookies.get(flowCookie) ?? ''
  expect((await visitor.get(callback)).status).toBe(200)
  const thief = visitorOf(service)
  thief.cookies.set(flowCookie, sealed)
  expect((await thief.get(callback)).status).toBe(401)
  expect(isSignedIn(thief)).toBe(false)
  expect(careless.exchanges).toHaveLength(2)
  // The same browser does not help either, because it has lost the cookie.
  expect((await visitor.get(callback)).status).toBe(400)
})

it('a code needs the verifier of its browser, which goes only to the provider; the right code signs in after it', async () => {
  const visitor = world.stranger()
  const callback = await begin(visitor)
  const other = world.stranger()
  const otherCallback = await begin(other)
  // An attacker puts the code of one sign-in into another.
  const code = new URL(callback, 'http://here').searchParams.get('code') ?? ''
  expect((await other.get(changed(otherCallback, { code }))).status).toBe(401)
  expect(isSignedIn(other)).toBe(false)
  const { body } = provider.exchanges.at(-1) ?? { body: new URLSearchParams() }
  expect(body.get('code')).toBe(code)
  expect(body.get('code_verifier')).toMatch(/^[\w-]{43}$/)
  expect((await other.get(otherCallback)).status).toBe(200)
})

it('mix-up: what comes back from one provider is never sent to another', async () => {
  const evil = await startProvider()
  const by = methodOf(provider.settings(), evil.settings({ number: 2, name: 'Evil' }))
  const service = await world.start({ console: consoleOf({}, by) })
  const victim = visitorOf(service)
  // The evil provider sends the browser on to the honest one with its own state.
  const begun = new URL((await victim.get('/console/sign-in/start/2')).location ?? '')
  for (const callback of ['/console/sign-in/callback', '/console/sign-in/callback/2']) {
    begun.searchParams.set('redirect_uri', `${service.url}${callback}`)
    const { pathname, search } = provider.signIn(begun.href, owner().email)
    const before = provider.exchanges.length + evil.exchanges.length
    expect((await victim.get(`${pathname}${search}`)).status).toBe(callback.endsWith('2') ? 401 : 400)
    expect(provider.exchanges.length + evil.exchanges.length).toBe(before)
  }
  expect(isSignedIn(victim)).toBe(false)
})

it('a provider that names itself in its answers has to, and as itself; then the right answer signs in', async () => {
  const naming = await startProvider()
  naming.metadata = { authorization_response_iss_parameter_supported: true }
  const service = await world.start({ console: consoleOf({}, methodOf(naming.settings())) })
  for (const [index, iss] of [undefined, 'https://evil.example', `${naming.issuer}/`].entries()) {
    const visitor = visitorOf(service)
    const callback = await begin(visitor, naming, undefined, { redirect: { iss } })
    expect((await visitor.get(callback)).status).toBe(401)
    expect(naming.exchanges).toHaveLength(index)
    expect((await visitor.get(changed(callback, { iss: naming.issuer }))).status).toBe(200)
  }
})

it('a sign-in leads only to the console, whatever the address says', async () => {
  const visitor = world.stranger()
  const more = 'return_to=https://evil.example&redirect_uri=https://evil.example&next=//evil.example'
  const begun = await visitor.get(`/console/sign-in/start?${more}`)
  expect(begun.location).not.toContain('evil')
  const { pathname, search } = provider.signIn(begun.location, owner().email)
  const page = await visitor.get(`${pathname}${search}&${more}`)
  expect(page).toMatchObject({ status: 200, text: expect.stringContaining('url=/console"') })
  expect(page.text).not.toContain('evil')
  for (const number of ['1', '0', '2', '01', '%2F%2Fevil.example', 'x']) {
    expect((await visitor.get(`/console/sign-in/start/${number}`)).status).toBe(404)
  }
})

it('the session that a browser had ends when somebody signs in again; one that was planted is never taken over', async () => {
  const visitor = world.stranger()
  const planted = 'A'.repeat(43)
  visitor.cookies.set(sessionCookie, planted)
  await signIn(visitor, owner().email)
  const first = visitor.cookies.get(sessionCookie) ?? ''
  expect(first).not.toBe(planted)
  const callback = await begin(visitor)
  // The cookie is SameSite=Strict, so the provider's redirect does not bring it.
  visitor.cookies.delete(sessionCookie)
  expect((await visitor.get(callback)).status).toBe(200)
  const thief = world.stranger()
  for (const secret of [planted, first]) {
    thief.cookies.set(sessionCookie, secret)
    expect((await thief.get(world.tokens())).location).toBe('/console/sign-in')
  }
})

it('no code, token, state or secret is logged', async () => {
  const visitor = world.stranger()
  const callback = await begin(visitor)
  await visitor.get(changed(callback, { state: 'B'.repeat(43) }))
  await visitor.get(callback)
  await signIn(world.stranger(), owner().email, { claims: { aud: 'another' } })
  await signIn(world.stranger(), owner().email, { claims: { nonce: 'N'.repeat(43) } })
  await signIn(world.stranger(), owner().email, { redirect: { code: undefined, error: 'access_denied' } })
  const log = world.service.log()
  expect(log).toContain('access_denied')
  const { searchParams } = new URL(callback, 'http://here')
  const secrets = [searchParams.get('code'), searchParams.get('state'), 'BBBB', 'NNNN', 'hunter2', 'eyJ', 'access"']
  for (const secret of secrets) expect(log).not.toContain(secret)
  for (const { body } of provider.exchanges) expect(log).not.toContain(body.get('code_verifier'))
})

describe('no session is opened, and no cause is told, for an ID token', () => {
  it.each<[what: string, answer: SignInResponse]>([
    ['that is missing', { idToken: () => '' }],
    ['that is no JWT', { idToken: () => 'svc_studio_abc' }],
    ['of long ago', { claims: { iat: seconds() - 700, exp: seconds() + 3600 } }],
    ['without the nonce of this sign-in', { claims: { nonce: undefined } }],
    ['with the nonce of another sign-in', { claims: { nonce: 'A'.repeat(43) } }],
  ])('%s', async (_what, answer) => {
    const visitor = world.stranger()
    const page = await signIn(visitor, owner().email, answer)
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
  it.each<[what: string, answer: SignInResponse, says: string]>([
    ['declined', { redirect: { code: undefined, error: 'access_denied' } }, 'The sign-in was cancelled, or'],
    ['other error', { redirect: { code: undefined, error: 'server_error' } }, 'was not finished, or Test'],
    ['e-mail not verified', { claims: { email_verified: false } }, 'Your e-mail is not verified'],
    ['nobody here', { claims: { email: 'nobody@example.com' } }, 'You have no access here yet'],
  ])('%s', async (_what, answer, says) => {
    const visitor = world.stranger()
    const page = await signIn(visitor, owner().email, answer)
    expect(page).toMatchObject({ status: 403, text: expect.stringContaining(says) })
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
    const callback = await begin(visitor)
    provider.refuses = 'invalid_client'
    const page = await visitor.get(callback)
    provider.refuses = undefined
    expect(page.status).toBe(503)
    expect(page.text).toContain('Test provider does not accept this service at the moment.')
    expect(world.service.log().slice(before)).toContain('"reason":"invalid_client"')
  })
})

it('only signatures by private keys count, whatever keys the issuer shows', async () => {
  const sharedSecret = new TextEncoder().encode(JSON.stringify(await exportJWK(publicKey)))
  const options = { issuer: provider.issuer, audience: provider.clientId, oldestSeconds: 600 }
  const verify = createVerifier({ ...options, keys: async () => sharedSecret })
  const claims = usualClaims(provider.issuer, owner().email)
  const token = await new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(sharedSecret)
  await expect(verify(token)).rejects.toThrow(IdentityRefused)
})
