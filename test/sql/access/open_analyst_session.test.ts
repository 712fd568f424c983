import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { asRole } from '../../support/server.ts'
import { useSql } from '../support.ts'
import { addToStudio, castPeople, leave, noon, type People, subscribe } from './people.ts'

const sql = useSql()
let people: People

beforeAll(() => sql.stopClock(noon))
afterAll(() => sql.startClock())
beforeEach(async () => {
  people = await castPeople(sql)
})

/** What the login of GraphQL gets, and the studio whose session is then open. */
function open(studio: string | null, user: string | null, email: string | null = null) {
  return asRole(sql.database, 'studio_graphql', async (client) => {
    await client.query('begin')
    const { rows } = await client.query('select status, plan_tier from access.open_analyst_session($1, $2, $3)', [
      studio,
      user,
      email,
    ])
    const session = await client.query(`select access.current_studio_id() as studio`)
    const setting = await client.query(`select nullif(current_setting('studio.id', true), '') as studio`)
    return { ...rows[0], studio: session.rows[0].studio, setting: setting.rows[0].studio }
  })
}

const refused = { status: 401, plan_tier: null, studio: null, setting: null }

test('a member opens the studio, by user id or by e-mail in any case, for one transaction', async () => {
  const { id } = people.studio
  const opened = { status: 200, plan_tier: 'studio', studio: id, setting: id }
  expect(await open(id, people.member)).toEqual(opened)
  const email = await sql.owner.value('select email from access.users where id = $1', [people.member])
  expect(await open(id, null, email.toUpperCase())).toEqual(opened)
})

describe('401, and no session', () => {
  test('without a login, without a studio, for an unknown login', async () => {
    const { id } = people.studio
    expect(await open(id, null)).toEqual(refused)
    expect(await open(id, null, '')).toEqual(refused)
    expect(await open(null, people.member)).toEqual(refused)
    expect(await open(randomUUID(), people.member)).toEqual(refused)
    expect(await open(id, randomUUID())).toEqual(refused)
    expect(await open(id, null, 'nobody@example.com')).toEqual(refused)
  })

  test('for a user id of a stranger with the e-mail of a member: the id counts', async () => {
    const email = await sql.owner.value('select email from access.users where id = $1', [people.member])
    expect(await open(people.studio.id, randomUUID(), email)).toEqual(refused)
  })

  test('from the moment on at which the member leaves, and of another studio never', async () => {
    await addToStudio(sql, people.elsewhere, people.member)
    await leave(sql, people.studio, people.member)
    expect(await open(people.studio.id, people.member)).toEqual(refused)
    expect(await open(people.elsewhere.id, people.member)).toMatchObject({ status: 200, studio: people.elsewhere.id })
  })
})

test('403, and no session, when the plan includes no access', async () => {
  await subscribe(sql, people.studio, { status: 'canceled' })
  expect(await open(people.studio.id, people.member)).toEqual({ ...refused, status: 403 })
})
