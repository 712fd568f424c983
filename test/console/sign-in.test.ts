import { hash } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { signInMethod } from '../../src/apps/console/method.ts'
import { createVerifier, IdentityRefused } from '../../src/auth/identity/id-token.ts'
import { demoPeople } from '../../src/dev/demo/people.ts'
import {
  audience,
  consoleOf,
  idToken,
  issuer,
  privateKey,
  publicKey,
  seconds,
  sessionCookie,
  signInOrigin,
  useConsole,
  visitorOf,
} from './support.ts'

const demo = async () => demoPeople()

const world = useConsole()
const owner = () => world.cast.a.people.owner

it('whoever is not signed in is led to the sign-in page, and from there to the issuer', async () => {
  const visitor = world.stranger()
  for (const path of ['/console', '/console/', world.tokens(), `/console/studios/${world.cast.a.id}/audit-log`]) {
    expect(await visitor.get(path)).toMatchObject({ status: 303, location: '/console/sign-in' })
  }
  const page = await visitor.get('/console/sign-in')
  expect(page.text).toContain(`href="${signInOrigin}/sign-in"`)
  expect(page.text).not.toContain('demo')
})

it('an ID token opens a session whose cookie no script reads and no other site sends', async () => {
  const visitor = world.stranger()
  const page = await visitor.post(
    '/console/sign-in',
    { id_token: await idToken(owner().email) },
    { Origin: signInOrigin },
  )
  expect(page.status).toBe(200)
  expect(page.headers.get('set-cookie')).toMatch(
    /^studio-inventory-session=[\w-]{43}; Max-Age=28800; Path=\/; HttpOnly; SameSite=Strict$/,
  )
  expect(page.text).toContain('<meta http-equiv="refresh" content="0; url=/console">')
  const list = await visitor.get('/console')
  expect(list.location).toBe(world.tokens())
  expect((await visitor.get(world.tokens())).text).toContain(owner().name)
})

it('over https the cookie is bound to the host', async () => {
  const secure = await world.start({
    console: (parts) => consoleOf()({ ...parts, url: 'https://api.example.com/inventory' }),
  })
  const page = await visitorOf(secure).post(
    '/console/sign-in',
    { id_token: await idToken(owner().email) },
    { Origin: signInOrigin },
  )
  expect(page.headers.get('set-cookie')).toMatch(
    /^__Host-studio-inventory-session=.*; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
  )
  expect(page.text).toContain('url=/inventory/console"')
})

it('a sign-in works once: what was overheard opens nothing', async () => {
  const token = await idToken(owner().email)
  expect((await world.stranger().post('/console/sign-in', { id_token: token })).status).toBe(200)
  // The same signature can be written in several ways.
  const last = token.at(-1) ?? ''
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  const spare = `${token.slice(0, -1)}${alphabet[alphabet.indexOf(last) ^ 1]}`
  for (const again of [
    token,
    `${token}==`,
    `${token}\n`,
    ` ${token}`,
    `${token.slice(0, -4)} ${token.slice(-4)}`,
    spare,
  ]) {
    expect((await world.stranger().post('/console/sign-in', { id_token: again })).status).toBe(401)
  }
})

it('the secret of a session is always a new one, and an older session of the browser ends', async () => {
  const visitor = world.stranger()
  const planted = 'A'.repeat(43)
  visitor.cookies.set(sessionCookie, planted)
  await visitor.post('/console/sign-in', { id_token: await idToken(owner().email) })
  const first = visitor.cookies.get(sessionCookie) ?? ''
  expect(first).not.toBe(planted)
  await visitor.post('/console/sign-in', { id_token: await idToken(owner().email) })
  const thief = world.stranger()
  for (const secret of [planted, first]) {
    thief.cookies.set(sessionCookie, secret)
    expect((await thief.get(world.tokens())).location).toBe('/console/sign-in')
  }
})

it('signing out ends the session on the server', async () => {
  const visitor = await world.as(owner())
  const secret = visitor.cookies.get(sessionCookie) ?? ''
  expect(await visitor.post('/console/sign-out')).toMatchObject({ status: 303, location: '/console/sign-in' })
  expect(visitor.cookies.has(sessionCookie)).toBe(false)
  visitor.cookies.set(sessionCookie, secret)
  expect((await visitor.get(world.tokens())).location).toBe('/console/sign-in')
})

