import { expect, it } from 'vitest'
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
