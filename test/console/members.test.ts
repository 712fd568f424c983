import { beforeEach, describe, expect, it } from 'vitest'
import { create, tokensOf, useConsole, type Visitor } from './support.ts'

const world = useConsole()
const { as, statusOf } = tokensOf(world)
const members = () => world.tokens().replace('/tokens', '/members')
let [owner, admin, member]: Visitor[] = []
beforeEach(async () => {
  const { people } = world.cast.a
  ;[owner, admin, member] = await Promise.all([people.owner, people.admin, people.member].map((who) => world.as(who)))
})

let count = 0
const newEmail = () => {
  count += 1
  return `new-${count}@example.com`
}

/** Adds somebody by the form; the path of their page. */
async function add(by: Visitor, email: string, role = 'member', name = ''): Promise<string> {
  await by.get(members())
  const { location } = await by.post(members(), { email, role, name })
  const id = new URL(location ?? '', 'http://here').searchParams.get('added')
  return `${members()}/${id}`
}

describe('the members of a studio', () => {
  it('are listed for owners and admins, with their roles', async () => {
    for (const visitor of [owner, admin]) {
      const { status, text } = await as(visitor).get(members())
      expect(status).toBe(200)
      for (const { name, email } of Object.values(world.cast.a.people)) {
        expect(text).toContain(name)
        expect(text).toContain(email)
      }
      expect(text).toContain('aria-current="page">Members</a>')
      for (const { email } of Object.values(world.cast.b.people)) expect(text).not.toContain(email)
    }
  })

  it('are hidden from members, strangers and people who have not signed in', async () => {
    const one = `${members()}/${world.cast.a.people.owner.id}`
    for (const path of [members(), one, `${one}/remove`]) {
      expect((await as(member).get(path)).status).toBe(403)
      expect((await (await world.as(world.cast.b.people.owner)).get(path)).status).toBe(404)
      expect((await world.stranger().get(path)).location).toContain('/sign-in')
    }
  })
})

describe('adding a member', () => {
  it('lets somebody in who signs in with that e-mail', async () => {
    const email = newEmail()
    await add(as(owner), email, 'admin', 'Nia New')
    const page = await as(owner).get(members())
    expect(page.text).toContain('Nia New')
    const newcomer = await world.as({ email })
    expect((await newcomer.get(members())).status).toBe(200)
  })

  it('names only people who are members', async () => {
    const path = await add(as(owner), newEmail(), 'member', 'Nia Newer')
    const said = await as(owner).get(path.replace('/members/', '/members?added='))
    expect(said.text).toMatch(/role="status"[^>]*><strong class="typed">Nia Newer<\/strong> is a member/)
    const forged = await as(owner).get(`${members()}?added=${world.cast.b.people.owner.id}`)
    expect(forged.text).not.toContain('role="status"')
  })

  it('of another studio shows their e-mail, and not the name that the other studio typed', async () => {
    const { email, name } = world.cast.b.people.owner
    const path = await add(as(owner), email)
    const shown = [
      await as(owner).get(path.replace('/members/', '/members?added=')),
      await as(owner).get(path),
      await as(owner).get(`${path}/remove`),
      await as(owner).get(members().replace('/members', '/audit-log')),
    ]
    for (const { status, text } of shown) {
      expect(status).toBe(200)
      expect(text).toContain(email)
      expect(text).not.toContain(name)
    }
    await as(owner).get(`${path}/remove`)
    await as(owner).post(`${path}/remove`)
  })

  it.each([
    ['a member', () => world.cast.a.people.member.email.toUpperCase(), 'This person is already a member.'],
    ['no e-mail', () => 'somebody', 'Enter an e-mail such as'],
    ['nothing', () => '', 'Enter an e-mail such as'],
  ])('is refused for %s, and what was typed stays in the form', async (_what, email, why) => {
    await as(owner).get(members())
    const { status, text } = await as(owner).post(members(), { email: email(), name: 'Typed Name', role: 'admin' })
    expect(status).toBe(422)
    expect(text).toContain(`${why}`)
    expect(text).toContain('Nobody was added.')
    expect(text).toContain('value="Typed Name"')
    expect(text).toContain('<option value="admin" selected>')
  })
})

