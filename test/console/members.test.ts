import { describe, expect, it } from 'vitest'
import { create, signedIn, tokensOf, useConsole } from './support.ts'

const world = useConsole()
const { statusOf } = tokensOf(world)
const members = () => world.page('members')
const by = signedIn(world, ['owner', 'admin', 'member'])

/** An owner adds somebody by the form. Returns the path of the member's page. */
async function add(email: string, role = 'member', name = ''): Promise<string> {
  await by.owner.get(members())
  const { location } = await by.owner.post(members(), { email, role, name })
  const id = new URL(location ?? '', 'http://here').searchParams.get('added')
  return `${members()}/${id}`
}

let count = 0
const newEmail = () => `new-${++count}@example.com`
/** The same for a new person, who then signs in. */
async function addNew(role = 'member', name = '') {
  const email = newEmail()
  const path = await add(email, role, name)
  return { path, person: await world.as({ email }) }
}

describe('the members of a studio', () => {
  it('are listed for owners and admins, with their roles', async () => {
    for (const visitor of [by.owner, by.admin]) {
      const { status, text } = await visitor.get(members())
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
      expect((await by.member.get(path)).status).toBe(403)
      expect((await (await world.as(world.cast.b.people.owner)).get(path)).status).toBe(404)
      expect((await world.stranger().get(path)).location).toContain('/sign-in')
    }
  })
})

describe('adding a member', () => {
  it('lets somebody in who signs in with that e-mail', async () => {
    const { person } = await addNew('admin', 'Nia New')
    expect((await by.owner.get(members())).text).toContain('Nia New')
    expect((await person.get(members())).status).toBe(200)
  })

  it('names only people who are members', async () => {
    const path = await add(newEmail(), 'member', 'Nia Newer')
    const said = await by.owner.get(path.replace('/members/', '/members?added='))
    expect(said.text).toMatch(/role="status"[^>]*><strong class="typed">Nia Newer<\/strong> is a member/)
    const forged = await by.owner.get(`${members()}?added=${world.cast.b.people.owner.id}`)
    expect(forged.text).not.toContain('role="status"')
  })

  it('of another studio shows their e-mail, and not the name that the other studio typed', async () => {
    const { email, name } = world.cast.b.people.owner
    const path = await add(email)
    const added = path.replace('/members/', '/members?added=')
    for (const at of [added, path, world.page('audit-log'), `${path}/remove`]) {
      const { status, text } = await by.owner.get(at)
      expect(status).toBe(200)
      expect(text).toContain(email)
      expect(text).not.toContain(name)
    }
    await by.owner.post(`${path}/remove`)
  })

  it.each([
    ['a member', () => world.cast.a.people.member.email.toUpperCase(), 'This person is already a member.'],
    ['no e-mail', () => 'somebody', 'Enter an e-mail such as'],
    ['nothing', () => '', 'Enter an e-mail such as'],
  ])('is refused for %s, and what was typed stays in the form', async (_what, email, why) => {
    await by.owner.get(members())
    const { status, text } = await by.owner.post(members(), { email: email(), name: 'Typed Name', role: 'admin' })
    expect(status).toBe(422)
    expect(text).toContain(`${why}`)
    expect(text).toContain('Nobody was added.')
    expect(text).toContain('value="Typed Name"')
    expect(text).toContain('<option value="admin" selected>')
  })
})

describe('a role', () => {
  it('is changed with the next page that the person opens', async () => {
    const { path, person } = await addNew()
    expect((await person.get(members())).status).toBe(403)
    await by.owner.get(path)
    expect((await by.owner.post(path, { role: 'admin' })).location).toBe(`${path}?done=role`)
    expect((await by.owner.get(`${path}?done=role`)).text).toContain('The role is now Admin.')
    expect((await person.get(members())).status).toBe(200)
  })

  it('leaves the tokens of the person as they are, and the form says so', async () => {
    const { path, person } = await addNew('admin')
    const token = await create(person, world.tokens(), { name: 'One' })
    const { text } = await by.owner.get(path)
    expect(text).toContain('Tokens that act as this person keep working and read the same data, whatever the role.')
    expect((await by.owner.post(path, { role: 'member' })).location).toBe(`${path}?done=role`)
    expect(await statusOf(token)).toBe(200)
  })

  it('of oneself leads to where one still may be', async () => {
    const { path, person } = await addNew('admin')
    await person.get(path)
    expect((await person.post(path, { role: 'member' })).location).toBe('/console')
    expect((await person.get('/console')).location).toBe(world.page('overview'))
  })

  it('of an owner is for owners: an admin sees no form, and is refused without it', async () => {
    const path = `${members()}/${world.cast.a.people.owner.id}`
    const page = await by.admin.get(path)
    expect(page.text).toContain('Only owners can change the role of an owner')
    expect(page.text).not.toContain('Change role')
    await by.admin.get(members())
    expect((await by.admin.post(path, { role: 'member' })).status).toBe(403)
    expect((await by.admin.post(`${path}/remove`)).status).toBe(403)
    expect((await by.admin.get(members())).text).not.toContain('<option value="owner"')
    expect((await by.admin.post(members(), { email: newEmail(), role: 'owner' })).status).toBe(403)
  })

  it('of the last owner stays, and so does the owner', async () => {
    const path = `${members()}/${world.cast.a.people.owner.id}`
    await by.owner.get(path)
    for (const [at, fields] of [
      [path, { role: 'admin' }],
      [`${path}/remove`, {}],
    ] as const) {
      const { status, text } = await by.owner.post(at, fields)
      expect(status).toBe(422)
      expect(text).toContain('A studio needs at least one owner. Make another member an owner first.')
    }
    expect((await by.owner.get(members())).status).toBe(200)
  })
})

describe('removing a member', () => {
  it('says how many tokens are revoked, revokes them, and ends the access at once', async () => {
    const { path, person } = await addNew('admin')
    const tokens: string[] = []
    for (const name of ['One', 'Two']) tokens.push(await create(person, world.tokens(), { name }))
    const asked = await by.admin.get(`${path}/remove`)
    expect(asked.text).toContain('<strong>2 tokens</strong> that act as this person are revoked immediately.')
    expect(await statusOf(tokens[0] ?? '')).toBe(200)

    const { location } = await by.admin.post(`${path}/remove`)
    expect(location).toBe(`${members()}?done=removed`)
    expect((await by.admin.get(location ?? '')).text).toMatch(/role="status"[^>]*>The member was removed\./)
    for (const token of tokens) expect(await statusOf(token)).toBe(401)
    expect((await person.get(world.tokens())).status).toBe(404)
    expect((await by.admin.get(path)).status).toBe(404)
    const { text } = await by.admin.get(world.page('audit-log'))
    for (const event of ['Member added', 'Member removed', 'Token revoked']) expect(text).toContain(`>${event}</td>`)
  })

  it('of oneself leads out of the studio', async () => {
    const { path, person } = await addNew('admin')
    await person.get(`${path}/remove`)
    expect((await person.post(`${path}/remove`)).location).toBe('/console')
    expect((await person.get('/console')).text).toContain('You are not a member of any studio.')
  })
})
