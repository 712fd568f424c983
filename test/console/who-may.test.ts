import { describe, expect, it } from 'vitest'
import { consoleOf, sessionCookie, signedIn, tokensOf, useConsole, visitorOf } from './support.ts'

const world = useConsole()
const { statusOf, countTokens, manage } = tokensOf(world)
const by = signedIn(world, ['owner', 'admin', 'member'])

describe('a member', () => {
  it('reads, and is offered and allowed nothing else', async () => {
    const page = (await by.member.get(world.tokens())).text
    expect(page).toContain(world.cast.a.token.prefix)
    expect(page).not.toMatch(/Create a token|data-revoke|Scope to team member|Audit log/)
    const before = await countTokens()
    expect((await by.member.post(world.tokens(), { name: 'Mine' })).status).toBe(403)
    // The service does not judge what they sent before it knows who they are.
    expect((await by.member.post(world.tokens(), { name: '' })).status).toBe(403)
    const path = `${world.tokens()}/${world.cast.a.token.id}`
    expect((await by.member.get(`${path}/revoke`)).status).toBe(404)
    expect((await by.member.post(`${path}/revoke`)).status).toBe(403)
    expect((await by.member.get(world.page('audit-log'))).status).toBe(403)
    expect(await countTokens()).toBe(before)
    expect(await statusOf(world.cast.a.token.token)).toBe(200)
    await world.service.recorder.flush()
    expect((await by.member.get(path)).text).toContain('/v1/account')
  })
})

describe('another studio', () => {
  it('is not there: its pages, its tokens in a path of one’s own, its people', async () => {
    const { a, b } = world.cast
    const nothing = crypto.randomUUID()
    const noStudio = (await by.owner.get(world.tokens(nothing))).text
    const noToken = (await by.owner.get(`${world.tokens(a.id)}/${nothing}`)).text
    for (const path of [
      world.tokens(b.id),
      `${world.tokens(b.id)}/${b.token.id}`,
      `${world.tokens(b.id)}/${b.token.id}/revoke`,
      world.page('audit-log', b.id),
      `${world.tokens(a.id)}/${b.token.id}`,
      `${world.tokens(a.id)}/${b.token.id}/revoke`,
      '/console/studios/x/tokens',
    ]) {
      const page = await by.owner.get(path)
      expect({ path, status: page.status }).toEqual({ path, status: 404 })
      expect(page.text).toBe(path.startsWith(world.tokens(a.id)) ? noToken : noStudio)
    }
    for (const path of [world.tokens(b.id), `${world.tokens(a.id)}/${b.token.id}/revoke`]) {
      expect((await by.owner.post(path, { name: 'Foreign' })).status).toBe(404)
    }
    expect(await statusOf(b.token.token)).toBe(200)
    world.cast.expectNoCanary((await by.owner.get(world.tokens())).text)
  })

  it('whose member one is as well is chosen from a list', async () => {
    await manage('add_member($1, $2, $3, $4)', world.cast.b.people.owner.email, '', 'member')
    const visitor = await world.as(world.cast.b.people.owner)
    const page = await visitor.get('/console')
    expect(page).toMatchObject({ status: 200, text: expect.stringContaining(world.page('overview')) })
    expect(page.text).toContain(world.page('overview', world.cast.b.id))
    await manage('remove_member($1, $2)', world.cast.b.people.owner.id)
  })
})

it('without the public API, there is no token page, no new token, and no API', async () => {
  await manage('set_public_api($1, $2)', false)
  const home = await by.owner.get(world.page('overview'))
  expect(home.status).toBe(200)
  expect(home.text).not.toContain(world.tokens())
  const page = await by.owner.get(world.tokens())
  expect(page).toMatchObject({ status: 404, text: expect.stringContaining('The operator of this service turns it on') })
  for (const tab of ['overview', 'items', 'members', 'import', 'report', 'audit-log', 'plan']) {
    expect(page.text).toContain(`<a href="${world.page(tab)}">`)
  }
  const stranger = await world.as(world.cast.b.people.owner)
  expect((await stranger.get(world.tokens())).text).not.toContain('turns it on')
  expect((await by.owner.post(world.tokens(), { name: 'Off' })).status).toBe(404)
  expect(await statusOf(world.cast.a.token.token)).toBe(403)
  await manage('set_public_api($1, $2)', true)
  expect(await statusOf(world.cast.a.token.token)).toBe(200)
})

