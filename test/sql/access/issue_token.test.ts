import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { digestOf, newSecret, tokenOf } from '../../../src/auth/token.ts'
import { issue, useSql } from '../support.ts'
import { castPeople, noon, type People, subscribe, subscriptions } from './people.ts'

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

describe('who may issue', () => {
  test.each(['owner', 'admin'] as const)('the %s', async (who) => {
    await expect(issued({ issuer: people[who] })).resolves.toMatchObject({ tier: 'studio' })
  })

  test.each(['member', 'removed', 'outsider'] as const)('not the %s', async (who) => {
    await expect(issued({ issuer: people[who] })).rejects.toMatchObject({ code: '42501' })
  })

  test('not somebody who was an admin and is a member now', async () => {
    await sql.owner.rows(`update access.members set role = 'member' where user_id = $1`, [people.admin])
    await expect(issued({ issuer: people.admin })).rejects.toMatchObject({ code: '42501' })
  })

  test('not for a studio that does not exist', async () => {
    await expect(issued({ studio: '00000000-0000-4000-8000-000000000000' })).rejects.toMatchObject({ code: '42501' })
  })
})

describe('the plan', () => {
  test.each(subscriptions)('%s: a token can be created or not', async (_what, subscription, entitled) => {
    await subscribe(sql, people.studio, subscription)
    if (entitled) await expect(issued()).resolves.toMatchObject({ tier: 'studio' })
    else await expect(issued()).rejects.toMatchObject({ code: 'SI402' })
  })

  test('none at all allows nothing', async () => {
    await sql.owner.rows('delete from access.subscriptions where studio_id = $1', [people.studio.id])
    await expect(issued()).rejects.toMatchObject({ code: 'SI402' })
  })

  test.each([
    ['pro', 'pro'],
    ['pro_insure', 'pro'],
    ['studio', 'studio'],
  ] as const)('%s gives a token of tier %s, and its digest alone is kept', async (plan, tier) => {
    await subscribe(sql, people.studio, { plan, status: 'active' })
    const secret = newSecret()
    const digests = { pro: digestOf(tokenOf('pro', secret)), studio: digestOf(tokenOf('studio', secret)) }
    const row = await sql.owner.row<{ token_id: string }>(
      `select * from access.issue_token($1, $2, 'x', null, $3, $4, $5)`,
      [people.studio.id, people.owner, secret.slice(0, 4), digests.pro, digests.studio],
    )
    expect(row).toMatchObject({ tier, prefix: `svc_${tier}_${secret.slice(0, 4)}` })
    const stored = await sql.admin.row<{ digest: Buffer }>('select * from access.tokens where id = $1', [row.token_id])
    expect(stored.digest.equals(digests[tier])).toBe(true)
    expect(JSON.stringify(stored)).not.toContain(secret.slice(0, 5))
    expect(await sql.api.row('select status from access.open_session($1)', [digests[tier]])).toEqual({ status: 200 })
    const otherTier = tier === 'pro' ? digests.studio : digests.pro
    expect(await sql.api.row('select status from access.open_session($1)', [otherTier])).toEqual({ status: 401 })
  })
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

describe('the name', () => {
  test.each([
    ['nothing', ''],
    ['a hundred and one letters', 'x'.repeat(101)],
    ['a hundred and one letters of four bytes', '🎙'.repeat(101)],
  ])('may not have %s', async (_what, name) => {
    await expect(issued({ name })).rejects.toMatchObject({ code: '22023' })
  })
})

describe('the audit log', () => {
  test('has who issued what for whom', async () => {
    const { tokenId, prefix } = await issued({ issuer: people.admin, scope: people.member, name: 'Bücher' })
    expect((await audit()).at(-1)).toMatchObject({
      event: 'token.issued',
      actor_user_id: people.admin,
      token_id: tokenId,
      token_name: 'Bücher',
      token_prefix: prefix,
      scope_user_id: people.member,
    })
  })

  test('is written in the same transaction: an issue that is rolled back leaves neither token nor record', async () => {
    const count = () =>
      sql.admin.row(
        `select (select count(*) from access.tokens where studio_id = $1) as tokens,
           (select count(*) from access.audit_log where studio_id = $1) as records`,
        [people.studio.id],
      )
    const before = await count()
    await sql.owner.rows('begin')
    await issued()
    await sql.owner.rows('rollback')
    expect(await count()).toEqual(before)
  })
})
