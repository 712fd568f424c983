import { beforeAll, describe, expect, it } from 'vitest'
import { asReader } from '../../src/audit/findings.ts'
import { createIdentify } from '../../src/graphql/identity.ts'
import { analystsOf } from '../../src/service/analysts.ts'
import { consoleOf, method, useConsole, type Visitor } from '../console/support.ts'
import { testSecretKey } from '../support/server.ts'
import type { TestService } from '../support/service.ts'

const world = useConsole()
let service: TestService
let owner: Visitor
const path = () => world.tokens().replace('/tokens', '/analysts')
beforeAll(async () => {
  const database = {
    ...world.database,
    secretKey: testSecretKey,
    secretKeys: [testSecretKey] as const,
    embedded: false,
    close: async () => undefined,
  }
  const analysts = analystsOf({ analystUrl: undefined }, database)
  service = await world.start({ console: consoleOf({}, method, analysts) })
  owner = await world.as(world.cast.a.people.owner, service)
})

/** Creates a login by the form, and reads it on the page that shows it. */
async function create(fields: Record<string, string>) {
  await owner.get(`${path()}/new`)
  const { location } = await owner.post(path(), fields)
  const { text } = await owner.get(location ?? '')
  const read = (id: string) => new RegExp(`id="${id}"[^>]*>([^<]+)<`).exec(text)?.[1] ?? ''
  return {
    login: /analyst_[0-9a-f]{12}/.exec(location ?? '')?.[0] ?? '',
    url: read('url'),
    identity: read('identity'),
    location,
  }
}

const itemsSeen = (url: string) =>
  asReader(url, async (transaction) => {
    const [row] = await transaction.query<{ name: string }>('select name from api_v1.account')
    return row?.name
  })

describe('an owner', () => {
  it('makes a login that reads the studio in SQL and in GraphQL, is shown once, and ends', async () => {
    const { login, url, identity, location } = await create({ member: world.cast.a.people.member.id, days: '90' })
    expect(await itemsSeen(url)).toBe(world.cast.a.name)
    const analyst = await createIdentify({ secretKeys: testSecretKey })(`Bearer ${identity}`)
    expect(analyst).toMatchObject({ studioId: world.cast.a.id, login: { name: login } })
    const again = (await owner.get(location ?? '')).text
    expect(again).toContain('A connection string is shown once.')
    expect(again).not.toContain(new URL(url).password)
    expect(service.log()).not.toContain(new URL(url).password)
    expect(again).toContain(world.cast.a.people.member.email)
    expect(again).toContain('data-relative>in 90 days</time>')

    expect((await owner.get(`${path()}/${login}/end`)).text).toContain('The login stops working immediately')
    expect((await owner.post(`${path()}/${login}/end`)).location).toBe(`${path()}?done=ended`)
    await expect(itemsSeen(url)).rejects.toThrow()
    const log = (await owner.get(path().replace('analysts', 'audit-log'))).text
    expect(log).toMatch(
      new RegExp(`Analyst login ended[\\s\\S]*${login}[\\s\\S]*Analyst login created[\\s\\S]*${login}`),
    )
  })

  it("cannot end another studio's login, or make one for a stranger", async () => {
    expect((await owner.post(path(), { member: world.cast.b.people.owner.id, days: '30' })).status).toBe(404)
    expect((await owner.get(`${path()}/analyst_0123456789ab/end`)).status).toBe(404)
    expect((await owner.get(path().replace(world.cast.a.id, world.cast.b.id))).status).toBe(404)
  })
})

it.each(['admin', 'member'] as const)('%ss neither see nor make logins', async (who) => {
  const visitor = await world.as(world.cast.a.people[who], service)
  expect((await visitor.get(path())).status).toBe(403)
  expect((await visitor.post(path(), { member: '', days: '30' })).status).toBe(403)
  expect((await visitor.get(world.tokens())).text).not.toContain('/analysts"')
})
