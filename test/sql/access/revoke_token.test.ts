import { beforeEach, describe, expect, test } from 'vitest'
import { type Issued, issue, useSql } from '../support.ts'
import { castPeople, leave, type People } from './people.ts'

const sql = useSql()
let people: People
let token: Issued

beforeEach(async () => {
  people = await castPeople(sql)
  token = await issue(sql, { studio: people.studio.id, issuer: people.admin, scope: people.member, name: 'BI' })
})

const revoke = (by: string, session = sql.owner, { studio = people.studio.id, id = token.tokenId } = {}) =>
  session.row<{ id: string; revoked_at: string }>('select * from access.revoke_token($1, $2, $3)', [studio, id, by])

const status = async () =>
  (await sql.api.row<{ status: number }>('select status from access.open_session($1)', [token.digest])).status

const revocations = () =>
  sql.admin.rows(`select * from access.audit_log where token_id = $1 and event = 'token.revoked'`, [token.tokenId])

describe('revoking', () => {
  test('takes effect with the very next request, and keeps the record', async () => {
    expect(await status()).toBe(200)
    const revoked = await revoke(people.owner)
    expect(revoked).toMatchObject({ id: token.tokenId, name: 'BI', prefix: token.prefix })
    expect(await status()).toBe(401)
    const [listed] = await sql.owner.rows('select * from access.list_tokens($1) where token_id = $2', [
      people.studio.id,
      token.tokenId,
    ])
    expect(listed).toMatchObject({ name: 'BI', revoked_at: revoked.revoked_at })
  })

  test('is recorded in the audit log with who did it', async () => {
    await revoke(people.owner)
    expect(await revocations()).toMatchObject([
      { actor_user_id: people.owner, token_name: 'BI', token_prefix: token.prefix, scope_user_id: people.member },
    ])
  })

  test('again succeeds, returns the same record and writes nothing more', async () => {
    const first = await revoke(people.owner)
    expect(await revoke(people.admin)).toEqual(first)
    expect(await revocations()).toHaveLength(1)
    expect(await sql.admin.row('select revoked_by from access.tokens where id = $1', [token.tokenId])).toEqual({
      revoked_by: people.owner,
    })
  })

  test('fifty times at once returns one record fifty times and writes one to the audit log', async () => {
    const sessions = await Promise.all(Array.from({ length: 10 }, () => sql.connect('studio_owner')))
    const answers = await Promise.all(
      sessions.map(async (session) => {
        const own: unknown[] = []
        for (let n = 0; n < 5; n++) own.push(await revoke(people.owner, session))
        return own
      }),
    )
    expect(new Set(answers.flat().map((answer) => JSON.stringify(answer))).size).toBe(1)
    expect(answers.flat()).toHaveLength(50)
    expect(await revocations()).toHaveLength(1)
  })

  test('works although the issuer and the scoped member are gone', async () => {
    await leave(sql, people.studio, people.admin)
    await leave(sql, people.studio, people.member)
    await revoke(people.owner)
    expect(await status()).toBe(401)
  })

  test('is undone with its transaction', async () => {
    await sql.owner.rows('begin')
    await revoke(people.owner)
    await sql.owner.rows('rollback')
    expect(await status()).toBe(200)
    expect(await revocations()).toEqual([])
  })
})

describe('who may revoke', () => {
  test.each(['member', 'removed', 'outsider'] as const)('not the %s', async (who) => {
    await expect(revoke(people[who])).rejects.toMatchObject({ code: '42501' })
    expect(await status()).toBe(200)
  })

  test('not the owner of another studio by naming the own one', async () => {
    const foreign = revoke(people.outsider, sql.owner, { studio: people.elsewhere.id })
    await expect(foreign).rejects.toMatchObject({ code: 'SI404' })
    expect(await status()).toBe(200)
  })

  test('nobody by way of a login of the service', async () => {
    for (const role of [
      'studio_api',
      'studio_recorder',
      'studio_writer',
      'studio_console',
      'studio_graphql',
    ] as const) {
      await expect(revoke(people.owner, await sql.connect(role)), role).rejects.toMatchObject({ code: '42501' })
    }
  })
})

test('a token that does not exist cannot be revoked', async () => {
  const missing = revoke(people.owner, sql.owner, { id: '00000000-0000-4000-8000-000000000000' })
  await expect(missing).rejects.toMatchObject({ code: 'SI404' })
})
