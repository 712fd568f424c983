import { describe, expect, it } from 'vitest'
import { startProvider } from './provider.ts'
import { consoleOf, methodOf, provider, signIn, useConsole, visitorOf } from './support.ts'

const world = useConsole()
const owner = () => world.cast.a.people.owner

describe('a provider that does not answer', () => {
  it('is said on the sign-in page, and works again once it does; the others work meanwhile', async () => {
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
    expect(
      new URL((await visitor.get('/console/sign-in/start/2')).location ?? '').searchParams.get('redirect_uri'),
    ).toBe(`${service.url}/console/sign-in/callback/2`)
  })

  it.each(['token', 'keys'] as const)('at its %s is no reason to refuse anybody', async (part) => {
    const other = await startProvider()
    other.away[part] = true
    const service = await world.start({ console: consoleOf({}, methodOf(other.settings())) })
    expect((await signIn(visitorOf(service), owner().email, {}, other)).status).toBe(503)
  })
})
