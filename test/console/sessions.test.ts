import { hash } from 'node:crypto'
import { expect, it } from 'vitest'
import { newCookieValue } from '../../src/console/cookies.ts'
import type { TestService } from '../support/service.ts'
import { startProvider, type TestProvider } from './provider.ts'
import {
  consoleOf,
  methodOf,
  type Page,
  sessionCookie,
  signIn,
  useConsole,
  type Visitor,
  visitorOf,
} from './support.ts'

const world = useConsole()
const owner = () => world.cast.a.people.owner

it('a session expires, and only its digest is stored', async () => {
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

it('guesses that are sent at the same time are counted before the database is asked', async () => {
  let asked = 0
  const service = await world.start({
    console: ({ pool, ...parts }) => {
      const query: typeof pool.query = (...given) => {
        asked += 1
        return pool.query(...given)
      }
      return consoleOf()({ ...parts, pool: { ...pool, query } })
    },
  })
  const pages = await Promise.all(Array.from({ length: 100 }, () => guess(service)))
  expect(pages.filter(({ status }) => status === 429)).toHaveLength(70)
  expect(asked).toBe(30)
})

it('requests of open sessions are no guesses, nor do those of others end them', async () => {
  const service = await world.start({ console: consoleOf() })
  const visitor = await world.as(owner(), service)
  for (let n = 0; n < 11; n++) expect((await visitor.get(world.tokens())).status).toBe(200)
  for (let n = 0; n < 11; n++) await world.as(owner(), service)
  // What they cost of the limit is taken back.
  const guesses = []
  for (let n = 0; n < 31; n++) guesses.push((await guess(service)).status)
  expect(guesses.slice(0, 30)).toEqual(Array(30).fill(303))
  expect(guesses[30]).toBe(429)
  expect((await visitor.get(world.tokens())).status).toBe(200)
})

async function guess(service: TestService) {
  const visitor = visitorOf(service)
  visitor.cookies.set(sessionCookie, newCookieValue())
  return visitor.get('/console')
}

const signOutCookie = 'studio-inventory-sign-out'

/** The owner, signed in at a provider at which one can sign out. */
async function signedIn(settings = {}, claims = {}): Promise<{ visitor: Visitor; at: TestProvider; home: string }> {
  const at = await startProvider()
  at.metadata = { end_session_endpoint: `${at.issuer}/logout?realm=studio` }
  const service = await world.start({ console: consoleOf({}, methodOf(at.settings(settings))) })
  const visitor = visitorOf(service)
  expect((await signIn(visitor, owner().email, { claims }, at)).status).toBe(200)
  await visitor.get(world.tokens())
  return { visitor, at, home: service.url }
}

/** Where the page leads on to; undefined when nowhere. */
const leadsTo = ({ text }: Page) => {
  const address = /<meta http-equiv="refresh" content="0; url=([^"]+)">/.exec(text)?.[1]
  return address === undefined ? undefined : new URL(address.replaceAll('&amp;', '&'))
}

it('signing out ends the session here, and leads on to the provider to end the one there', async () => {
  const { visitor, at, home } = await signedIn()
  const secret = visitor.cookies.get(sessionCookie) ?? ''
  const page = await visitor.post('/console/sign-out')
  expect(page.status).toBe(200)
  const address = leadsTo(page)
  expect(`${address?.origin}${address?.pathname}`).toBe(`${at.issuer}/logout`)
  expect(Object.fromEntries(address?.searchParams ?? [])).toEqual({
    realm: 'studio',
    client_id: at.clientId,
    post_logout_redirect_uri: `${home}/console/sign-in`,
    id_token_hint: expect.stringMatching(/^eyJ/),
  })
  expect(page.text).toContain('You are signed out of the console.')
  expect(page.text).not.toContain(owner().name)
  expect([...visitor.cookies.keys()].filter((name) => name !== 'studio-inventory-resume')).toEqual([])
  visitor.cookies.set(sessionCookie, secret)
  expect((await visitor.get(world.tokens())).location).toBe('/console/sign-in')
})

it('where the provider has no address for it, only the session here ends', async () => {
  const at = await startProvider()
  const service = await world.start({ console: consoleOf({}, methodOf(at.settings({}))) })
  const visitor = visitorOf(service)
  await signIn(visitor, owner().email, {}, at)
  await visitor.get(world.tokens())
  expect(await visitor.post('/console/sign-out')).toMatchObject({ status: 303, location: '/console/sign-in' })
})

it('an ID token that is too long for a cookie is not sent: the provider asks', async () => {
  const { visitor } = await signedIn({}, { groups: 'g'.repeat(3000) })
  const address = leadsTo(await visitor.post('/console/sign-out'))
  expect(address?.pathname).toBe('/logout')
  expect(address?.searchParams.has('id_token_hint')).toBe(false)
})

it('the ID token is sealed for this session: the cookie of another, or one that was planted, leads nowhere', async () => {
  const [one, other] = [await signedIn(), await signedIn()]
  expect(one.visitor.cookies.get(signOutCookie)).not.toContain('eyJhbGciOiJFUzI1NiI')
  for (const planted of [other.visitor.cookies.get(signOutCookie) ?? '', 'A'.repeat(100)]) {
    const again = await signedIn()
    again.visitor.cookies.set(signOutCookie, planted)
    expect((await again.visitor.post('/console/sign-out')).location).toBe('/console/sign-in')
  }
})
