import { describe, expect, it } from 'vitest'
import { signInMethod } from '../../src/console/identity/provider.ts'
import { demoPeople } from '../../src/demo/studios.ts'
import { makeLogger } from '../../src/log.ts'
import type { ConsoleParts } from '../support/service.ts'
import { startProvider } from './provider.ts'
import { consoleOf, methodOf, provider, sessionCookie, signIn, useConsole, visitorOf } from './support.ts'

const world = useConsole()
const owner = () => world.cast.a.people.owner
const secure = (parts: ConsoleParts) => consoleOf()({ ...parts, url: 'https://api.example.com' })

it('a person who is not signed in gets to the sign-in page, and from there to the provider', async () => {
  const visitor = world.stranger()
  for (const path of ['/console', '/console/', world.tokens(), world.page('audit-log')]) {
    expect(await visitor.get(path)).toMatchObject({ status: 303, location: '/console/sign-in' })
  }
  const page = await visitor.get('/console/sign-in')
  expect(page.text).toContain('href="/console/sign-in/start">Sign in with Test provider</a>')
  expect(page.text).not.toContain('demo')
  const begun = await visitor.get('/console/sign-in/start')
  expect(begun.status).toBe(303)
  const { origin, pathname, searchParams } = new URL(begun.location ?? '')
  expect(`${origin}${pathname}`).toBe(`${provider.issuer}/authorize`)
  expect(Object.fromEntries(searchParams)).toEqual({
    response_type: 'code',
    client_id: provider.clientId,
    redirect_uri: `${world.service.url}/console/sign-in/callback`,
    scope: 'openid email',
    state: expect.stringMatching(/^[\w-]{43}$/),
    nonce: expect.stringMatching(/^[\w-]{43}$/),
    code_challenge: expect.stringMatching(/^[\w-]{43}$/),
    code_challenge_method: 'S256',
  })
})

it('a sign-in opens a session whose cookie no script reads and no other site sends', async () => {
  const visitor = world.stranger()
  const page = await signIn(visitor, owner().email)
  expect(page.status, page.text).toBe(200)
  expect(page.headers.getSetCookie()).toEqual([
    expect.stringMatching(/^studio-inventory-session=[\w-]{43}; Max-Age=633600; Path=\/; HttpOnly; SameSite=Strict$/),
    expect.stringMatching(
      /^studio-inventory-sign-out=[\w.-]+; Max-Age=633600; Path=\/console\/sign-out; HttpOnly; SameSite=Strict$/,
    ),
    'studio-inventory-sign-in=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax',
  ])
  expect(page.text).toContain('<meta http-equiv="refresh" content="0; url=/console">')
  expect((await visitor.get('/console')).location).toBe(world.page('overview'))
  expect((await visitor.get(world.tokens())).text).toContain(owner().name)
})

it('what the provider is asked with is a secret of this browser: nothing of it is in the page or readable in the cookie', async () => {
  const visitor = world.stranger()
  const begun = await visitor.get('/console/sign-in/start')
  expect(begun.headers.get('set-cookie')).toMatch(
    /^studio-inventory-sign-in=[\w.-]+; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/,
  )
  const { searchParams } = new URL(begun.location ?? '')
  for (const name of ['state', 'nonce']) {
    expect(visitor.cookies.get('studio-inventory-sign-in')).not.toContain(searchParams.get(name))
  }
})

it('over https the cookies are bound to the host', async () => {
  const page = await signIn(visitorOf(await world.start({ console: secure })), owner().email)
  const attributes = page.headers.getSetCookie().map((line) => line.replace(/=[\w.-]*; Max-Age=\d+/, ''))
  expect(attributes).toEqual([
    '__Host-studio-inventory-session; Path=/; HttpOnly; Secure; SameSite=Strict',
    '__Secure-studio-inventory-sign-out; Path=/console/sign-out; HttpOnly; Secure; SameSite=Strict',
    '__Host-studio-inventory-sign-in; Path=/; HttpOnly; Secure; SameSite=Lax',
  ])
})

