import { beforeEach, describe, expect, test } from 'vitest'
import { type Issued, issue, type Session, useSql } from '../support.ts'
import { addToStudio, castPeople, join, leave, type People } from './people.ts'

const sql = useSql()
let people: People
beforeEach(async () => {
  people = await castPeople(sql)
})

type Who = 'owner' | 'admin' | 'member' | 'removed' | 'outsider'
const role = (user: string) =>
  sql.admin.value<string>('select max(role) from access.members where studio_id = $1 and user_id = $2', [
    people.studio.id,
    user,
  ])
const change = (user: string, to: string, by: string, session: Session = sql.owner) =>
  session.rows('select access.change_role($1, $2, $3, $4)', [people.studio.id, user, to, by])
const dismiss = (user: string, by: string, session: Session = sql.owner) =>
  session.value<number>('select access.dismiss_member($1, $2, $3)', [people.studio.id, user, by])
const admit = (by: string, to: string) =>
  sql.owner.rows('select access.admit_member($1, $2, $3, $4, $5)', [
    ...[people.studio.id, `${crypto.randomUUID()}@example.com`, 'New', to, by],
  ])

describe('who manages members', () => {
  test.each<[Who, boolean]>([
    ['owner', true],
    ['admin', true],
    ['member', false],
    ['removed', false],
    ['outsider', false],
  ])('the %s: %s', async (who, may) => {
    const other = await join(sql, people.studio, 'member')
    const attempts = [
      () => admit(people[who], 'member'),
      () => change(other, 'admin', people[who]),
      () => dismiss(other, people[who]),
    ]
    for (const attempt of attempts) {
      if (may) await attempt()
      else await expect(attempt()).rejects.toMatchObject({ code: '42501' })
    }
  })

  test('only owners make, change and remove owners', async () => {
    for (const attempt of [
      () => admit(people.admin, 'owner'),
      () => change(people.member, 'owner', people.admin),
      () => change(people.owner, 'member', people.admin),
      () => dismiss(people.owner, people.admin),
    ]) {
      await expect(attempt()).rejects.toMatchObject({ code: '42501' })
    }
    await change(people.member, 'owner', people.owner)
    await dismiss(people.member, people.owner)
  })
})

describe('the last owner', () => {
  test('keeps the role and the membership', async () => {
    await expect(change(people.owner, 'admin', people.owner)).rejects.toMatchObject({ code: 'SI409' })
    await expect(dismiss(people.owner, people.owner)).rejects.toMatchObject({ code: 'SI409' })
    expect(await role(people.owner)).toBe('owner')
  })

  test.each<[what: string, act: (one: string, other: string, session: Session) => Promise<unknown>, code: string]>([
    ['remove each other', (by, of, session) => dismiss(of, by, session), '42501'],
    ['step down', (by, _other, session) => change(by, 'member', by, session), 'SI409'],
  ])('is left when two owners %s at once', async (what, act, code) => {
    const other = await join(sql, people.studio, 'owner')
    const [one, two] = [await sql.connect('studio_owner'), await sql.connect('studio_owner')]
    const [first, second] = what === 'step down' ? [other, people.owner] : [people.owner, other]
    await one.rows('begin')
    await act(first, second, one)
    const refused = act(second, first, two).catch((error: unknown) => error)
    await sql.blocked(two)
    await one.rows('commit')
    expect(await refused).toMatchObject({ code })
    expect(await role(people.owner)).toBe('owner')
  })
})

test('a removal revokes the tokens that act as the member, and no other', async () => {
  const of = (issuer: string, scope: string | null = null) => issue(sql, { studio: people.studio.id, issuer, scope })
  const own = [await of(people.admin), await of(people.admin, people.admin)]
  const others = [await of(people.admin, people.member), await of(people.owner, people.admin), await of(people.owner)]
  expect(await dismiss(people.admin, people.owner)).toBe(2)
  const statusOf = ({ digest }: { digest: Buffer }) =>
    sql.api.value<number>('select status from access.open_session($1)', [digest])
  for (const token of own) expect(await statusOf(token)).toBe(401)
  for (const token of others) expect(await statusOf(token)).toBe(200)
  await sql.owner.rows(`select access.add_member($1, (select email from access.users where id = $2), '', 'admin')`, [
    ...[people.studio.id, people.admin],
  ])
  for (const token of own) expect(await statusOf(token)).toBe(401)
})

describe('a token whose issuer is gone and that acted as somebody else', () => {
  test('is revoked with the removal of that member, so that it does not come back with its issuer', async () => {
    const token = await issue(sql, { studio: people.studio.id, issuer: people.admin, scope: people.member })
    await dismiss(people.admin, people.owner)
    const counts = await sql.owner.row(
      'select own_tokens::int, scoped_tokens::int from access.list_members($1) where user_id = $2',
      [...[people.studio.id, people.member]],
    )
    expect(counts).toEqual({ own_tokens: 1, scoped_tokens: 0 })
    expect(await dismiss(people.member, people.owner)).toBe(1)
    await sql.owner.rows(`select access.add_member($1, (select email from access.users where id = $2), '', 'admin')`, [
      ...[people.studio.id, people.admin],
    ])
    expect(await sql.api.value('select status from access.open_session($1)', [token.digest])).toBe(401)
  })
})

const scopeOf = (token: Issued) =>
  sql.admin.value<string | null>('select scope_user_id from access.tokens where id = $1', [token.tokenId])

const issueScoped = (scope: string, session = sql.owner) =>
  issue(sql, { studio: people.studio.id, issuer: people.owner, scope, session })

describe('a token whose scoped member is removed', () => {
  test('does not regain its scope when the member comes back', async () => {
    const token = await issueScoped(people.member)
    await leave(sql, people.studio, people.member)
    await addToStudio(sql, people.studio, people.member, 'member')
    expect(await scopeOf(token)).toBeNull()
  })

  test('keeps its scope when the member is removed from another studio', async () => {
    await addToStudio(sql, people.elsewhere, people.member, 'member')
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
