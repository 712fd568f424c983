import { beforeEach, describe, expect, it } from 'vitest'
import { tokensOf, useConsole, type Visitor } from './support.ts'

const world = useConsole()
const { as, statusOf, countTokens, manage } = tokensOf(world)
let [owner, member]: Visitor[] = []
beforeEach(async () => {
  const { people } = world.cast.a
  ;[owner, member] = await Promise.all([people.owner, people.member].map((who) => world.as(who)))
})

describe('a member', () => {
  it('reads, and is offered and allowed nothing else', async () => {
    const page = (await as(member).get(world.tokens())).text
    expect(page).toContain(world.cast.a.token.prefix)
    expect(page).not.toMatch(/Create a token|data-revoke|Scope to team member|Audit log/)
    const before = await countTokens()
    expect((await as(member).post(world.tokens(), { name: 'Mine' })).status).toBe(403)
    // Nor is anything that they sent judged before who they are.
    expect((await as(member).post(world.tokens(), { name: '' })).status).toBe(403)
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
    const nothing = crypto.randomUUID()
    const noStudio = (await as(owner).get(world.tokens(nothing))).text
    const noToken = (await as(owner).get(`${world.tokens(a.id)}/${nothing}`)).text
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
      expect(page.text).toBe(path.startsWith(world.tokens(a.id)) ? noToken : noStudio)
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
    expect(page.text).toContain(world.page('overview'))
    expect(page.text).toContain(world.page('overview', world.cast.b.id))
    await manage('remove_member($1, $2)', world.cast.b.people.owner.id)
  })
})

it('without the public API, there is no token page, no new token, and no API', async () => {
  await manage('set_public_api($1, $2)', false)
  const home = await as(owner).get(world.page('overview'))
  expect(home.status).toBe(200)
  expect(home.text).not.toContain(world.tokens())
  const page = await as(owner).get(world.tokens())
  expect(page.status).toBe(404)
  expect(page.text).toContain('The operator of this service turns it on')
  for (const tab of ['overview', 'items', 'members', 'import', 'report', 'audit-log', 'plan']) {
    expect(page.text).toContain(`<a href="${world.tokens().replace(/tokens$/, tab)}">`)
  }
  expect((await world.as(world.cast.b.people.owner).then((other) => other.get(world.tokens()))).text).not.toContain(
    'turns it on',
  )
  expect((await as(owner).post(world.tokens(), { name: 'Off' })).status).toBe(404)
  expect(await statusOf(world.cast.a.token.token)).toBe(403)
  await manage('set_public_api($1, $2)', true)
  expect(await statusOf(world.cast.a.token.token)).toBe(200)
})