it('attempts to sign in are counted per address', async () => {
  const service = await world.start({ console: consoleOf({ signInsPerMinute: 3 }) })
  const statuses = []
  for (let n = 0; n < 4; n++) {
    const page = await signIn(visitorOf(service), owner().email, { claims: { aud: 'another' } })
    statuses.push(page.status)
    if (page.status === 429) expect(Number(page.headers.get('retry-after'))).toBeGreaterThan(0)
  }
  // A browser that did not begin a sign-in does not use one up.
  expect((await visitorOf(service).get('/console/sign-in/callback?code=x&state=y')).status).toBe(400)
  expect(statuses).toEqual([401, 401, 401, 429])
})

it('what one process has begun another finishes', async () => {
  const [one, other] = [await world.start({ console: secure }), await world.start({ console: secure })]
  const visitor = visitorOf(one)
  const begun = await visitor.get('/console/sign-in/start')
  const { pathname, search } = provider.signIn(begun.location, owner().email)
  const elsewhere = visitorOf(other)
  for (const [name, value] of visitor.cookies) elsewhere.cookies.set(name, value)
  expect((await elsewhere.get(`${pathname}${search}`)).status).toBe(200)
})

it('how sign-ins end is counted', async () => {
  const signIns = { signed_in: 0, refused: 0, unavailable: 0 }
  const other = await startProvider()
  const by = consoleOf({}, methodOf(other.settings()))
  const service = await world.start({ console: (parts) => by({ ...parts, signIns }) })
  for (const answer of [{}, { claims: { aud: 'another' } }, { claims: { email_verified: false } }]) {
    await signIn(visitorOf(service), owner().email, answer, other)
  }
  other.away.token = true
  await signIn(visitorOf(service), owner().email, {}, other)
  expect(signIns).toEqual({ signed_in: 1, refused: 2, unavailable: 1 })
})

describe('a provider that does not answer', () => {
  it('shows on the sign-in page until it works again; the other providers work meanwhile', async () => {
    const other = await startProvider()
    other.away.metadata = true
    const by = methodOf(provider.settings(), other.settings({ number: 2, name: 'The other' }))
    const service = await world.start({ console: consoleOf({}, by) })
    const visitor = visitorOf(service)
    const page = await visitor.get('/console/sign-in')
    expect(page.status).toBe(200)
    expect(page.text).toContain('The other cannot be reached at the moment.')
    expect(page.text).not.toContain('Test provider cannot')
    const begun = await visitor.get('/console/sign-in/start/2')
    expect([begun.status, begun.headers.get('retry-after')]).toEqual([503, '2'])
    expect(begun.text).toContain('The identity provider cannot be reached')
    expect((await signIn(visitor, owner().email)).status).toBe(200)
    other.away.metadata = false
    const statusOf = async () => (await visitor.get('/console/sign-in/start/2')).status
    await expect.poll(statusOf, { timeout: 30_000, interval: 300 }).toBe(303)
    expect((await visitor.get('/console/sign-in')).text).not.toContain('cannot be reached')
    const { searchParams } = new URL((await visitor.get('/console/sign-in/start/2')).location ?? '')
    expect(searchParams.get('redirect_uri')).toBe(`${service.url}/console/sign-in/callback/2`)
  })

  it.each(['token', 'keys'] as const)('at its %s refuses nobody', async (part) => {
    const other = await startProvider()
    other.away[part] = true
    const service = await world.start({ console: consoleOf({}, methodOf(other.settings())) })
    expect((await signIn(visitorOf(service), owner().email, {}, other)).status).toBe(503)
  })
})

