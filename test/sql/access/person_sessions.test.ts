import { randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { asRole } from '../../support/server.ts'
import { type Session, useSql } from '../support.ts'
import { addToStudio, castPeople, leave, noon, type People, signIn, subscribe } from './people.ts'

const sql = useSql()
let people: People
let console: Session

afterAll(() => sql.startClock())
beforeAll(async () => {
  await sql.stopClock(noon)
  console = await sql.connect('studio_console')
})
beforeEach(async () => {
  people = await castPeople(sql)
})

const emailOf = (user: string) => sql.owner.value('select email from access.users where id = $1', [user])
const signInAs = async (user: string, expires?: string) => signIn(console, await emailOf(user), expires)

/** Whose items the console reads inside the transaction and after it, or a refusal's code. */
function open(session: Buffer | null, studio: string = people.studio.id) {
  return asRole(sql.database, 'studio_api', async (client) => {
    const current = async () => (await client.query('select access.current_studio_id() as id')).rows[0].id
    await client.query('begin')
    try {
      const opening = 'select access.current_studio_today() as today, version from access.open_member_session($1, $2)'
      const { rows } = await client.query(opening, [session, studio])
      expect(rows[0]).toEqual({ today: expect.anything(), version: expect.any(String) })
      const during = await current()
      await client.query('commit')
      return { during, after: await current() }
    } catch (error) {
      await client.query('rollback')
      return { code: (error as { code: string }).code, after: await current() }
    }
  })
}

test.each(['owner', 'admin', 'member'] as const)(
  'the %s sees the studio until the end of the transaction, without a plan too',
  async (role) => {
    await subscribe(sql, people.studio, { status: 'canceled' })
    expect(await open(await signInAs(people[role]))).toEqual({ during: people.studio.id, after: null })
  },
)

async function signInThen(work: (session: Buffer) => Promise<unknown>): Promise<Buffer> {
  const session = await signInAs(people.member)
  await work(session)
  return session
}
async function ownerAfter(call: string): Promise<Buffer> {
  await sql.owner.rows(`select access.${call}`, [people.studio.id, people.owner])
  return signInAs(people.owner)
}

test.each<[who: string, code: string, session: () => Promise<Buffer | null>, studio?: () => string]>([
  ['nobody', 'SI401', async () => null],
  ['an unknown session', 'SI401', async () => randomBytes(32)],
  ['a session that has expired', 'SI401', () => signInAs(people.member, '2020-01-01')],
  [
    'a session that was ended',
    'SI401',
    () => signInThen((session) => console.rows('select console.sign_out($1)', [session])),
  ],
  ['the owner of another studio', 'SI404', () => signInAs(people.outsider)],
  ['an admin who was removed', 'SI404', () => signInAs(people.removed)],
  [
    'a member who was removed after the sign-in',
    'SI404',
    () => signInThen(() => leave(sql, people.studio, people.member)),
  ],
  ['a member, of another studio', 'SI404', () => signInAs(people.member), () => people.elsewhere.id],
  ['a member, of an unknown studio', 'SI404', () => signInAs(people.member), randomUUID],
  ['the owner of an archived studio', 'SI404', () => ownerAfter('archive_studio($1, true, $2)')],
  ['the owner of a studio that is being removed', 'SI404', () => ownerAfter('begin_removal($1, $2)')],
])('%s is refused with %s, and sees nothing', async (_who, code, session, studio) => {
  expect(await open(await session(), studio?.())).toEqual({ code, after: null })
})

/** What the login of GraphQL gets, and the studio whose session is then open. */
function openAnalyst(studio: string | null, user: string | null, email: string | null = null) {
  return asRole(sql.database, 'studio_graphql', async (client) => {
    await client.query('begin')
    const opening = 'select status, plan_tier from access.open_analyst_session($1, $2, $3)'
    const { rows } = await client.query(opening, [studio, user, email])
    const session = await client.query(
      `select access.current_studio_id() as studio, nullif(current_setting('studio.id', true), '') as setting`,
    )
    return { ...rows[0], ...session.rows[0] }
  })
}

const refused = { status: 401, plan_tier: null, studio: null, setting: null }

test('an analyst who is a member opens the studio, by user id or by e-mail in any case, for one transaction', async () => {
  const { id } = people.studio
  const opened = { status: 200, plan_tier: 'studio', studio: id, setting: id }
  expect(await openAnalyst(id, people.member)).toEqual(opened)
  const email = await emailOf(people.member)
  expect(await openAnalyst(id, null, email.toUpperCase())).toEqual(opened)
})

test.each<[what: string, asked: (studio: string, member: string) => Parameters<typeof openAnalyst>]>([
  ['without a login', (id) => [id, null]],
  ['with an empty e-mail', (id) => [id, null, '']],
  ['without a studio', (_id, member) => [null, member]],
  ['for an unknown studio', (_id, member) => [randomUUID(), member]],
  ['for an unknown login', (id) => [id, randomUUID()]],
  ['for an unknown e-mail', (id) => [id, null, 'nobody@example.com']],
])('an analyst gets 401, and no session, %s', async (_what, asked) => {
  expect(await openAnalyst(...asked(people.studio.id, people.member))).toEqual(refused)
})

test('the id of an analyst counts, and not the e-mail of a member with it', async () => {
  expect(await openAnalyst(people.studio.id, randomUUID(), await emailOf(people.member))).toEqual(refused)
})

test('an analyst gets 401 from the moment on at which the member leaves, and keeps the other studio', async () => {
  const { studio, elsewhere, member } = people
  await addToStudio(sql, elsewhere, member)
  await leave(sql, studio, member)
  expect(await openAnalyst(studio.id, member)).toEqual(refused)
  expect(await openAnalyst(elsewhere.id, member)).toMatchObject({ status: 200, studio: elsewhere.id })
})

test('an analyst gets 403, and no session, when the plan includes no access', async () => {
  await subscribe(sql, people.studio, { status: 'canceled' })
  expect(await openAnalyst(people.studio.id, people.member)).toEqual({ ...refused, status: 403 })
})
