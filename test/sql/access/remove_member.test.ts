import { beforeEach, describe, expect, test } from 'vitest'
import { type Issued, issue, useSql } from '../support.ts'
import { castPeople, joinToo, leave, type People } from './people.ts'

const sql = useSql()
let people: People

beforeEach(async () => {
  people = await castPeople(sql)
})

const open = (token: Issued) =>
  sql.api.row<{ status: number; token_id: string | null }>('select * from access.open_session($1)', [token.digest])

const scopeOf = (token: Issued) =>
  sql.admin.value<string | null>('select scope_user_id from access.tokens where id = $1', [token.tokenId])

const issueScoped = (scope: string, session = sql.owner) =>
  issue(sql, { studio: people.studio.id, issuer: people.owner, scope, session })

describe('a token whose scoped member is removed', () => {
  test('loses its scope and acts as its issuer from the next request on', async () => {
    const token = await issueScoped(people.member)
    await leave(sql, people.studio, people.member)
    expect(await scopeOf(token)).toBeNull()
    expect(await open(token)).toMatchObject({ status: 200, token_id: token.tokenId })
    await leave(sql, people.studio, people.owner)
    expect((await open(token)).status).toBe(401)
  })

  test('does not regain its scope when the member comes back', async () => {
    const token = await issueScoped(people.member)
    await leave(sql, people.studio, people.member)
    await joinToo(sql, people.studio, people.member, 'member')
    expect(await scopeOf(token)).toBeNull()
  })

  test('keeps its scope when the member is removed from another studio', async () => {
    await joinToo(sql, people.elsewhere, people.member, 'member')
    const token = await issueScoped(people.member)
    await leave(sql, people.elsewhere, people.member)
    expect(await scopeOf(token)).toBe(people.member)
  })
})

describe('a token that is issued while its scope target is being removed', () => {
  test('is refused when the removal was first', async () => {
    const [removing, issuing] = [await sql.connect('studio_owner'), await sql.connect('studio_owner')]
    await removing.rows('begin')
    await removing.rows('select access.remove_member($1, $2)', [people.studio.id, people.member])
    const token = issueScoped(people.member, issuing).catch((error: unknown) => error)
    await sql.blocked(issuing)
    await removing.rows('commit')
    expect(await token).toMatchObject({ code: 'SI404' })
  })

  test('loses its scope when the removal came second', async () => {
    const [issuing, removing] = [await sql.connect('studio_owner'), await sql.connect('studio_owner')]
    await issuing.rows('begin')
    const token = await issueScoped(people.member, issuing)
    const removed = removing.rows('select access.remove_member($1, $2)', [people.studio.id, people.member])
    await sql.blocked(removing)
    await issuing.rows('commit')
    await removed
    expect(await scopeOf(token)).toBeNull()
  })
})

test('an issuer who is being removed issues nothing', async () => {
  const [removing, issuing] = [await sql.connect('studio_owner'), await sql.connect('studio_owner')]
  await removing.rows('begin')
  await removing.rows('select access.remove_member($1, $2)', [people.studio.id, people.admin])
  const token = issue(sql, { studio: people.studio.id, issuer: people.admin, session: issuing }).catch(
    (e: unknown) => e,
  )
  await sql.blocked(issuing)
  await removing.rows('commit')
  expect(await token).toMatchObject({ code: '42501' })
})
