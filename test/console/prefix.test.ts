import { expect, it } from 'vitest'
import { consoleOf, provider, sessionCookie, useConsole, visitorOf } from './support.ts'

const world = useConsole()
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
  const arrived = await visitor.get(tokens, { 'Sec-Fetch-Site': 'cross-site' })
  expect(arrived.text).toContain(`url=${tokens}"`)
  expect((await visitor.get(tokens)).location).toBe(`${base}/sign-in`)
  const seen = new Set(pathsOf((await visitor.get(`${base}/sign-in`)).text))
  const begun = await visitor.get(`${base}/sign-in/start`)
  const { pathname, search } = provider.signIn(begun.location, world.cast.a.people.owner.email)
  expect(pathname).toBe(`${base}/sign-in/callback`)
  const page = await visitor.get(`${pathname}${search}`)
  expect(page.text).toContain(`url=${base}"`)
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
