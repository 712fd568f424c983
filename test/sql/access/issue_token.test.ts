import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { issue, useSql } from '../support.ts'
import { castPeople, noon, type People, subscribe } from './people.ts'

const sql = useSql()
let people: People

beforeAll(() => sql.stopClock(noon))
afterAll(() => sql.startClock())
beforeEach(async () => {
  people = await castPeople(sql)
})

type Options = Partial<Parameters<typeof issue>[1]>
const issued = (options: Options = {}) => issue(sql, { studio: people.studio.id, issuer: people.owner, ...options })

const audit = (studio = people.studio.id) =>
  sql.admin.rows<Record<string, unknown>>('select * from access.audit_log where studio_id = $1 order by id', [studio])

describe('who may issue and revoke', () => {
  test.each(['owner', 'admin'] as const)('the %s', async (who) => {
    await expect(issued({ issuer: people[who] })).resolves.toMatchObject({ tier: 'studio' })
  })

  test.each(['member', 'removed', 'outsider'] as const)('not the %s', async (who) => {
    await expect(issued({ issuer: people[who] })).rejects.toMatchObject({ code: '42501' })
    const values = [people.studio.id, (await issued()).tokenId, people[who]]
    const revoked = sql.owner.rows('select access.revoke_token($1, $2, $3)', values)
    await expect(revoked).rejects.toMatchObject({ code: '42501' })
  })
})

test('a plan that has lapsed, or that a studio does not have, allows nothing', async () => {
  await subscribe(sql, people.studio, { status: 'canceled' })
  await expect(issued()).rejects.toMatchObject({ code: 'SI402' })
  await sql.owner.rows('delete from access.subscriptions where studio_id = $1', [people.studio.id])
  await expect(issued()).rejects.toMatchObject({ code: 'SI402' })
})

describe('the scope', () => {
  test.each(['owner', 'admin', 'member'] as const)('may be the %s', async (who) => {
    const { tokenId } = await issued({ scope: people[who] })
    const stored = await sql.admin.row('select * from access.tokens where id = $1', [tokenId])
    expect(stored).toMatchObject({ scope_user_id: people[who], issued_by: people.owner })
  })

  test.each(['removed', 'outsider'] as const)('may not be the %s: no token, no trace', async (who) => {
    const before = await audit()
    await expect(issued({ scope: people[who] })).rejects.toMatchObject({ code: 'SI404' })
    expect(await audit()).toEqual(before)
  })
})

test.each(['', 'x'.repeat(101), '🎙'.repeat(101), 'Zapier\nrevoked', 'Zap\u202eier'])('%j is no name', async (name) => {
  await expect(issued({ name })).rejects.toMatchObject({ code: '22023' })
})

describe('the audit log', () => {
  test('has who issued what for whom', async () => {
    const { tokenId, prefix } = await issued({ issuer: people.admin, scope: people.member, name: 'Bücher' })
    expect((await audit()).at(-1)).toMatchObject({
      ...{ event: 'token.issued', actor_user_id: people.admin, scope_user_id: people.member },
      ...{ token_id: tokenId, token_name: 'Bücher', token_prefix: prefix },
    })
  })

  test('is written in the same transaction: an issue that is rolled back leaves neither token nor record', async () => {
    const tokens = () => sql.admin.rows('select id from access.tokens where studio_id = $1', [people.studio.id])
    const before = [await tokens(), await audit()]
    await sql.owner.rows('begin')
    await issued()
    await sql.owner.rows('rollback')
    expect([await tokens(), await audit()]).toEqual(before)
  })
})
