import { beforeEach, describe, expect, it, vi } from 'vitest'
import { createReveal } from '../../src/apps/console/reveal.ts'
import { consoleOf, create, sessionCookie, useConsole, type Visitor, visitorOf } from './support.ts'

const world = useConsole()
let [owner, admin, member]: Visitor[] = []
beforeEach(async () => {
  const { people } = world.cast.a
  ;[owner, admin, member] = await Promise.all([people.owner, people.admin, people.member].map((who) => world.as(who)))
})
const as = (visitor: Visitor | undefined) => visitor as Visitor

const statusOf = async (token: string) => (await world.get('/v1/account', { token })).status
const countTokens = async () => Number((await world.owner<{ n: string }>('select count(*) n from access.tokens'))[0]?.n)
const idOf = async (name: string) =>
  (await world.owner<{ id: string }>('select id from access.tokens where name = $1', [name]))[0]?.id ?? ''
const logOf = (name: string) =>
  world.owner<{ event: string; email: string }>(
    `select l.event, u.email from access.audit_log l join access.users u on u.id = l.actor_user_id
     where l.token_name = $1 order by l.id`,
    [name],
  )
/** Calls a management function on studio A. */
const manage = (call: string, ...values: unknown[]) =>
  world.owner(`select access.${call}`, [world.cast.a.id, ...values])

