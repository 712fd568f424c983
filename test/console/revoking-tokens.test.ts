import { beforeEach, describe, expect, it } from 'vitest'
import { create, tokensOf, useConsole, type Visitor } from './support.ts'

const world = useConsole()
const { as, statusOf, idOf, logOf, manage } = tokensOf(world)
let [owner, admin, member]: Visitor[] = []
beforeEach(async () => {
  const { people } = world.cast.a
  ;[owner, admin, member] = await Promise.all([people.owner, people.admin, people.member].map((who) => world.as(who)))
})

describe('revoking', () => {
  it('acts on the very next request, keeps the record, and again changes nothing', async () => {
    const token = await create(as(owner), world.tokens(), { name: 'To revoke' })
    const path = `${world.tokens()}/${await idOf('To revoke')}/revoke`
    expect((await as(admin).get(path)).text).toContain('Revoke this token?')
    const { location } = await as(admin).post(path)
    expect(location).toBe(path.replace('/revoke', '?done=revoked'))
    expect(await statusOf(token)).toBe(401)
    const page = (await as(admin).get(location ?? '')).text
    expect(page).toMatch(/role="status" tabindex="-1" autofocus><strong class="typed">To revoke<\/strong> is revoked\./)
    expect(page).toContain('<span class="badge bad">Revoked</span>')
    const listed = (await as(owner).get(world.tokens())).text
    expect(listed).toMatch(/To revoke<\/a> <span class="badge bad">Revoked<\/span>[\s\S]*?Revoked <time /)
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

it("a token for a member who is removed at the same time is never a stranger's", async () => {
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

it('a token whose scoped member was removed shows as whom it acts now', async () => {
  const [person] = await manage('add_member($1, $2, $3, $4) as id', 'leaving@example.com', 'Lea Leaving', 'member')
  const id = Reflect.get(Object(person), 'id')
  await create(as(owner), world.tokens(), { name: 'Of Lea', scope: id })
  expect((await as(member).get(world.tokens())).text).toContain('Scoped to Lea Leaving')
  await manage('remove_member($1, $2)', id)
  expect((await as(member).get(world.tokens())).text).not.toContain('Scoped to Lea Leaving')
  expect((await as(member).get(`${world.tokens()}/${await idOf('Of Lea')}`)).text).toContain(
    `leaving@example.com, to whom it was scoped, was removed from the studio. It now acts as ${world.cast.a.people.owner.name}.`,
  )
})

it('a token whose issuer was removed says that it is refused', async () => {
  await manage('add_member($1, $2, $3, $4)', world.cast.outsider.email, '', 'admin')
  const visitor = await world.as(world.cast.outsider)
  const token = await create(visitor, world.tokens(), { name: 'Of the outsider' })
  await manage('remove_member($1, $2)', world.cast.outsider.id)
  expect(await statusOf(token)).toBe(401)
  expect((await as(owner).get(world.tokens())).text).toContain('Of the outsider</a> <span class="badge bad">Refused<')
  expect((await as(owner).get(`${world.tokens()}/${await idOf('Of the outsider')}`)).text).toContain(
    `It acts as ${world.cast.outsider.email}, who is no longer a member: requests with it are refused.`,
  )
  expect((await visitor.get(world.tokens())).status).toBe(404)
})
