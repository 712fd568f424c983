import { randomBytes, randomUUID } from 'node:crypto'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { asRole } from '../../support/server.ts'
import { type Session, useSql } from '../support.ts'
import { castPeople, leave, type People, signIn, subscribe } from './people.ts'

const sql = useSql()
let people: People
let console: Session

beforeAll(async () => {
  console = await sql.connect('studio_console')
})
beforeEach(async () => {
  people = await castPeople(sql)
})

const signInAs = async (user: string, expires?: string) =>
  signIn(console, await sql.owner.value('select email from access.users where id = $1', [user]), expires)

/** Whose items the console reads inside the transaction and after it, or a refusal's code. */
function open(session: Buffer | null, studio: string = people.studio.id) {
  return asRole(sql.database, 'studio_api', async (client) => {
    const current = async () => (await client.query('select access.current_studio_id() as id')).rows[0].id
    await client.query('begin')
    try {
      const { rows } = await client.query('select today, version from access.open_member_session($1, $2)', [
        session,
        studio,
      ])
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

test.each([
  ['an owner', 'owner'],
  ['an admin', 'admin'],
  ['a member', 'member'],
] as const)('%s sees the studio until the end of the transaction, without a plan too', async (_who, role) => {
  await subscribe(sql, people.studio, { status: 'canceled' })
  expect(await open(await signInAs(people[role]))).toEqual({ during: people.studio.id, after: null })
})

const archive = () => sql.owner.rows('select access.archive_studio($1, true, $2)', [people.studio.id, people.owner])

test.each<[who: string, code: string, session: () => Promise<Buffer | null>, studio?: () => string]>([
  ['nobody', 'SI401', async () => null],
  ['an unknown session', 'SI401', async () => randomBytes(32)],
  ['a session that has expired', 'SI401', () => signInAs(people.member, '2020-01-01')],
  [
    'a session that was ended',
    'SI401',
    async () => {
      const session = await signInAs(people.member)
      await console.rows('select console.sign_out($1)', [session])
      return session
    },
  ],
  ['the owner of another studio', 'SI404', () => signInAs(people.outsider)],
  ['an admin who was removed', 'SI404', () => signInAs(people.removed)],
  [
    'a member who was removed after the sign-in',
    'SI404',
    async () => {
      const session = await signInAs(people.member)
      await leave(sql, people.studio, people.member)
      return session
    },
  ],
  ['a member, of another studio', 'SI404', () => signInAs(people.member), () => people.elsewhere.id],
  ['a member, of an unknown studio', 'SI404', () => signInAs(people.member), randomUUID],
  ['the owner of an archived studio', 'SI404', () => archive().then(() => signInAs(people.owner))],
  [
    'the owner of a studio that is being removed',
    'SI404',
    async () => {
      await sql.owner.rows('select access.begin_removal($1, $2)', [people.studio.id, people.owner])
      return signInAs(people.owner)
    },
  ],
])('%s is refused with %s, and sees nothing', async (_who, code, session, studio) => {
  expect(await open(await session(), studio?.())).toEqual({ code, after: null })
})
