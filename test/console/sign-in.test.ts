import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { signInMethod } from '../../src/apps/console/method.ts'
import {
  audience,
  consoleOf,
  idToken,
  issuer,
  publicKey,
  seconds,
  signInOrigin,
  useConsole,
  visitorOf,
} from './support.ts'

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
    /^studio-inventory-session=[\w-]{43}; Max-Age=633600; Path=\/; HttpOnly; SameSite=Strict$/,
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
    const by = await signInMethod(
      { issuer, audience, jwksUrl: url, signInUrl: `${signInOrigin}/sign-in` },
      async () => [],
    )
    const service = await world.start({ console: consoleOf({}, by) })
    const token = await idToken(owner().email)
    expect((await visitorOf(service).post('/console/sign-in', { id_token: token })).status).toBe(503)
    keys = { keys: [{ ...(await exportJWK(publicKey)), kid: 'one', alg: 'ES256' }] }
    const signedIn = async () => (await visitorOf(service).post('/console/sign-in', { id_token: token })).status
    // They are asked for again after a moment.
    await expect.poll(signedIn, { timeout: 10_000, interval: 800 }).toBe(200)
  })
})
