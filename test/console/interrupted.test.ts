import { beforeEach, describe, expect, it } from 'vitest'
import { sessionCookie, signIn, tokensOf, useConsole, type Visitor } from './support.ts'

const world = useConsole()
const { as, countTokens } = tokensOf(world)
const resumeCookie = 'studio-inventory-resume'
const ended = 'Your session ended.'
let owner: Visitor | undefined
beforeEach(async () => {
  owner = await world.as(world.cast.a.people.owner)
})

/** Ends every session, as time does. */
const endSessions = () => world.owner('update access.console_sessions set expires_at = now()')

const signInAgain = async (visitor: Visitor, { email } = world.cast.a.people.owner) => signIn(visitor, email)

/** Follows redirects to the page at their end. */
async function arrive(visitor: Visitor, path: string): Promise<{ path: string; status: number; text: string }> {
  const page = await visitor.get(path)
  return page.location === null ? { path, status: page.status, text: page.text } : arrive(visitor, page.location)
}

describe('a session that ended', () => {
  it("shows on the sign-in page, which leads back to the person's page", async () => {
    const path = `/console/studios/${world.cast.a.id}/audit-log?before=9`
    await endSessions()
    expect((await as(owner).get(path)).location).toBe('/console/sign-in')
    expect(as(owner).cookies.has(sessionCookie)).toBe(false)
    const asked = await as(owner).get('/console/sign-in')
    expect(asked.text).toContain(ended)
    expect(asked.text).not.toContain('was not processed')
    await signInAgain(as(owner))
    expect((await arrive(as(owner), '/console')).path).toBe(path)
    // It leads there once.
    expect((await arrive(as(owner), '/console')).path).toBe(world.page('overview'))
  })

  it('keeps the name and the scope that were typed, and creates nothing', async () => {
    const before = await countTokens()
    const scope = world.cast.a.people.member.id
    await endSessions()
    const refused = await as(owner).post(world.tokens(), { name: 'Long "considered" name', scope })
    expect(refused.location).toBe('/console/sign-in')
    expect(as(owner).cookies.get(resumeCookie)).not.toContain('considered')
    const asked = (await as(owner).get('/console/sign-in')).text
    expect(asked).toContain('The form that you sent was not processed. What you typed is kept for 30 minutes.')
    await signInAgain(as(owner))
    const page = await arrive(as(owner), '/console')
    expect(page.path).toBe(world.tokens())
    expect(page.text).toContain('value="Long &quot;considered&quot; name"')
    expect(page.text).toContain(`<option value="${scope}" selected>`)
    // Information: nothing has succeeded.
    expect(page.text).toMatch(/class="note"[^>]*>Your session had ended, so no token was created\./)
    expect(await countTokens()).toBe(before)
    expect((await as(owner).get(world.tokens())).text).not.toContain('considered')
    expect(world.service.log()).not.toContain('considered')
  })

  it('keeps nothing that was typed when it does not fit into a cookie, and says so', async () => {
    await endSessions()
    await as(owner).post(world.tokens(), { name: 'Office', addresses: '198.51.100.0/24\n'.repeat(400) })
    expect(as(owner).cookies.get(resumeCookie)?.length).toBeLessThan(4_000)
    const asked = (await as(owner).get('/console/sign-in')).text
    expect(asked).toContain('The form that you sent was not processed.')
    expect(asked).not.toContain('What you typed is kept')
    await signInAgain(as(owner))
    const page = await arrive(as(owner), '/console')
    expect(page.path).toBe(world.tokens())
    expect(page.text).not.toContain('Office')
  })

  it('never opens a studio to a person who does not belong to it', async () => {
    await endSessions()
    await as(owner).post(world.tokens(), { name: 'Not yours' })
    await signInAgain(as(owner), world.cast.b.people.owner)
    const page = await arrive(as(owner), '/console')
    expect(page).toMatchObject({ path: world.page('overview', world.cast.b.id), status: 200 })
    expect(page.text).not.toContain('Not yours')
    expect(as(owner).cookies.has(resumeCookie)).toBe(false)
  })

  it('is not spoken of to somebody who signed out or was never here; both come to the page that they asked for', async () => {
    await as(owner).post('/console/sign-out')
    const path = `/console/studios/${world.cast.a.id}/audit-log`
    for (const visitor of [as(owner), world.stranger()]) {
      await visitor.get(path)
      expect((await visitor.get('/console/sign-in')).text).not.toContain(ended)
      await signInAgain(visitor)
      expect((await arrive(visitor, '/console')).path).toBe(path)
    }
  })
})

describe('a form that no page of the ended session sent', () => {
  it('from another site keeps nothing, with or without the cookie', async () => {
    await endSessions()
    const secret = as(owner).cookies.get(sessionCookie) ?? ''
    for (const cookie of [secret, '']) {
      as(owner).cookies.set(sessionCookie, cookie)
      const page = await as(owner).post(world.tokens(), { name: 'Planted' }, { Origin: 'https://evil.example' })
      expect(page.location).toBe('/console/sign-in')
      expect(as(owner).cookies.has(resumeCookie)).toBe(false)
    }
  })

  it('without its CSRF token keeps no name', async () => {
    await endSessions()
    await as(owner).post(world.tokens(), { name: 'Planted', csrf_token: 'x' })
    await signInAgain(as(owner))
    const page = await arrive(as(owner), '/console')
    expect(page.path).toBe(world.tokens())
    expect(page.text).not.toContain('Planted')
  })
})

it('what this service did not seal leads nowhere', async () => {
  as(owner).cookies.set(resumeCookie, Buffer.from('{"path":"//evil.example"}').toString('base64url'))
  expect((await as(owner).get('/console')).location).toBe(world.page('overview'))
})
