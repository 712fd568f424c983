import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { consoleOf, signIn, visitorOf } from '../console/support.ts'
import { type GraphqlService, startGraphql } from '../graphql/support.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld({ console: consoleOf() })
let graphql: GraphqlService
beforeAll(async () => {
  graphql = await startGraphql(world.database)
})
afterAll(() => graphql?.stop())

/** Every answer has these headers. */
const every = { 'x-content-type-options': 'nosniff' }

const docs = {
  ...every,
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'permissions-policy': 'camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()',
  'cross-origin-resource-policy': 'same-origin',
}

/** The page of GraphQL has scripts, which run by their digests, and an editor that makes styles. */
const graphqlPage = {
  ...docs,
  'content-security-policy': expect.stringMatching(
    /^default-src 'none'; script-src 'self'( 'sha256-[\w+/]{43}=')+; style-src 'self' 'unsafe-inline'; font-src 'self' data:; img-src 'self' data:; connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
  ),
}

const console = {
  ...every,
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  // Without an origin, which `no-referrer` would leave out, the service refuses forms.
  'referrer-policy': 'same-origin',
  'permissions-policy':
    'camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=(), clipboard-write=(self)',
  // A window that another site has opened cannot be reached by that site.
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
}

const names = [...new Set([...Object.keys(docs), ...Object.keys(console)])]

/** The headers of a response that are about security; a header that is missing is missing. */
function securityOf(headers: Headers): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (headers.has(name) ? [[name, headers.get(name) ?? '']] : [])))
}

/** The address of the first file of a page that is like this. */
async function fileOf(url: string, pattern: RegExp): Promise<string> {
  const page = await fetch(url, { headers: { Accept: 'text/html' } })
  const [file = ''] = pattern.exec(await page.text()) ?? []
  return new URL(file, url).href
}

describe('every answer says to browsers what may be done with it', () => {
  const api = (path: string) => () => `${world.service.url}${path}`
  const analysis = (path: string) => () => `http://127.0.0.1:${graphql.port}${path}`

  test.each<[what: string, expected: object, url: () => string | Promise<string>]>([
    ['an answer of the API', every, api('/v1/items')],
    ['an address of nothing', every, api('/nowhere')],
    ['a photo that is not there', every, api('/photos/x')],
    ['the description', every, api('/openapi.json')],
    ['health', every, api('/healthz')],
    ['what this is, as JSON', every, api('/')],
    ['a file of the page at /', docs, () => fileOf(api('/')(), /\/assets\/[^"]+\.css/)],
    ['the reference', docs, api('/docs')],
    ['a file of the reference', docs, () => fileOf(api('/docs')(), /docs\/assets\/[^"]+\.js/)],
    ['the sign-in page', console, api('/console/sign-in')],
    ['a file of the console', console, () => fileOf(api('/console/sign-in')(), /\/console\/assets\/[^"]+\.css/)],
    ['a file that the console does not have', console, api('/console/assets/x/y.js')],
    ['a page of the console that is led elsewhere', console, api('/console')],
    ['a question without a query', every, analysis('/graphql')],
    ['the page to write queries in', graphqlPage, analysis('/')],
    ['a file of that page', docs, () => fileOf(analysis('/')(), /ruru\/[^"]+\.js/)],
    ['a file that this page does not have', docs, analysis('/ruru/%ZZ')],
  ])('%s', async (_what, expected, url) => {
    const response = await fetch(await url(), { redirect: 'manual' })
    expect(securityOf(response.headers)).toEqual(expected)
    expect(response.status).toBeLessThan(500)
    await response.body?.cancel()
  })

  test('the page at /', async () => {
    const { headers } = await fetch(api('/')(), { headers: { Accept: 'text/html' } })
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(securityOf(headers)).toEqual(docs)
  })

  test('the pages of a signed-in person, found or not', async () => {
    const visitor = visitorOf(world.service)
    await signIn(visitor, world.cast.a.people.owner.email)
    for (const path of [`/console/studios/${world.cast.a.id}/tokens`, '/console/nowhere']) {
      const { headers, status } = await visitor.get(path)
      expect(status).toBe(path.endsWith('nowhere') ? 404 : 200)
      expect(securityOf(headers)).toEqual(console)
      expect(headers.get('cache-control')).toBe('no-store')
    }
  })
})