it('a session expires, and only its digest is kept', async () => {
  const visitor = await world.as(owner())
  const kept = await world.owner<{ digest: string }>(
    `select encode(digest, 'hex') as digest from access.console_sessions order by created_at desc limit 1`,
  )
  expect(kept[0]?.digest).toBe(hash('sha256', visitor.cookies.get(sessionCookie) ?? ''))
  await world.owner(`update access.console_sessions set expires_at = now()`)
  const secret = visitor.cookies.get(sessionCookie) ?? ''
  for (const path of ['/console', world.tokens()]) {
    visitor.cookies.set(sessionCookie, secret)
    expect((await visitor.get(path)).location).toBe('/console/sign-in')
  }
})

it('a link from another site arrives after one more step, in which the cookie is sent', async () => {
  const page = await world.stranger().get(world.tokens(), { 'Sec-Fetch-Site': 'cross-site' })
  expect(page.status).toBe(200)
  expect(page.text).toContain(`content="0; url=${world.tokens()}"`)
})

const foreign = await generateKeyPair('ES256')
const sharedSecret = new TextEncoder().encode(JSON.stringify(await exportJWK(publicKey)))
const claims = (email: string) => ({
  iss: issuer,
  aud: audience,
  sub: email,
  email,
  email_verified: true,
  iat: seconds(),
  exp: seconds() + 300,
})

describe('no session is opened, and no cause is told, for', () => {
  const refused: [what: string, token: (email: string) => Promise<string> | string][] = [
    ['no token', () => ''],
    ['no JWT', () => 'svc_studio_abc'],
    ['alg none', (email) => new UnsecuredJWT(claims(email)).encode()],
    [
      'a signature by the public key as a shared secret',
      (email) => new SignJWT(claims(email)).setProtectedHeader({ alg: 'HS256' }).sign(sharedSecret),
    ],
    [
      'a signature by a key of somebody else',
      (email) => new SignJWT(claims(email)).setProtectedHeader({ alg: 'ES256', kid: 'one' }).sign(foreign.privateKey),
    ],
    [
      'a key that the token itself brings',
      async (email) =>
        new SignJWT(claims(email))
          .setProtectedHeader({ alg: 'ES256', jwk: await exportJWK(foreign.publicKey) })
          .sign(foreign.privateKey),
    ],
    ['another issuer', (email) => idToken(email, { iss: 'https://evil.example' })],
    ['another audience', (email) => idToken(email, { aud: 'somebody-else' })],
    ['several audiences, made for another', (email) => idToken(email, { aud: [audience, 'other'], azp: 'other' })],
    ['an expired token', (email) => idToken(email, { iat: seconds() - 400, exp: seconds() - 31 })],
    ['a token that is not valid yet', (email) => idToken(email, { nbf: seconds() + 60 })],
    ['a token of long ago', (email) => idToken(email, { iat: seconds() - 700, exp: seconds() + 3600 })],
    ['a token from the future', (email) => idToken(email, { iat: seconds() + 120 })],
    ['an e-mail that nobody has verified', (email) => idToken(email, { email_verified: false })],
    ['an e-mail verified in words', (email) => idToken(email, { email_verified: 'true' })],
    [
      'an e-mail whose letters only look alike',
      (email) => idToken(email.replace('k', '\u212a').replace('i', '\u0130')),
    ],
    ['an access token', (email) => idToken(email, {}, { typ: 'at+jwt' })],
    ['no e-mail', (email) => idToken(email, { email: undefined })],
    ['an e-mail of nobody here', () => idToken('nobody@example.com')],
    [
      'no expiry',
      (email) => {
        const { exp: _, ...rest } = claims(email)
        return new SignJWT(rest).setProtectedHeader({ alg: 'ES256', kid: 'one' }).sign(privateKey)
      },
    ],
  ]
  it.each(refused)('%s', async (_what, token) => {
    const visitor = world.stranger()
    const page = await visitor.post('/console/sign-in', { id_token: await token(owner().email) })
    expect(page.status).toBe(401)
    expect(page.text).toContain('You could not be signed in.')
    expect(visitor.cookies.size).toBe(0)
  })

  it('a form of a page elsewhere, or of nowhere', async () => {
    const { port } = world.service
    for (const Origin of ['https://evil.example', 'null', `https://127.0.0.1:${port}`, `http://evil.example:${port}`]) {
      const headers = { Origin, Host: `evil.example:${port}` }
      const page = await world.stranger().post('/console/sign-in', { id_token: await idToken(owner().email) }, headers)
      expect(page.status).toBe(403)
    }
  })
})

