import { describe, expect, it } from 'vitest'
import { consoleOf, provider, sessionCookie, signIn, useConsole, visitorOf } from './support.ts'

const world = useConsole()
const publicPath = '/inventory'
const base = `${publicPath}/console`

/** What a proxy in front makes of a path. */
const proxies = {
  removes: (path: string) => path.replace(/^\/inventory(?=\/|$)/, '') || '/',
  keeps: (path: string) => path,
} as const

/** The paths of this host that a page leads to. */
const pathsOf = (text: string) =>
  [...text.matchAll(/(?:href|src|action)="([^"]+)"/g)]
    .map(([, address = '']) => address)
    .filter((address) => !/^(#|https?:)/.test(address))

describe.each(Object.entries(proxies))('behind a proxy that %s the path of PUBLIC_URL', (_name, reach) => {
  const open = async () => visitorOf(await world.start({ console: consoleOf(), publicPath }), reach)

  it('somebody is led to the sign-in page, the provider, back and to the tokens', async () => {
    const visitor = await open()
    expect((await visitor.get(base)).location).toBe(`${base}/sign-in`)
    const begun = await visitor.get(`${base}/sign-in/start`)
    const redirectUri = new URL(begun.location ?? '').searchParams.get('redirect_uri') ?? ''
    expect(new URL(redirectUri).pathname).toBe(`${base}/sign-in/callback`)
    const { pathname, search } = provider.signIn(begun.location, world.cast.a.people.owner.email)
    const page = await visitor.get(`${pathname}${search}`)
    expect(page.status, page.text).toBe(200)
    expect(page.text).toContain(`url=${base}"`)
    expect((await visitor.get(base)).location).toBe(`${publicPath}${world.tokens()}`)
  })

  it('every link, form and file of the pages is below that path, and there', async () => {
    const visitor = await open()
    const seen = new Set(pathsOf((await visitor.get(`${base}/sign-in`)).text))
    await signIn(visitor, world.cast.a.people.owner.email, {}, provider, publicPath)
    for (const page of ['tokens', 'audit-log', 'report', `tokens/${world.cast.a.token.id}`]) {
      const { text } = await visitor.get(`${base}/studios/${world.cast.a.id}/${page}`)
      for (const path of pathsOf(text)) seen.add(path)
    }
    expect(seen.size).toBeGreaterThan(10)
    for (const path of seen) {
      expect(path).toMatch(/^\/inventory\//)
      expect((await visitor.get(path)).status, path).not.toBe(404)
    }
  })

  it('forms are sent, and lead on', async () => {
    const visitor = await open()
    await signIn(visitor, world.cast.a.people.owner.email, {}, provider, publicPath)
    const tokens = `${publicPath}${world.tokens()}`
    await visitor.get(tokens)
    const made = await visitor.post(tokens, { name: 'Behind a proxy' })
    expect(made.location, made.text).toMatch(new RegExp(`^${tokens}/[0-9a-f-]{36}/created$`))
    expect((await visitor.get(made.location ?? '')).text).toContain(`${publicPath}/v1/items`)
    expect((await visitor.post(`${base}/sign-out`)).location).toBe(`${base}/sign-in`)
  })

  it('a link from another site, and a session that ended, lead back to the same page', async () => {
    const visitor = await open()
    const path = `${publicPath}${world.tokens()}`
    const arrived = await visitor.get(path, { 'Sec-Fetch-Site': 'cross-site' })
    expect(arrived.text).toContain(`url=${path}"`)
    await visitor.get(path)
    await signIn(visitor, world.cast.a.people.owner.email, {}, provider, publicPath)
    expect((await visitor.get(base)).location).toBe(path)
  })

  it('cookies are of this service, and of no other below the same host', async () => {
    const visitor = await open()
    await signIn(visitor, world.cast.a.people.owner.email, {}, provider, publicPath)
    expect(visitor.cookies.has(sessionCookie)).toBe(false)
    expect([...visitor.cookies.keys()].every((name) => name.startsWith('studio-inventory-inventory-'))).toBe(true)
  })

  it('the API is there too', async () => {
    const visitor = await open()
    expect((await visitor.get(`${publicPath}/healthz`)).status).toBe(200)
    expect((await visitor.get(`${publicPath}/v1/items`)).status).toBe(401)
    expect((await visitor.get(`${publicPath}v1/items`)).status).toBe(404)
  })
})

it('a path that the service has itself is never taken for that of PUBLIC_URL', async () => {
  const service = await world.start({ console: consoleOf(), publicPath: '/v1' })
  expect((await visitorOf(service).get('/v1/items')).status).toBe(401)
})