describe('creating a token', () => {
  it('makes one that works, in the name of whoever is signed in, and writes the audit log', async () => {
    const token = await create(as(admin), world.tokens(), { name: 'By the admin' })
    expect(token).toMatch(/^svc_studio_[0-9A-Za-z]{32}$/)
    expect(await statusOf(token)).toBe(200)
    expect(await logOf('By the admin')).toEqual([{ event: 'token.issued', email: world.cast.a.people.admin.email }])
    const kept = await world.owner('select to_json(t)::text as row from access.tokens t')
    expect(JSON.stringify(kept)).not.toContain(token.slice('svc_studio_'.length))
  })

  it('shows the segment of the plan', async () => {
    const { id } = await world.newStudio({ plan: 'pro_insure' })
    await world.owner('select access.add_member($1, $2, $3, $4)', [id, world.cast.a.people.owner.email, '', 'admin'])
    const visitor = await world.as(world.cast.a.people.owner)
    expect(await create(visitor, world.tokens(id), { name: 'Pro' })).toMatch(/^svc_pro_\w{32}$/)
    await world.owner('select access.remove_member($1, $2)', [id, world.cast.a.people.owner.id])
  })

  it.each([
    ['no name', ''],
    ['blanks alone', ' \t '],
    ['101 characters', 'x'.repeat(101)],
    ['a NUL', 'a\0b'],
  ])('refuses %s, keeps what was typed, and makes none', async (_what, name) => {
    const before = await countTokens()
    const page = await as(owner).post(world.tokens(), { name, scope: world.cast.a.people.member.id })
    expect(page.status).toBe(422)
    expect(page.text).toContain('Give the token a name of 1 to 100 characters. No token was created.')
    expect(page.text).toContain(`<option value="${world.cast.a.people.member.id}" selected>`)
    expect(await countTokens()).toBe(before)
  })

  it('takes 100 characters, whatever they are, and shows them as typed', async () => {
    const name = `${'🎛'.repeat(50)}${'<b>&"\'`'.repeat(6)}  end `.padEnd(150, '.').slice(0, 150)
    expect([...name]).toHaveLength(100)
    await create(as(owner), world.tokens(), { name })
    const escaped = name.replace(
      /[&<>"']/g,
      (c) => `&${{ '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": '#39' }[c]};`,
    )
    expect((await as(owner).get(world.tokens())).text).toContain(escaped)
  })

  it('refuses a scope of somebody who is no current member: a stranger, another studio’s owner, no id', async () => {
    const before = await countTokens()
    const { outsider, b } = world.cast
    for (const scope of [outsider.id, b.people.owner.id, 'x', crypto.randomUUID()]) {
      const page = await as(owner).post(world.tokens(), { name: 'For a stranger', scope })
      expect(page.status).toBe(422)
      expect(page.text).toContain('is not a current member of the studio. No token was created.')
    }
    expect(await countTokens()).toBe(before)
  })

  it('offers a scope only when the studio has more than one member', async () => {
    expect((await as(owner).get(world.tokens())).text).toContain('Scope to team member')
    const { id } = await world.newStudio()
    const [only] = await world.owner<{ email: string }>(
      'select email from access.users u join access.members m on m.user_id = u.id where m.studio_id = $1',
      [id],
    )
    const visitor = await world.as(only ?? { email: '' })
    const page = await visitor.get(world.tokens(id))
    expect(page.text).toContain('Create a token')
    expect(page.text).not.toContain('Scope to team member')
  })

  it('is decided by the role and the plan at that moment, not by the page', async () => {
    await as(admin).get(world.tokens())
    const before = await countTokens()
    await manage('add_member($1, $2, $3, $4)', world.cast.a.people.admin.email, '', 'member')
    expect((await as(admin).post(world.tokens(), { name: 'Too late' })).status).toBe(403)
    await manage('add_member($1, $2, $3, $4)', world.cast.a.people.admin.email, '', 'admin')

    await manage('set_subscription($1, $2, $3, $4)', 'studio', 'trialing', '2020-01-01')
    const page = await as(owner).post(world.tokens(), { name: 'Too late' })
    expect(page.status).toBe(422)
    expect(page.text).toContain('Creating tokens needs a plan')
    expect(page.text).not.toContain('<h2>Create a token</h2>')
    expect(page.text).toContain(world.cast.a.token.prefix)
    await manage('set_subscription($1, $2, $3, $4)', 'studio', 'trialing', '2999-01-01')
    await create(as(owner), world.tokens(), { name: 'On a trial' })
    await manage('set_subscription($1, $2, $3)', 'studio', 'active')
    expect(await countTokens()).toBe(before + 1)
  })

  it('is limited per person', async () => {
    const service = await world.start({ console: consoleOf({ tokensPerMinute: 2 }) })
    const visitor = await world.as(world.cast.a.people.owner, service)
    const statuses: number[] = []
    for (let n = 0; n < 3; n++) statuses.push((await visitor.post(world.tokens(), { name: 'Many' })).status)
    expect(statuses).toEqual([303, 303, 429])
    const another = await world.as(world.cast.a.people.admin, service)
    expect((await another.post(world.tokens(), { name: 'Another person' })).status).toBe(303)
  })
})

describe('the page that shows the token', () => {
  it('is there once, for that session, studio and token, for a minute', async () => {
    const made = await as(owner).post(world.tokens(), { name: 'Once' })
    const path = made.location ?? ''
    const name = `studio-inventory-reveal-${await idOf('Once')}`
    const sealed = as(owner).cookies.get(name) ?? ''
    expect(made.headers.getSetCookie()[0]).toMatch(
      /^studio-inventory-reveal-[0-9a-f-]{36}=.*; Max-Age=60; Path=\/; HttpOnly; SameSite=Strict$/,
    )
    expect(made.text).not.toContain('svc_')
    // Another session cannot open what was sealed for this one.
    as(admin).cookies.set(name, sealed)
    expect((await as(admin).get(path)).text).not.toMatch(/svc_studio_\w{32}/)
    const other = await as(owner).post(world.tokens(), { name: 'Another' })
    as(owner).cookies.set(`studio-inventory-reveal-${await idOf('Another')}`, sealed)
    expect((await as(owner).get(other.location ?? '')).text).not.toMatch(/svc_studio_\w{32}/)

    const shown = await as(owner).get(path)
    const [token = ''] = /svc_studio_\w{32}/.exec(shown.text) ?? []
    expect(await statusOf(token)).toBe(200)
    expect(shown.headers.get('cache-control')).toBe('no-store')
    expect(shown.text).toContain(`'${world.service.url}/v1/items?per_page=2'`.replaceAll("'", '&#39;'))
    expect(as(owner).cookies.has(name)).toBe(false)
    // Not even with the cookie that was taken away.
    as(owner).cookies.set(name, sealed)
    const again = await as(owner).get(path)
    expect(again.text).toContain('A new token is shown once and cannot be shown again.')
    expect(again.text).not.toContain(token.slice(-28))
    expect(sealed).not.toContain(token.slice(-28))
    expect(world.service.log()).not.toContain(token.slice(-28))
  })

  it('of two tokens created at once is there for each', async () => {
    const first = await as(owner).post(world.tokens(), { name: 'First of two' })
    const second = await as(owner).post(world.tokens(), { name: 'Second of two' })
    const pages = [await as(owner).get(first.location ?? ''), await as(owner).get(second.location ?? '')]
    const tokens = pages.map(({ text }) => /svc_studio_\w{32}/.exec(text)?.[0] ?? '')
    expect(new Set(tokens).size).toBe(2)
    expect(await Promise.all(tokens.map(statusOf))).toEqual([200, 200])
  })

  it('is not used up by asking for its headers', async () => {
    const made = await as(owner).post(world.tokens(), { name: 'Head' })
    const head = await fetch(`${world.service.url}${made.location}`, {
      method: 'HEAD',
      headers: { Cookie: [...as(owner).cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
    })
    expect([head.status, head.headers.getSetCookie()]).toEqual([200, []])
    expect((await as(owner).get(made.location ?? '')).text).toMatch(/svc_studio_\w{32}/)
  })

  it('is sealed for a minute', async () => {
    const { seal, open } = createReveal('a secret')
    const place = { session: Buffer.alloc(32), tokenId: 'one' }
    const sealed = await seal({ name: 'x', token: 'y' }, place)
    expect(await open(sealed, place)).toEqual({ name: 'x', token: 'y' })
    vi.setSystemTime(Date.now() + 62_000)
    try {
      expect(await open(sealed, place)).toBeNull()
    } finally {
      vi.useRealTimers()
    }
  })
})

describe('revoking', () => {
  it('acts on the very next request, keeps the record, and again changes nothing', async () => {
    const token = await create(as(owner), world.tokens(), { name: 'To revoke' })
    const path = `${world.tokens()}/${await idOf('To revoke')}/revoke`
    expect((await as(admin).get(path)).text).toContain('Revoke this token?')
    expect((await as(admin).post(path)).location).toBe(path.replace('/revoke', ''))
    expect(await statusOf(token)).toBe(401)
    const listed = (await as(owner).get(world.tokens())).text
    expect(listed).toMatch(/To revoke[\s\S]*?<dt>Revoked<\/dt>/)
    expect((await as(owner).post(path)).status).toBe(303)
    expect(await logOf('To revoke')).toEqual([
      { event: 'token.issued', email: world.cast.a.people.owner.email },
      { event: 'token.revoked', email: world.cast.a.people.admin.email },
    ])
    expect((await as(owner).get(path)).status).toBe(303)
  })

  it('by 50 at once writes one line of the audit log', async () => {
    await create(as(owner), world.tokens(), { name: 'Fifty' })
    const path = `${world.tokens()}/${await idOf('Fifty')}/revoke`
    await as(admin).get(path)
    const visitors = Array.from({ length: 50 }, (_, n) => as(n % 2 ? owner : admin))
    const pages = await Promise.all(visitors.map((visitor) => visitor.post(path)))
    expect(new Set(pages.map(({ status }) => status))).toEqual(new Set([303]))
    expect((await logOf('Fifty')).map(({ event }) => event)).toEqual(['token.issued', 'token.revoked'])
  })
})

it('a token for a member who is being removed at that moment is never a stranger’s', async () => {
  const email = 'coming.and.going@example.com'
  for (let n = 0; n < 20; n++) {
    const [person] = await manage('add_member($1, $2, $3, $4) as id', email, 'Coming', 'member')
    const id = Reflect.get(Object(person), 'id')
    const [page] = await Promise.all([
      as(owner).post(world.tokens(), { name: `Race ${n}`, scope: id }),
      manage('remove_member($1, $2)', id),
    ])
    const made = await world.owner<{ scope_user_id: string | null }>(
      'select scope_user_id from access.tokens where name = $1',
      [`Race ${n}`],
    )
    expect(made).toEqual(page.status === 303 ? [{ scope_user_id: null }] : [])
  }
})

it('a token whose scoped member was removed says as whom it acts now', async () => {
  const [person] = await manage('add_member($1, $2, $3, $4) as id', 'leaving@example.com', 'Lea Leaving', 'member')
  const id = Reflect.get(Object(person), 'id')
  await create(as(owner), world.tokens(), { name: 'Of Lea', scope: id })
  expect((await as(member).get(world.tokens())).text).toContain('Scoped to Lea Leaving')
  await manage('remove_member($1, $2)', id)
  const page = (await as(member).get(world.tokens())).text
  expect(page).not.toContain('Scoped to Lea Leaving')
  expect(page).toContain(
    `Lea Leaving, to whom it was scoped, was removed from the studio. Since then it acts as ${world.cast.a.people.owner.name}.`,
  )
})

it('a token whose issuer was removed says that it is refused', async () => {
  await manage('add_member($1, $2, $3, $4)', world.cast.outsider.email, '', 'admin')
  const visitor = await world.as(world.cast.outsider)
  const token = await create(visitor, world.tokens(), { name: 'Of the outsider' })
  await manage('remove_member($1, $2)', world.cast.outsider.id)
  expect(await statusOf(token)).toBe(401)
  expect((await as(owner).get(world.tokens())).text).toContain(
    `${world.cast.outsider.name}, as whom it acts, is no longer a member: requests with it are refused.`,
  )
  expect((await visitor.get(world.tokens())).status).toBe(404)
})

describe('a member', () => {
  it('reads, and is offered and allowed nothing else', async () => {
    const page = (await as(member).get(world.tokens())).text
    expect(page).toContain(world.cast.a.token.prefix)
    expect(page).not.toMatch(/Create a token|data-revoke|Scope to team member|Audit log/)
    const before = await countTokens()
    expect((await as(member).post(world.tokens(), { name: 'Mine' })).status).toBe(403)
    const path = `${world.tokens()}/${world.cast.a.token.id}`
    expect((await as(member).get(`${path}/revoke`)).status).toBe(404)
    expect((await as(member).post(`${path}/revoke`)).status).toBe(403)
    expect((await as(member).get(`/console/studios/${world.cast.a.id}/audit-log`)).status).toBe(403)
    expect(await countTokens()).toBe(before)
    expect(await statusOf(world.cast.a.token.token)).toBe(200)
    await world.service.recorder.flush()
    expect((await as(member).get(path)).text).toContain('/v1/account')
  })
})

describe('another studio', () => {
  it('is not there: its pages, its tokens in a path of one’s own, its people', async () => {
    const { a, b } = world.cast
    const known = (await as(owner).get(`/console/studios/${crypto.randomUUID()}/tokens`)).text
    for (const path of [
      world.tokens(b.id),
      `${world.tokens(b.id)}/${b.token.id}`,
      `${world.tokens(b.id)}/${b.token.id}/revoke`,
      `/console/studios/${b.id}/audit-log`,
      `${world.tokens(a.id)}/${b.token.id}`,
      `${world.tokens(a.id)}/${b.token.id}/revoke`,
      '/console/studios/x/tokens',
    ]) {
      const page = await as(owner).get(path)
      expect({ path, status: page.status }).toEqual({ path, status: 404 })
      expect(page.text).toBe(known)
    }
    for (const path of [world.tokens(b.id), `${world.tokens(a.id)}/${b.token.id}/revoke`]) {
      expect((await as(owner).post(path, { name: 'Foreign' })).status).toBe(404)
    }
    expect(await statusOf(b.token.token)).toBe(200)
    world.cast.expectNoCanary((await as(owner).get(world.tokens())).text)
  })

  it('whose member one is as well is chosen from a list', async () => {
    await manage('add_member($1, $2, $3, $4)', world.cast.b.people.owner.email, '', 'member')
    const visitor = await world.as(world.cast.b.people.owner)
    const page = await visitor.get('/console')
    expect(page.status).toBe(200)
    expect(page.text).toContain(world.tokens())
    expect(page.text).toContain(world.tokens(world.cast.b.id))
    await manage('remove_member($1, $2)', world.cast.b.people.owner.id)
  })
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

it('where the public API is off there is no page of tokens, none is created, and the API is closed', async () => {
  await manage('set_public_api($1, $2)', false)
  const home = await as(owner).get('/console')
  expect(home.text).toContain('The public API is not available for this studio.')
  expect(home.text).not.toContain(world.tokens())
  expect((await as(owner).get(world.tokens())).status).toBe(404)
  expect((await as(owner).post(world.tokens(), { name: 'Off' })).status).toBe(404)
  expect(await statusOf(world.cast.a.token.token)).toBe(403)
  await manage('set_public_api($1, $2)', true)
  expect(await statusOf(world.cast.a.token.token)).toBe(200)
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

it('no page is kept, framed or given a script of its own; other methods are refused', async () => {
  for (const path of ['/console/sign-in', world.tokens(), '/console/nowhere']) {
    const { headers } = await as(owner).get(path)
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    )
    expect(headers.get('referrer-policy')).toBe('same-origin')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
  }
  const put = await fetch(`${world.service.url}/console/sign-in`, { method: 'PUT' })
  expect([put.status, put.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST'])
})

it('a database that is away is a page that says so', async () => {
  const service = await world.start({ console: consoleOf(), reach: (url) => url.replace(/:\d+\//, ':1/') })
  const visitor = visitorOf(service)
  visitor.cookies.set(sessionCookie, 'A'.repeat(43))
  const page = await visitor.get('/console')
  expect([page.status, page.headers.get('retry-after')]).toEqual([503, '2'])
  expect(page.text).toContain('Quote this to support')
})
