import { randomBytes } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Issued, issue, type Session, useSql } from '../support.ts'
import { addToStudio, castPeople, join, leave, type People } from './people.ts'

const sql = useSql()
let people: People
let console: Session
let graphql: Session
beforeAll(async () => {
  console = await sql.connect('studio_console')
  graphql = await sql.connect('studio_graphql')
})
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
})

/** Does one thing in an open transaction, and then the other, which must wait. Returns the
 * result. */
async function race<Of>(first: (one: Session) => Promise<unknown>, second: (two: Session) => Promise<Of>) {
  const [one, two] = [await sql.connect('studio_owner'), await sql.connect('studio_owner')]
  await one.rows('begin')
  const done = await first(one)
  const waiting = second(two).catch((error: unknown) => error)
  await sql.blocked(two)
  await one.rows('commit')
  return [done, await waiting]
}

describe('the last owner', () => {
  test.each<[what: string, act: (one: string, other: string, session: Session) => Promise<unknown>, code: string]>([
    ['remove each other', (by, of, session) => dismiss(of, by, session), '42501'],
    ['step down', (by, _other, session) => change(by, 'member', by, session), 'SI409'],
  ])('is left when two owners %s at once', async (what, act, code) => {
    const other = await join(sql, people.studio, 'owner')
    const [first, second] = what === 'step down' ? [other, people.owner] : [people.owner, other]
    const [, refused] = await race(
      (one) => act(first, second, one),
      (two) => act(second, first, two),
    )
    expect(refused).toMatchObject({ code })
    expect(await role(people.owner)).toBe('owner')
  })
})

const scopeOf = (token: Issued) =>
  sql.admin.value<string | null>('select scope_user_id from access.tokens where id = $1', [token.tokenId])

const issueScoped = (scope: string | null, session = sql.owner, issuer = people.owner) =>
  issue(sql, { studio: people.studio.id, issuer, scope, session })

test('a token keeps its scope when the member is removed from another studio', async () => {
  await addToStudio(sql, people.elsewhere, people.member, 'member')
  const token = await issueScoped(people.member)
  await leave(sql, people.elsewhere, people.member)
  expect(await scopeOf(token)).toBe(people.member)
})

const joinAs = (email: string) =>
  sql.owner.value('select access.add_member($1, $2, $3, $4)', [people.studio.id, email, email, 'member'])

/** The person who is found by an e-mail, at each place that looks for one; null for nobody. */
async function findEverywhere(email: string) {
  const session = randomBytes(32)
  const nobody = (error: { code?: string }) => {
    if (error.code !== 'SI404') throw error
    return null
  }
  const found = await sql.owner.value('select access.find_user($1)', [email]).catch(nobody)
  const signedIn = await console
    .rows('select console.sign_in($1, $2, now() + interval $$1 minute$$, $3, now() + interval $$1 hour$$)', [
      email,
      randomBytes(32),
      session,
    ])
    .then(() => sql.admin.value('select user_id from access.console_sessions where digest = $1', [session]))
    .catch(nobody)
  const status = await graphql.value<number>('select status from access.open_analyst_session($1, null, $2)', [
    people.studio.id,
    email,
  ])
  return { found, signedIn, status }
}

describe('letters that become ASCII when their case is folded are other letters', () => {
  const pairs = [
    ['kelvin@kanal9.example', '\u212aelvin@kanal9.example'],
    ['ÄNNE@studio.example', 'änne@studio.example'],
  ] as const

  test.each(pairs)('%s is not %s', async (one, other) => {
    const person = await joinAs(one)
    expect(await findEverywhere(other)).toEqual({ found: null, signedIn: null, status: 401 })
    const another = await joinAs(other)
    expect(another).not.toBe(person)
    expect(await findEverywhere(one)).toEqual({ found: person, signedIn: person, status: 200 })
    expect(await findEverywhere(other)).toEqual({ found: another, signedIn: another, status: 200 })
  })
})
