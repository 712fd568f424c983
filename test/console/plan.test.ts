import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { rateLimits, tokensOf, useConsole, type Visitor } from './support.ts'

const world = useConsole()
const { as, manage } = tokensOf(world)
const path = () => world.tokens().replace('/tokens', '/plan')
let [owner, admin, member]: Visitor[] = []
beforeEach(async () => {
  const { people } = world.cast.a
  ;[owner, admin, member] = await Promise.all([people.owner, people.admin, people.member].map((who) => world.as(who)))
})
afterEach(() => plan('studio', 'active'))

const plan = (...values: unknown[]) =>
  manage(`set_subscription($1${values.map((_, index) => `, $${index + 2}`).join('')})`, ...values)

/** What the page says of a studio, without markup. */
async function said(visitor: Visitor | undefined = owner): Promise<string> {
  const { status, text } = await as(visitor).get(path())
  expect(status, text).toBe(200)
  return text
    .slice(text.indexOf('<main'))
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .replace(/ ([:.,])/g, '$1')
}

const [past, future] = ['2020-03-01T00:00:00Z', '2199-03-01T00:00:00Z']

describe('the plan of a studio', () => {
  it('is shown to owners and admins: its name, its period, what it includes and who can change it', async () => {
    await plan('studio', 'active', null, '2190-03-01T00:00:00Z', future, 'year')
    for (const visitor of [owner, admin]) {
      const text = await said(visitor)
      expect(text).toContain('Studio plan Active')
      expect(text).toContain('Billing period 2190-03-01 00:00 UTC to 2199-03-01 00:00 UTC')
      expect(text).toContain('Renews Every year, automatically')
      expect(text).toContain('API Included: API tokens can be created and used.')
      const { perSecond, perMinute } = rateLimits.studio
      expect(text).toContain(`Up to ${perSecond} a second and ${perMinute} a minute with each token.`)
      expect(text).toContain('Locations All are shown by the API.')
      expect(text).toContain('Ask the operator of this service to change it')
    }
    expect((await as(admin).get(path())).text).toContain('aria-current="page">Plan</a>')
  })

  it('is hidden from members, other studios and people who have not signed in', async () => {
    expect((await as(member).get(path())).status).toBe(403)
    expect((await as(member).get(world.tokens())).text).not.toContain('/plan"')
    expect((await (await world.as(world.cast.b.people.owner)).get(path())).status).toBe(404)
    expect((await world.stranger().get(path())).location).toContain('/sign-in')
  })

  it.each([
    ['Pro', ['pro', 'active'], ['Pro plan Active', 'The API shows only the default location.']],
    [
      'a trial',
      ['pro', 'trialing', future],
      ['Pro plan Trial', 'Trial ends 2199-03-01', 'Included until 2199-03-01 00:00'],
    ],
    ['a trial that is over', ['pro', 'trialing', past], ['Trial ended 2020-03-01', 'Not included since 2020-03-01']],
    [
      'a canceled one that is paid for',
      ['studio', 'canceled', null, past, future],
      ['Studio plan Cancelled', 'Included until 2199-03-01 00:00 UTC: API tokens can be created and used until then.'],
    ],
    [
      'one that is past due',
      ['studio', 'past_due', null, past, future],
      ['Studio plan Payment overdue', 'Included until 2199-03-01'],
    ],
    ['a canceled one without dates', ['studio', 'canceled'], ['API Not included: requests with tokens']],
  ] as const)('says of %s until when it includes the API', async (_what, values, expected) => {
    await plan(...values)
    const text = await said()
    for (const part of expected) expect(text).toContain(part)
    expect(text.includes('a minute with each token')).toBe(!text.includes('Not included'))
  })

  it('is there where the public API is off, and says so', async () => {
    await manage('set_public_api($1, $2)', false)
    const text = await said()
    await manage('set_public_api($1, $2)', true)
    expect(text).toContain('Studio plan Active')
    expect(text).toContain('The public API is not available for this studio.')
  })

  it('is found from every page of the studio, and from where a studio without a plan reads that it needs one', async () => {
    await plan('studio', 'canceled')
    expect((await as(owner).get(world.tokens())).text).toContain(`<a href="${path()}">The plan of`)
    await manage('set_public_api($1, $2)', false)
    const home = await as(owner).get(world.page('overview'))
    await manage('set_public_api($1, $2)', true)
    expect(home.text).toContain(`<a href="${path()}">Plan`)
  })
})
