import { beforeEach, describe, expect, it } from 'vitest'
import { consoleOf, sessionCookie, tokensOf, useConsole, type Visitor, visitorOf } from './support.ts'

const world = useConsole()
const { as, countTokens } = tokensOf(world)
let [owner, admin]: Visitor[] = []
beforeEach(async () => {
  const { people } = world.cast.a
  ;[owner, admin] = await Promise.all([people.owner, people.admin].map((who) => world.as(who)))
})

it('the audit log is read to its end', async () => {
  const names = Array.from({ length: 205 }, (_, n) => `Entry ${n}`)
  for (const name of names) {
    await world.owner(
      `insert into access.audit_log (studio_id, event, actor_user_id, token_id, token_name, token_prefix)
       values ($1, 'token.issued', $2, $3, $4, 'svc_studio_abcd')`,
      [world.cast.a.id, world.cast.a.people.owner.id, world.cast.a.token.id, name],
    )
  }
  const found: string[] = []
  for (let path: string | undefined = `/console/studios/${world.cast.a.id}/audit-log`; path; ) {
    const { text }: { text: string } = await as(admin).get(path)
    found.push(...[...text.matchAll(/>(Entry \d+)</g)].map(([, name]) => name ?? ''))
    path = /href="([^"]+\?before=\d+)"/.exec(text)?.[1]
  }
  expect(found).toEqual(names.toReversed())
  expect((await as(admin).get(`/console/studios/${world.cast.a.id}/audit-log?before=x`)).status).toBe(404)
})

it('the audit log shows what was corrected, from what to what, and by whom', async () => {
  const { id, people } = world.cast.a
  const text = `select access.set_category_terms($1, 'drums & percussion', 25, 'yes', $2)`
  await world.owner(text, [id, people.admin.id])
  const page = (await as(owner).get(`/console/studios/${id}/audit-log`)).text
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ')
  expect(page).toContain(
    `Depreciation of a category changed The studio ${people.admin.name} ${people.admin.email} Drums &amp; Percussion: ` +
      'by useful life → 25 %, switches to straight line',
  )
})

describe('a form is taken only', () => {
  it('with the CSRF token of this session', async () => {
    const before = await countTokens()
    const page = await as(admin).get(world.tokens())
    const issued = /name="csrf_token" value="([^"]+)"/.exec(page.text)?.[1] ?? ''
    for (const csrf_token of ['', 'x', issued, `${issued.slice(0, -2)}AA`]) {
      expect((await as(owner).post(world.tokens(), { name: 'Forged', csrf_token })).status).toBe(403)
    }
    expect(await countTokens()).toBe(before)
  })

  it('from a page of this host', async () => {
    const { port } = world.service
    for (const Origin of ['https://evil.example', 'null', 'http://127.0.0.1:1', `https://127.0.0.1:${port}`, '']) {
      const page = await as(owner).post(world.tokens(), { name: 'From elsewhere' }, { Origin })
      expect(page.status).toBe(403)
    }
  })

  it('when it can be read', async () => {
    const large = await as(owner).post(world.tokens(), { name: 'x'.repeat(40_000) })
    expect(large.status).toBe(413)
    const json = await as(owner).post(world.tokens(), {}, { 'Content-Type': 'application/json' })
    expect(json.status).toBe(403)
  })
})

it('other methods are refused', async () => {
  const put = await fetch(`${world.service.url}/console/sign-in`, { method: 'PUT' })
  expect([put.status, put.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
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
    const { headers } = await as(owner).get(path, { 'Accept-Encoding': 'br, gzip' })
    expect(headers.get('content-encoding'), path).toBe(null)
  }
})
