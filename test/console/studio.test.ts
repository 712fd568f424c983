import { parse } from 'csv-parse/sync'
import sharp from 'sharp'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { putPhoto } from '../support/world.ts'
import { rateLimits, signedIn, tokensOf, useConsole, type Visitor } from './support.ts'

const world = useConsole()
const roles = ['owner', 'admin', 'member'] as const
const { manage } = tokensOf(world)
const by = signedIn(world, roles)
let foreign: Visitor
beforeAll(async () => {
  foreign = await world.as(world.cast.b.people.owner)
})

/** The pages of A's studio, with what each must show of it. */
const pages = {
  overview: () => [world.page('overview'), 'Under-Declared', 'Microphones', 'items?without=photo'],
  items: () => [world.page('items'), 'Large microphone', 'Rack 1', 'Value Unknown', 'items.csv'],
  'an item': () => [
    ...[world.page(`items/${world.cast.a.items.microphone}`), '4006381333931', 'Live room › Rack 1', 'Studio cover'],
    ...['The market value of', 'but market value comes first', 'Depreciation schedule', 'Check the capsule'],
  ],
  policies: () => [world.page('policies'), 'Studio cover', '€100,000.00', '€250.00', '21% of the limit'],
  'a policy': () => [
    ...[world.page(`policies/${world.cast.a.policies.active}`), 'fire, theft', 'Console', 'Large microphone'],
  ],
  maintenance: () => [world.page('maintenance'), 'Check the capsule', 'Workshop', '1 Apr 2027'],
} satisfies Record<string, () => string[]>

describe.each(Object.entries(pages))('%s', (_name, of) => {
  it.each(roles)('shows the studio to an %s', async (role) => {
    const [path = '', ...shown] = of()
    const { status, text } = await by[role].get(path)
    expect({ status, missing: shown.filter((words) => !text.includes(words)) }).toEqual({ status: 200, missing: [] })
    world.cast.expectNoCanary(text)
    expect(text).not.toMatch(/Sold amplifier|Kx9unseen|<script(?![^>]* src=)|style=/)
  })

  it('shows nothing to anybody else', async () => {
    const [path = ''] = of()
    const nowhere = await foreign.get(world.page('overview', crypto.randomUUID()))
    const page = await foreign.get(path)
    expect([page.status, page.text]).toEqual([404, nowhere.text])
    expect((await world.stranger().get(path)).location).toBe('/console/sign-in')
  })
})

it('what another studio has among its items, policies and photos is not found, nor is an archived item', async () => {
  const { a, b } = world.cast
  const [photo] = await world.owner<{ id: string }>('select id from app.item_photos where studio_id = $1', [b.id])
  const theirs = [`items/${b.items.microphone}`, `policies/${b.policies.active}`, `photos/${photo?.id}/small`]
  for (const path of [...theirs, `items/${a.items.archived}`])
    expect((await by.owner.get(world.page(path))).status, path).toBe(404)
})

it.each(['archive_studio($1, true, $2)', 'begin_removal($1, $2)'])(
  'after access.%s the studio is not there any more for its owner',
  async (call) => {
    const { id, owner } = await world.newStudio()
    const [person] = await world.owner<{ email: string }>('select email from access.users where id = $1', [owner])
    const visitor = await world.as(person ?? { email: '' })
    expect((await visitor.get(world.page('overview', id))).status).toBe(200)
    await world.owner(`select access.${call}`, [id, owner])
    expect((await visitor.get(world.page('overview', id))).status).toBe(404)
  },
)

it('a change shows in the overview at once', async () => {
  const id = await world.add('items', { name: 'New arrival', purchase_price: 1_000_000 })
  expect((await by.member.get(world.page('overview'))).text).toMatch(/Value<\/dt><dd><strong>€1,0\d\d,/)
  await world.change('items', id, { archived_at: '2026-01-01T00:00:00Z' })
  expect((await by.member.get(world.page('overview'))).text).not.toMatch(/Value<\/dt><dd><strong>€1,0\d\d,/)
})

