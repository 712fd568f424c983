import { beforeAll, describe, expect, it } from 'vitest'
import { create, signedIn, tokensOf, useConsole } from './support.ts'

const world = useConsole()
const { statusOf, idOf, logOf, manage } = tokensOf(world)
const by = signedIn(world, ['owner', 'admin', 'member'])

/** Adds a member; their id. */
async function add(email: string, name: string): Promise<string> {
  const [person] = await manage('add_member($1, $2, $3, $4) as id', email, name, 'member')
  return Reflect.get(Object(person), 'id')
}

describe('revoking', () => {
  it('acts on the very next request, keeps the record, and again changes nothing', async () => {
    const token = await create(by.owner, world.tokens(), { name: 'To revoke' })
    const path = `${world.tokens()}/${await idOf('To revoke')}/revoke`
    expect((await by.admin.get(path)).text).toContain('Revoke this token?')
    const { location } = await by.admin.post(path)
    expect(location).toBe(path.replace('/revoke', '?done=revoked'))
    expect(await statusOf(token)).toBe(401)
    const page = (await by.admin.get(location ?? '')).text
    expect(page).toMatch(/role="status" tabindex="-1" autofocus><strong class="typed">To revoke<\/strong> is revoked\./)
    expect(page).toContain('<span class="badge bad">Revoked</span>')
    const listed = (await by.owner.get(world.tokens())).text
    expect(listed).toMatch(/To revoke<\/a> <span class="badge bad">Revoked<\/span>[\s\S]*?Revoked <time /)
    expect((await by.owner.post(path)).status).toBe(303)
    expect(await logOf('To revoke')).toEqual([
      { event: 'token.issued', email: world.cast.a.people.owner.email },
      { event: 'token.revoked', email: world.cast.a.people.admin.email },
    ])
    expect((await by.owner.get(path)).status).toBe(303)
  })

  it('by 50 at once writes one line of the audit log', async () => {
    await create(by.owner, world.tokens(), { name: 'Fifty' })
    const path = `${world.tokens()}/${await idOf('Fifty')}/revoke`
    await by.admin.get(path)
    const sent = Array.from({ length: 50 }, (_, n) => (n % 2 ? by.owner : by.admin).post(path))
    const pages = await Promise.all(sent)
    expect(new Set(pages.map(({ status }) => status))).toEqual(new Set([303]))
    expect((await logOf('Fifty')).map(({ event }) => event)).toEqual(['token.issued', 'token.revoked'])
  })
})

it("a token for a member who is removed at the same time is never a stranger's", async () => {
  const email = 'coming.and.going@example.com'
  for (let n = 0; n < 10; n++) {
    const id = await add(email, 'Coming')
    const [page] = await Promise.all([
      by.owner.post(world.tokens(), { name: `Race ${n}`, scope: id }),
      manage('remove_member($1, $2)', id),
    ])
    const made = await world.owner('select scope_user_id from access.tokens where name = $1', [`Race ${n}`])
    expect(made).toEqual(page.status === 303 ? [{ scope_user_id: null }] : [])
  }
})

it('a token whose scoped member was removed shows as whom it acts now', async () => {
  const id = await add('leaving@example.com', 'Lea Leaving')
  await create(by.owner, world.tokens(), { name: 'Of Lea', scope: id })
  expect((await by.member.get(world.tokens())).text).toContain('Scoped to Lea Leaving')
  await manage('remove_member($1, $2)', id)
  expect((await by.member.get(world.tokens())).text).not.toContain('Scoped to Lea Leaving')
  expect((await by.member.get(`${world.tokens()}/${await idOf('Of Lea')}`)).text).toContain(
    `leaving@example.com, to whom it was scoped, was removed from the studio. It now acts as ${world.cast.a.people.owner.name}.`,
  )
})