it('a clock half a minute off is no reason to refuse', async () => {
  const token = await idToken(owner().email, { iat: seconds() - 200, exp: seconds() - 20 })
  expect((await world.stranger().post('/console/sign-in', { id_token: token })).status).toBe(200)
})

it('attempts to sign in are counted per address', async () => {
  const service = await world.start({ console: consoleOf({ signInsPerMinute: 3 }) })
  const statuses = []
  for (let n = 0; n < 4; n++) {
    const page = await visitorOf(service).post('/console/sign-in', { id_token: 'x' })
    statuses.push(page.status)
    if (page.status === 429) expect(Number(page.headers.get('retry-after'))).toBeGreaterThan(0)
  }
  expect(statuses).toEqual([401, 401, 401, 429])
})

it('a signature is taken by a private key alone, whatever keys the issuer shows', async () => {
  const verify = createVerifier({ issuer, audience, keys: async () => sharedSecret, oldestSeconds: 600 })
  const token = await new SignJWT(claims(owner().email)).setProtectedHeader({ alg: 'HS256' }).sign(sharedSecret)
  await expect(verify(token)).rejects.toThrow(IdentityRefused)
})

it('whoever guesses sessions is slowed down, and costs no connection', async () => {
  const service = await world.start({ console: consoleOf() })
  const statuses = new Set<number>()
  for (let n = 0; n < 40; n++) {
    const visitor = visitorOf(service)
    visitor.cookies.set(sessionCookie, 'A'.repeat(43))
    statuses.add((await visitor.get('/console')).status)
  }
  expect([...statuses]).toEqual([303, 429])
  expect(service.log()).not.toContain('SI401')
})

describe('with the keys of the issuer at an address', () => {
  let keys: { keys: object[] } | null = null
  const server = createServer((_request, response) => {
    response.writeHead(keys ? 200 : 500, { 'Content-Type': 'application/json' }).end(JSON.stringify(keys ?? {}))
  })
  let url = ''
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks.json`
  })
  afterAll(() => void server.close())

  it('a sign-in is verified with them; while they cannot be fetched it is not refused', async () => {
    const by = await signInMethod({ issuer, audience, jwksUrl: url, signInUrl: `${signInOrigin}/sign-in` }, demo)
    const service = await world.start({ console: consoleOf({}, by) })
    const token = await idToken(owner().email)
    expect((await visitorOf(service).post('/console/sign-in', { id_token: token })).status).toBe(503)
    keys = { keys: [{ ...(await exportJWK(publicKey)), kid: 'one', alg: 'ES256' }] }
    expect((await visitorOf(service).post('/console/sign-in', { id_token: token })).status).toBe(200)
  })
})

describe('in the demo', () => {
  it('only people of the demo are listed and taken, by the form of that page', async () => {
    const service = await world.start({ console: consoleOf({}, await signInMethod(undefined, demo)) })
    const visitor = visitorOf(service)
    const email = 'imogen@northlight.example'
    expect((await visitor.post('/console/sign-in/demo', { email })).status).toBe(403)
    const page = await visitor.get('/console/sign-in')
    expect(page.text).toContain('embedded demo database')
    expect(page.text).toContain(email)
    expect(page.text).not.toContain(owner().email)
    expect((await visitor.post('/console/sign-in/demo', { email: owner().email })).status).toBe(401)
    expect((await visitor.post('/console/sign-in', { id_token: await idToken(owner().email) })).status).toBe(401)
    await world.owner(`select access.create_studio('Northlight', $1, 'Imogen')`, [email])
    expect((await visitor.post('/console/sign-in/demo', { email })).status).toBe(200)
    expect((await visitor.get('/console')).status).toBe(303)
  })

  it('a person is taken from the page of the console alone: no other page can sign a visitor in as somebody', async () => {
    const service = await world.start({ console: consoleOf({}, await signInMethod(undefined, demo)) })
    const visitor = visitorOf(service)
    const email = 'imogen@northlight.example'
    await world.owner(`select access.create_studio('Northlight', $1, 'Imogen')`, [email])
    await visitor.get('/console/sign-in')
    const from = (Origin: string) => visitor.post('/console/sign-in/demo', { email }, { Origin })
    for (const origin of ['https://evil.example', signInOrigin, 'null', ''])
      expect((await from(origin)).status).toBe(403)
    expect((await visitor.get('/console')).location).toBe('/console/sign-in')
    expect((await from(service.url)).status).toBe(200)
  })

  it('and nowhere else', async () => {
    expect((await world.stranger().post('/console/sign-in/demo', { email: 'imogen@northlight.example' })).status).toBe(
      401,
    )
  })
})