const namesIn = (text: string) =>
  [...text.matchAll(/<td><a class="typed" href="[^"]+">([^<]+)</g)].map(([, name]) => name)

it.each([
  ['q=m49+maker', ['Large microphone']],
  ['category=Guitars+%26+Basses', ['Guitar']],
  ['coverage=uninsured', ['Compressor']],
  ['without=value', ['Box of odds and ends', 'Tape machine']],
  ['without=serial&location=ROOM', ['Console']],
  ['without=photo&coverage=fully_covered', ['Console']],
  ['location=ROOM', ['Console', 'Large microphone']],
  ['location=ROOM&order=value', ['Console', 'Large microphone']],
  ['location=ROOM&order=value-up', ['Large microphone', 'Console']],
  ['q=nothing+like+it', []],
  ['page=9', []],
])('the items of ?%s are those', async (query, names) => {
  const asked = query.replace('ROOM', world.cast.a.locations.room)
  const { status, text } = await by.member.get(world.page(`items?${asked}`))
  expect([status, namesIn(text)]).toEqual([200, names])
  const csv = await by.member.get(world.page(`items.csv?${asked}`))
  const rows: Record<string, string>[] = parse(csv.text, { columns: true, bom: true })
  if (query !== 'page=9') expect(rows.map(({ Name }) => Name)).toEqual(names)
})

it('a photo is shown small, and to members alone', async () => {
  const { microphone } = world.cast.a.items
  const picture = sharp({ create: { width: 900, height: 600, channels: 3, background: '#336699' } })
  await putPhoto(world.photosDir, world.cast.a.photoKeys[0] ?? '', await picture.png().toBuffer())
  const { text } = await by.member.get(world.page('items'))
  const path = /<img src="([^"]+\/small)"/.exec(text)?.[1] ?? ''
  const { status, headers } = await by.member.get(path)
  const shown = [status, headers.get('content-type'), headers.get('cache-control')]
  expect(shown).toEqual([200, 'image/jpeg', 'private, max-age=3600'])
  expect((await foreign.get(path)).status).toBe(404)
  expect((await by.member.get(world.page(`items/${microphone}`))).text).toContain(path.replace('small', 'large'))
})

it('a photo that cannot be shown is a picture that says why', async () => {
  const page = (await by.member.get(world.page(`items/${world.cast.a.items.microphone}`))).text
  const path = /<img src="([^"]+\/large)"/.exec(page)?.[1] ?? ''
  const shownWith = async (content: Buffer) => {
    await putPhoto(world.photosDir, world.cast.a.photoKeys[0] ?? '', content)
    const { status, headers, text } = await by.member.get(path)
    return [status, headers.get('content-type'), headers.get('cache-control'), />([^<]+)<\/text>/.exec(text)?.[1]]
  }
  const refused = (why: string) => [404, 'image/svg+xml', 'no-store', why]
  const wide = sharp({ create: { width: 20_001, height: 2, channels: 3, background: '#336699' } })
  expect(await shownWith(await wide.jpeg().toBuffer())).toEqual(refused('too large'))
  expect(await shownWith(Buffer.from('no picture'))).toEqual(refused('unreadable'))
})

it('closed months are a line, and a table of the same sums', async () => {
  const { id } = world.cast.a
  await world.asOwner(async (transaction) => {
    await transaction.query(`select pg_catalog.set_config('studio.id', $1, true)`, [id])
    await transaction.query(
      `insert into app.closings (studio_id, month_end, items, estimated_value, reported_insured_value)
       values ($1, '2025-01-31', 7, 30000, 21000), ($1, '2025-02-28', 7, 29000.50, 21000)`,
      [id],
    )
  })
  const { text } = await by.member.get(world.page('overview'))
  expect(text).toMatch(/<polyline class="accent" points="0\.00,40\.00 \d+\.00,42\.00 /)
  expect(text).toContain('Declared</th>')
  expect(text).toMatch(/Feb 2025<\/th><td class="number">€29,000\.50<\/td>/)
})

const plan = (...values: unknown[]) =>
  manage(`set_subscription($1${values.map((_, index) => `, $${index + 2}`).join('')})`, ...values)

/** The text of the page, without markup. */
async function said(visitor = by.owner): Promise<string> {
  const { status, text } = await visitor.get(world.page('plan'))
  expect(status, text).toBe(200)
  const words = text.slice(text.indexOf('<main')).replace(/<[^>]*>/g, ' ')
  return words.replace(/\s+/g, ' ').replace(/ ([:.,])/g, '$1')
}

const [past, future] = ['2020-03-01T00:00:00Z', '2199-03-01T00:00:00Z']

describe('the plan of a studio', () => {
  afterEach(() => plan('studio', 'active'))

  it('is shown to owners and admins: its name, its period, what it includes and who can change it', async () => {
    await plan('studio', 'active', null, '2190-03-01T00:00:00Z', future, 'year')
    for (const visitor of [by.owner, by.admin]) {
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
    expect((await by.admin.get(world.page('plan'))).text).toContain('aria-current="page">Plan</a>')
  })

  it('is hidden from members, other studios and people who have not signed in', async () => {
    expect((await by.member.get(world.page('plan'))).status).toBe(403)
    expect((await by.member.get(world.tokens())).text).not.toContain('/plan"')
    expect((await foreign.get(world.page('plan'))).status).toBe(404)
    expect((await world.stranger().get(world.page('plan'))).location).toContain('/sign-in')
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
      'one past due',
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

  it('is there where the public API is off, says so, and is found from every page', async () => {
    await manage('set_public_api($1, $2)', false)
    const [text, home] = [await said(), await by.owner.get(world.page('overview'))]
    await manage('set_public_api($1, $2)', true)
    expect(text).toContain('Studio plan Active')
    expect(text).toContain('The public API is not available for this studio.')
    expect(home.text).toContain(`<a href="${world.page('plan')}">Plan`)
  })
})
