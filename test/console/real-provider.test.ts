import { parseSetCookie } from 'cookie'
import type { Router } from 'express'
import { afterAll, describe, expect, it } from 'vitest'
import { type IdentityProvider, startIdentityProvider } from '../support/identity-provider.ts'
import { useWorld, type World } from '../support/world.ts'

import { consoleOf, methodOf, sessionCookie, provider as settingsOf, type Visitor, visitorOf } from './support.ts'

let idp: IdentityProvider
const world: World = useWorld({
  console: async (parts): Promise<Router> => {
    const { people } = world.cast.a
    const stranger = { email: 'nobody@example.com', name: 'Nobody' }
    const accounts = [people.owner, stranger, { ...people.admin, verified: false }]
    idp = await startIdentityProvider({ accounts, publicUrl: parts.url })
    const { issuer, clientId, clientSecret } = idp
    return consoleOf({}, methodOf(settingsOf.settings({ issuer, clientId, clientSecret })))(parts)
  },
})
afterAll(() => idp?.close())

let visitor: Visitor

type Seen = { at: string; text: string; status: number }

/** The same browser at the provider, where it has other cookies. It stops where the provider leads elsewhere. */
function browserThere(): (path: string, fields?: Record<string, string>) => Promise<Seen> {
  const cookies = new Map<string, string>()
  return async function ask(path: string, fields?: Record<string, string>): Promise<Seen> {
    const { href } = new URL(path, idp.issuer)
    const response = await fetch(href, {
      redirect: 'manual',
      headers: { Cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(fields && { method: 'POST', body: new URLSearchParams(fields) }),
    })
    for (const line of response.headers.getSetCookie()) {
      const { name, value = '' } = parseSetCookie(line)
      cookies.set(name, value)
    }
    const location = response.headers.get('location')
    const next = location === null ? undefined : new URL(location, href)
    if (next?.origin === idp.issuer) return ask(next.href)
    return { at: next?.href ?? href, text: await response.text(), status: response.status }
  }
}

/** Somebody signs in at the provider; gives the path at which the browser comes back here. */
async function signInThere(email: string, there = browserThere()): Promise<string> {
  const begun = await visitor.get('/console/sign-in/start')
  const page = await there(begun.location ?? '')
  const back = page.text.includes('Who are you?') ? await there(page.at, { account: email }) : page
  expect(back.at, back.text).toMatch(new RegExp(`^${world.service.url}/console/sign-in/callback\\?`))
  return back.at.slice(world.service.url.length)
}

describe('at a real provider', () => {
  it('somebody signs in, and out of both', async () => {
    visitor = visitorOf(world.service)
    const there = browserThere()
    const { email, name } = world.cast.a.people.owner
    expect((await visitor.get(await signInThere(email, there))).status).toBe(200)
    const list = await visitor.get(`/console/studios/${world.cast.a.id}/tokens`)
    expect(list.text).toContain(name)
    // Signed in there already, nobody is asked again.
    const again = await there((await visitor.get('/console/sign-in/start')).location ?? '')
    expect(again.at).toContain('/console/sign-in/callback?code=')

    await visitor.get(`/console/studios/${world.cast.a.id}/tokens`)
    const out = await visitor.post('/console/sign-out')
    expect(out.status, out.text).toBe(200)
    expect(visitor.cookies.has(sessionCookie)).toBe(false)
    const address = /content="0; url=([^"]+)"/.exec(out.text)?.[1]?.replaceAll('&amp;', '&') ?? ''
    expect(new URL(address).searchParams.get('id_token_hint')).toMatch(/^eyJ/)
    const asked = await there(address)
    const xsrf = /name="xsrf" value="([^"]+)"/.exec(asked.text)?.[1] ?? ''
    const left = await there('/session/end/confirm', { xsrf, logout: 'yes' })
    expect(left.at).toBe(`${world.service.url}/console/sign-in`)
    expect((await there((await visitor.get('/console/sign-in/start')).location ?? '')).text).toContain('Who are you?')
  })

  it.each<[what: string, email: () => string, says: string]>([
    ['nobody here', () => 'nobody@example.com', 'You have no access here yet'],
    ['an e-mail not verified', () => world.cast.a.people.admin.email, 'Your e-mail is not verified'],
    ['somebody who cancels', () => '', 'The sign-in was cancelled'],
  ])('%s gets a page that says so', async (_what, email, says) => {
    visitor = visitorOf(world.service)
    const page = await visitor.get(await signInThere(email()))
    expect(page.status).toBe(403)
    expect(page.text).toContain(says)
    expect(visitor.cookies.has(sessionCookie)).toBe(false)
  })
})