describe('in the demo', () => {
  const email = 'imogen@northlight.example'
  async function opened() {
    const demo = await signInMethod([], async () => demoPeople(), makeLogger({ level: 'silent' }))
    const service = await world.start({ console: consoleOf({}, demo) })
    await world.owner(`select access.create_studio('Northlight', $1, 'Imogen')`, [email])
    return { service, visitor: visitorOf(service) }
  }

  it('only people of the demo are listed and taken, by the form of that page', async () => {
    const { visitor } = await opened()
    expect((await visitor.post('/console/sign-in/demo', { email })).status).toBe(403)
    expect((await visitor.get('/console')).location).toBe('/console/sign-in')
    const page = await visitor.get('/console/sign-in')
    expect(page.text).toContain('demo database')
    expect(page.text).toContain(email)
    expect(page.text).not.toContain(owner().email)
    expect(page.text).toContain('<button>Imogen Hart</button> <span class="soft">owner, Northlight Studios</span>')
    expect(page.text).toContain('owner, Hollow Oak Recording, whose plan has lapsed')
    expect((await visitor.post('/console/sign-in/demo', { email: owner().email })).status).toBe(401)
    expect((await visitor.get('/console/sign-in/start')).status).toBe(404)
    expect((await visitor.post('/console/sign-in/demo', { email })).status).toBe(200)
    expect((await visitor.get('/console')).status).toBe(303)
  })

  it("only the console's own page can sign a visitor in", async () => {
    const { visitor, service } = await opened()
    await visitor.get('/console/sign-in')
    const from = (Origin: string) => visitor.post('/console/sign-in/demo', { email }, { Origin })
    for (const origin of ['https://evil.example', provider.issuer, 'null', ''])
      expect((await from(origin)).status).toBe(403)
    expect((await visitor.get('/console')).location).toBe('/console/sign-in')
    expect((await from(service.url)).status).toBe(200)
  })

  it('and nowhere else', async () => {
    expect((await world.stranger().post('/console/sign-in/demo', { email })).status).toBe(401)
  })
})

const publicPath = '/inventory'
const base = `${publicPath}/console`

/** The paths of this host that a page leads to. */
const pathsOf = (text: string) =>
  [...text.matchAll(/(?:href|src|action)="([^"]+)"/g)]
    .map(([, address = '']) => address)
    .filter((address) => !/^(#|https?:)/.test(address))

it.each<[string, (path: string) => string]>([
  ['removes', (path) => path.replace(/^\/inventory(?=\/|$)/, '') || '/'],
  ['keeps', (path) => path],
])('behind a proxy that %s the path of PUBLIC_URL, links, forms, files and cookies are below it', async (_, reach) => {
  const visitor = visitorOf(await world.start({ console: consoleOf(), publicPath }), reach)
  const tokens = `${publicPath}${world.tokens()}`
  expect((await visitor.get(tokens, { 'Sec-Fetch-Site': 'cross-site' })).text).toContain(`url=${tokens}"`)
  expect((await visitor.get(tokens)).location).toBe(`${base}/sign-in`)
  const seen = new Set(pathsOf((await visitor.get(`${base}/sign-in`)).text))
  const begun = await visitor.get(`${base}/sign-in/start`)
  const { pathname, search } = provider.signIn(begun.location, world.cast.a.people.owner.email)
  expect(pathname).toBe(`${base}/sign-in/callback`)
  expect((await visitor.get(`${pathname}${search}`)).text).toContain(`url=${base}"`)
  expect((await visitor.get(base)).location).toBe(tokens)
  expect(visitor.cookies.has(sessionCookie)).toBe(false)
  expect([...visitor.cookies.keys()].every((name) => name.startsWith('studio-inventory-inventory-'))).toBe(true)

  for (const name of ['audit-log', 'report', `tokens/${world.cast.a.token.id}`, 'tokens']) {
    const { text } = await visitor.get(`${base}/studios/${world.cast.a.id}/${name}`)
    for (const path of pathsOf(text)) seen.add(path)
  }
  expect(seen.size).toBeGreaterThan(10)
  for (const path of seen) {
    expect(path).toMatch(/^\/inventory\//)
    expect((await visitor.get(path)).status, path).not.toBe(404)
  }
  const made = await visitor.post(tokens, { name: 'Behind a proxy' })
  expect(made.location, made.text).toMatch(new RegExp(`^${tokens}/[0-9a-f-]{36}/created$`))
  expect((await visitor.get(made.location ?? '')).text).toContain(`${publicPath}/v1/items`)
  expect((await visitor.get(`${publicPath}/v1/items`)).status).toBe(401)
  expect((await visitor.get(`${publicPath}v1/items`)).status).toBe(404)
  await visitor.get(tokens)
  expect((await visitor.post(`${base}/sign-out`)).location).toBe(`${base}/sign-in`)
})

it('a path that the service has itself is never taken for that of PUBLIC_URL', async () => {
  const service = await world.start({ console: consoleOf(), publicPath: '/v1' })
  expect((await visitorOf(service).get('/v1/items')).status).toBe(401)
})
