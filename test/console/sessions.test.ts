import { hash } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { newCookieValue } from '../../src/console/cookies.ts'
import type { TestService } from '../support/service.ts'
import { startProvider } from './provider.ts'
import {
  consoleOf,
  methodOf,
  type Page,
  sessionCookie,
  signedIn,
  signIn,
  tokensOf,
  useConsole,
  type Visitor,
  visitorOf,
} from './support.ts'

const world = useConsole()
const { countTokens } = tokensOf(world)
const owner = () => world.cast.a.people.owner
const resumeCookie = 'studio-inventory-resume'
const ended = 'Your session ended.'

/** Ends every session, as if its time were over. */
const endSessions = () => world.owner('update access.console_sessions set expires_at = now()')

it('a session expires, and only its digest is stored', async () => {
  const visitor = await world.as(owner())
  const kept = await world.owner<{ digest: string }>(
    `select encode(digest, 'hex') as digest from access.console_sessions order by created_at desc limit 1`,
  )
  expect(kept[0]?.digest).toBe(hash('sha256', visitor.cookies.get(sessionCookie) ?? ''))
  await endSessions()
  const secret = visitor.cookies.get(sessionCookie) ?? ''
  for (const path of ['/console', world.tokens()]) {
    visitor.cookies.set(sessionCookie, secret)
    expect((await visitor.get(path)).location).toBe('/console/sign-in')
  }
})

it('a link from another site arrives after one more step, in which the cookie is sent', async () => {
  const page = await world.stranger().get(world.tokens(), { 'Sec-Fetch-Site': 'cross-site' })
  expect(page).toMatchObject({ status: 200, text: expect.stringContaining(`content="0; url=${world.tokens()}"`) })
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
  // Sessions that are open do not count against the limit.
  const guesses = []
  for (let n = 0; n < 31; n++) guesses.push((await guess(service)).status)
  expect(guesses).toEqual([...Array(30).fill(303), 429])
  expect((await visitor.get(world.tokens())).status).toBe(200)
})

async function guess(service: TestService) {
  const visitor = visitorOf(service)
  visitor.cookies.set(sessionCookie, newCookieValue())
  return visitor.get('/console')
}

const signOutCookie = 'studio-inventory-sign-out'

/** The owner, signed in at a provider at which one can sign out; not if `logout` is empty. */
async function atProvider(claims = {}, logout = 'logout?realm=studio') {
  const at = await startProvider()
  at.metadata = { end_session_endpoint: logout === '' ? undefined : `${at.issuer}/${logout}` }
  const service = await world.start({ console: consoleOf({}, methodOf(at.settings())) })
  const visitor = visitorOf(service)
  expect((await signIn(visitor, owner().email, { claims }, at)).status).toBe(200)
  await visitor.get(world.tokens())
  return { visitor, at, home: service.url }
}

/** The address to which the page goes on by itself; undefined if it stays. */
const leadsTo = ({ text }: Page) => {
  const address = /<meta http-equiv="refresh" content="0; url=([^"]+)">/.exec(text)?.[1]
  return address === undefined ? undefined : new URL(address.replaceAll('&amp;', '&'))
}

it('signing out ends the session here, and leads on to the provider to end the one there', async () => {
  const { visitor, at, home } = await atProvider()
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
  expect([...visitor.cookies.keys()].filter((name) => name !== resumeCookie)).toEqual([])
  visitor.cookies.set(sessionCookie, secret)
  expect((await visitor.get(world.tokens())).location).toBe('/console/sign-in')
})

it('where the provider has no address for it, only the session here ends', async () => {
  const { visitor } = await atProvider({}, '')
  expect(await visitor.post('/console/sign-out')).toMatchObject({ status: 303, location: '/console/sign-in' })
})

it('an ID token that is too long for a cookie is not sent: the provider asks', async () => {
  const { visitor } = await atProvider({ groups: 'g'.repeat(3000) })
  const address = leadsTo(await visitor.post('/console/sign-out'))
  expect(address?.pathname).toBe('/logout')
  expect(address?.searchParams.has('id_token_hint')).toBe(false)
})

it('the ID token is sealed for this session: the cookie of another, or one that was planted, leads nowhere', async () => {
  const [one, other] = [await atProvider(), await atProvider()]
  expect(one.visitor.cookies.get(signOutCookie)).not.toContain('eyJhbGciOiJFUzI1NiI')
  for (const planted of [other.visitor.cookies.get(signOutCookie) ?? '', 'A'.repeat(100)]) {
    const again = await atProvider()
    again.visitor.cookies.set(signOutCookie, planted)
    expect((await again.visitor.post('/console/sign-out')).location).toBe('/console/sign-in')
  }
})

const by = signedIn(world, ['owner'], beforeEach)