it('the audit log is read to its end', async () => {
  const names = Array.from({ length: 205 }, (_, n) => `Entry ${n}`)
  await world.owner(
    `insert into access.audit_log (studio_id, event, actor_user_id, token_id, token_name, token_prefix)
     select $1, 'token.issued', $2, $3, n.name, 'svc_studio_abcd' from unnest($4::text[]) with ordinality n (name, at)
     order by n.at`,
    [world.cast.a.id, world.cast.a.people.owner.id, world.cast.a.token.id, names],
  )
  const found: string[] = []
  for (let path: string | undefined = world.page('audit-log'); path; ) {
    const { text }: { text: string } = await by.admin.get(path)
    found.push(...[...text.matchAll(/>(Entry \d+)</g)].map(([, name]) => name ?? ''))
    path = /href="([^"]+\?before=\d+)"/.exec(text)?.[1]
  }
  expect(found).toEqual(names.toReversed())
  expect((await by.admin.get(world.page('audit-log?before=x'))).status).toBe(404)
})

it('the audit log shows what was corrected, from what to what, and by whom', async () => {
  const { id, people } = world.cast.a
  const text = `select access.set_category_terms($1, 'drums & percussion', 25, 'yes', $2)`
  await world.owner(text, [id, people.admin.id])
  const { text: shown } = await by.owner.get(world.page('audit-log'))
  expect(shown.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ')).toContain(
    `Depreciation of a category changed The studio ${people.admin.name} ${people.admin.email} Drums &amp; Percussion: ` +
      'by useful life → 25 %, switches to straight line',
  )
})

describe('a form is taken only', () => {
  it('with the CSRF token of this session', async () => {
    const before = await countTokens()
    const page = await by.admin.get(world.tokens())
    const issued = /name="csrf_token" value="([^"]+)"/.exec(page.text)?.[1] ?? ''
    for (const csrf_token of ['', 'x', issued, `${issued.slice(0, -2)}AA`]) {
      expect((await by.owner.post(world.tokens(), { name: 'Forged', csrf_token })).status).toBe(403)
    }
    expect(await countTokens()).toBe(before)
  })

  it('from a page of this host', async () => {
    const { port } = world.service
    for (const Origin of ['https://evil.example', 'null', 'http://127.0.0.1:1', `https://127.0.0.1:${port}`, '']) {
      expect((await by.owner.post(world.tokens(), { name: 'From elsewhere' }, { Origin })).status).toBe(403)
    }
  })

  it('when it can be read', async () => {
    expect((await by.owner.post(world.tokens(), { name: 'x'.repeat(40_000) })).status).toBe(413)
    const json = { 'Content-Type': 'application/json' }
    expect((await by.owner.post(world.tokens(), {}, json)).status).toBe(403)
  })
})

it('a database that is away is a page that says so', async () => {
  const service = await world.start({ console: consoleOf(), reach: (url) => url.replace(/:\d+\//, ':1/') })
  const visitor = visitorOf(service)
  visitor.cookies.set(sessionCookie, 'A'.repeat(43))
  const page = await visitor.get('/console')
  expect([page.status, page.headers.get('retry-after')]).toEqual([503, '2'])
  expect(page.text).toContain('Quote this to support')
})

it('no page is compressed: its length would tell about the CSRF token in it', async () => {
  for (const path of ['/console/sign-in', world.tokens(), '/console/nowhere']) {
    const { headers } = await by.owner.get(path, { 'Accept-Encoding': 'br, gzip' })
    expect(headers.get('content-encoding'), path).toBe(null)
  }
})