describe('a role', () => {
  it('is changed with the next page that the person opens', async () => {
    const email = newEmail()
    const path = await add(as(owner), email)
    const person = await world.as({ email })
    expect((await person.get(members())).status).toBe(403)
    await as(owner).get(path)
    expect((await as(owner).post(path, { role: 'admin' })).location).toBe(`${path}?done=role`)
    expect((await as(owner).get(`${path}?done=role`)).text).toContain('The role is now Admin.')
    expect((await person.get(members())).status).toBe(200)
  })

  it('leaves the tokens of the person as they are, and the form says so', async () => {
    const email = newEmail()
    const path = await add(as(owner), email, 'admin')
    const token = await create(await world.as({ email }), world.tokens(), { name: 'One' })
    const { text } = await as(owner).get(path)
    expect(text).toContain('Tokens that act as this person keep working and read the same data, whatever the role.')
    expect((await as(owner).post(path, { role: 'member' })).location).toBe(`${path}?done=role`)
    expect(await statusOf(token)).toBe(200)
  })

  it('of oneself leads to where one still may be', async () => {
    const email = newEmail()
    const path = await add(as(owner), email, 'admin')
    const person = await world.as({ email })
    await person.get(path)
    const { location } = await person.post(path, { role: 'member' })
    expect(location).toBe('/console')
    expect((await person.get('/console')).location).toBe(world.page('overview'))
  })

  it('of an owner is for owners: an admin sees no form, and is refused without it', async () => {
    const path = `${members()}/${world.cast.a.people.owner.id}`
    const page = await as(admin).get(path)
    expect(page.text).toContain('Only owners can change the role of an owner')
    expect(page.text).not.toContain('Change role')
    await as(admin).get(members())
    expect((await as(admin).post(path, { role: 'member' })).status).toBe(403)
    expect((await as(admin).post(`${path}/remove`)).status).toBe(403)
    expect((await as(admin).get(members())).text).not.toContain('<option value="owner"')
    expect((await as(admin).post(members(), { email: newEmail(), role: 'owner' })).status).toBe(403)
  })

  it('of the last owner stays, and so does the owner', async () => {
    const path = `${members()}/${world.cast.a.people.owner.id}`
    await as(owner).get(path)
    for (const [at, fields] of [
      [path, { role: 'admin' }],
      [`${path}/remove`, {}],
    ] as const) {
      const { status, text } = await as(owner).post(at, fields)
      expect(status).toBe(422)
      expect(text).toContain('A studio needs at least one owner. Make another member an owner first.')
    }
    expect((await as(owner).get(members())).status).toBe(200)
  })
})

describe('removing a member', () => {
  it('says how many tokens are revoked, revokes them, and ends the access at once', async () => {
    const email = newEmail()
    const path = await add(as(owner), email, 'admin')
    const person = await world.as({ email })
    const tokens = [
      await create(person, world.tokens(), { name: 'One' }),
      await create(person, world.tokens(), { name: 'Two' }),
    ]
    const asked = await as(admin).get(`${path}/remove`)
    expect(asked.text).toContain('<strong>2 tokens</strong> that act as this person are revoked immediately.')
    expect(await statusOf(tokens[0] ?? '')).toBe(200)

    const { location } = await as(admin).post(`${path}/remove`)
    expect(location).toBe(`${members()}?done=removed`)
    expect((await as(admin).get(location ?? '')).text).toMatch(/role="status"[^>]*>The member was removed\./)
    for (const token of tokens) expect(await statusOf(token)).toBe(401)
    expect((await person.get(world.tokens())).status).toBe(404)
    expect((await as(admin).get(path)).status).toBe(404)
    const { text } = await as(admin).get(world.tokens().replace('/tokens', '/audit-log'))
    for (const event of ['Member added', 'Member removed', 'Token revoked']) expect(text).toContain(`>${event}</td>`)
  })

  it('of oneself leads out of the studio', async () => {
    const email = newEmail()
    const path = await add(as(owner), email, 'admin')
    const person = await world.as({ email })
    await person.get(`${path}/remove`)
    const { location } = await person.post(`${path}/remove`)
    expect(location).toBe('/console')
    expect((await person.get('/console')).text).toContain('You are not a member of any studio.')
  })
})