/** Follows redirects to the page at their end. */
async function arrive(visitor: Visitor, path: string): Promise<{ path: string; status: number; text: string }> {
  const page = await visitor.get(path)
  return page.location === null ? { path, status: page.status, text: page.text } : arrive(visitor, page.location)
}

describe('a session that ended', () => {
  it("shows on the sign-in page, which leads back to the person's page", async () => {
    const path = world.page('audit-log?before=9')
    await endSessions()
    expect((await by.owner.get(path)).location).toBe('/console/sign-in')
    expect(by.owner.cookies.has(sessionCookie)).toBe(false)
    const asked = await by.owner.get('/console/sign-in')
    expect(asked.text).toContain(ended)
    expect(asked.text).not.toContain('was not processed')
    await signIn(by.owner, owner().email)
    expect((await arrive(by.owner, '/console')).path).toBe(path)
    // The kept page is used once.
    expect((await arrive(by.owner, '/console')).path).toBe(world.page('overview'))
  })

  it('keeps the name and the scope that were typed, and creates nothing', async () => {
    const before = await countTokens()
    const scope = world.cast.a.people.member.id
    await endSessions()
    const refused = await by.owner.post(world.tokens(), { name: 'Long "considered" name', scope })
    expect(refused.location).toBe('/console/sign-in')
    expect(by.owner.cookies.get(resumeCookie)).not.toContain('considered')
    const asked = (await by.owner.get('/console/sign-in')).text
    expect(asked).toContain('The form that you sent was not processed. What you typed is kept for 30 minutes.')
    await signIn(by.owner, owner().email)
    const page = await arrive(by.owner, '/console')
    expect(page.path).toBe(world.tokens())
    expect(page.text).toContain('value="Long &quot;considered&quot; name"')
    expect(page.text).toContain(`<option value="${scope}" selected>`)
    // The notice informs: nothing has succeeded.
    expect(page.text).toMatch(/class="note"[^>]*>Your session had ended, so no token was created\./)
    expect(await countTokens()).toBe(before)
    expect((await by.owner.get(world.tokens())).text).not.toContain('considered')
    expect(world.service.log()).not.toContain('considered')
  })

  it('keeps nothing that was typed when it does not fit into a cookie, and says so', async () => {
    await endSessions()
    await by.owner.post(world.tokens(), { name: 'Office', addresses: '198.51.100.0/24\n'.repeat(400) })
    expect(by.owner.cookies.get(resumeCookie)?.length).toBeLessThan(4_000)
    const asked = (await by.owner.get('/console/sign-in')).text
    expect(asked).toContain('The form that you sent was not processed.')
    expect(asked).not.toContain('What you typed is kept')
    await signIn(by.owner, owner().email)
    const page = await arrive(by.owner, '/console')
    expect(page.path).toBe(world.tokens())
    expect(page.text).not.toContain('Office')
  })

  it('never opens a studio to a person who does not belong to it', async () => {
    await endSessions()
    await by.owner.post(world.tokens(), { name: 'Not yours' })
    await signIn(by.owner, world.cast.b.people.owner.email)
    const page = await arrive(by.owner, '/console')
    expect(page).toMatchObject({ path: world.page('overview', world.cast.b.id), status: 200 })
    expect(page.text).not.toContain('Not yours')
    expect(by.owner.cookies.has(resumeCookie)).toBe(false)
  })

  it('is not spoken of to somebody who signed out or was never here; both come to the page that they asked for', async () => {
    await by.owner.post('/console/sign-out')
    const path = world.page('audit-log')
    for (const visitor of [by.owner, world.stranger()]) {
      await visitor.get(path)
      expect((await visitor.get('/console/sign-in')).text).not.toContain(ended)
      await signIn(visitor, owner().email)
      expect((await arrive(visitor, '/console')).path).toBe(path)
    }
  })
})

describe('a form that no page of the ended session sent', () => {
  it('from another site keeps nothing, with or without the cookie', async () => {
    await endSessions()
    const secret = by.owner.cookies.get(sessionCookie) ?? ''
    for (const cookie of [secret, '']) {
      by.owner.cookies.set(sessionCookie, cookie)
      const page = await by.owner.post(world.tokens(), { name: 'Planted' }, { Origin: 'https://evil.example' })
      expect(page.location).toBe('/console/sign-in')
      expect(by.owner.cookies.has(resumeCookie)).toBe(false)
    }
  })

  it('without its CSRF token keeps no name', async () => {
    await endSessions()
    await by.owner.post(world.tokens(), { name: 'Planted', csrf_token: 'x' })
    await signIn(by.owner, owner().email)
    const page = await arrive(by.owner, '/console')
    expect(page.path).toBe(world.tokens())
    expect(page.text).not.toContain('Planted')
  })
})

it('what this service did not seal leads nowhere', async () => {
  by.owner.cookies.set(resumeCookie, Buffer.from('{"path":"//evil.example"}').toString('base64url'))
  expect((await by.owner.get('/console')).location).toBe(world.page('overview'))
})