it('a token whose issuer was removed says that it is refused', async () => {
  await manage('add_member($1, $2, $3, $4)', world.cast.outsider.email, '', 'admin')
  const visitor = await world.as(world.cast.outsider)
  const token = await create(visitor, world.tokens(), { name: 'Of the outsider' })
  await manage('remove_member($1, $2)', world.cast.outsider.id)
  expect(await statusOf(token)).toBe(401)
  expect((await by.owner.get(world.tokens())).text).toContain('Of the outsider</a> <span class="badge bad">Refused<')
  expect((await by.owner.get(`${world.tokens()}/${await idOf('Of the outsider')}`)).text).toContain(
    `It acts as ${world.cast.outsider.email}, who is no longer a member: requests with it are refused.`,
  )
  expect((await visitor.get(world.tokens())).status).toBe(404)
})

let path = ''
beforeAll(async () => {
  for (const name of ['Busy', 'Idle']) await create(by.owner, world.tokens(), { name })
  path = `${world.tokens()}/${await idOf('Busy')}`
  const requests = [
    ['GET /v1/items', 200, 10],
    ['GET /v1/items', 304, 3],
    ['GET /v1/items/:id', 404, 2],
    ['GET /v1/account', 500, 1],
  ]
  for (const request of requests) {
    await world.owner(
      `insert into access.request_activity (studio_id, token_id, at, endpoint, status, duration_ms)
       select $1, $2, timestamptz '2026-03-31 12:00:00Z' + n * interval '1 second', $3, $4, 1.5
       from generate_series(1, $5::integer) n`,
      [world.cast.a.id, await idOf('Busy'), ...request],
    )
  }
})

const rowsOf = (text: string) => text.match(/<code>GET [^<]+<\/code>.*?<span class="status-\dxx">\d+[ <]/gs)

it.each([
  ['', 16, 'the last 16 requests, newest first.'],
  ['?status=5xx', 1, '1 of the last 16 requests: 5xx.'],
  ['?status=4xx', 2, '2 of the last 16 requests: 4xx.'],
  ['?status=constructor', 16, 'the last 16 requests, newest first.'],
])('the activity of a token %s is a chart of all, and the requests of that class', async (query, rows, said) => {
  const { status, text } = await by.member.get(`${path}${query}`)
  expect(status).toBe(200)
  expect(rowsOf(text)).toHaveLength(rows)
  expect(text).toContain(said)
  for (const label of ['2xx succeeded: 10', '3xx not changed: 3', '4xx refused: 2', '5xx failed: 1']) {
    const row = text.split('<li class="status-').find((part) => part.includes(label)) ?? ''
    expect(row.match(/<rect /g), label).toHaveLength(Number(label.split(': ')[1]))
    expect(row).toContain(`href="${path}?status=${label.slice(0, 3)}#activity"`)
  }
})

it('a request is found by its id among those of all tokens, with what it was about', async () => {
  const id = 'a3b0c9d2-7c1f-4c57-9b0e-2f6f0d1c9a11'
  const details = { query: 'category=Microphones&page=2', ignored: ['catgory'], address: '203.0.113.7', agent: '<Zap>' }
  await world.owner(
    `insert into access.request_activity (studio_id, token_id, at, endpoint, status, duration_ms, request_id, details)
     values ($1, $2, timestamptz '2026-03-30', 'GET /v1/items', 401, 1.5, $3, $4)`,
    [world.cast.a.id, await idOf('Busy'), id, JSON.stringify({ ...details, bytes: 1234, cached: true })],
  )
  const { status, location } = await by.member.get(`${world.tokens()}?request=+${id.toUpperCase()}+`)
  expect([status, location]).toEqual([303, `${path}?request=${id}#activity`])
  const { text } = await by.member.get(`${path}?request=${id}`)
  expect(rowsOf(text)).toHaveLength(1)
  const asked = ['category=Microphones page=2', 'Ignored: catgory', 'refused: other address', '203.0.113.7', id]
  for (const shown of [...asked, '&lt;Zap&gt;', '1,234 B', 'cached']) expect(text).toContain(shown)
  for (const unknown of [id.replace('a', 'b'), 'nonsense']) {
    expect((await by.member.get(`${world.tokens()}?request=${unknown}`)).text).toContain('No request with this id')
  }
  const stranger = await world.as(world.cast.b.people.owner)
  expect((await stranger.get(`${world.tokens()}?request=${id}`)).status).toBe(404)
  await world.owner('delete from access.request_activity where request_id = $1', [id])
})
