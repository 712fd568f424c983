import { expect, inject, test } from 'vitest'
import { consoleOf, signIn, visitorOf } from '../console/support.ts'
import { withClient } from '../support/server.ts'
import type { TestService } from '../support/service.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()

test('these tests go through the pooler, whose few connections all clients share', async () => {
  const others = await Promise.all([world.start({ poolSize: 8 }), world.start({ poolSize: 8 })])
  const token = world.cast.a.token.token
  const replies = await Promise.all(
    Array.from({ length: 60 }, (_, index) =>
      others[index % 2]?.get(`/v1/items?per_page=${1 + (index % 7)}`, { token }),
    ),
  )
  expect(new Set(replies.map((reply) => reply?.status))).toEqual(new Set([200]))
  const sessions = await sessionsOf('studio_api')
  expect(sessions).toBeGreaterThan(0)
  expect(sessions).toBeLessThanOrEqual(3)
  expect(inject('poolerPort')).toBeGreaterThan(0)
})

test('so does the console: people who sign in at once see only their own studios', async () => {
  const options = { console: consoleOf(), poolSize: 8 }
  const consoles = await Promise.all([world.start(options), world.start(options)])
  const { a, b } = world.cast
  const look = async (at: number) => {
    const [own, other] = at % 4 < 2 ? [a, b] : [b, a]
    const visitor = visitorOf(consoles[at % 2] as TestService)
    expect((await signIn(visitor, own.people.owner.email)).status).toBe(200)
    const [page, foreign] = await Promise.all(
      [own, other].map(({ id }) => visitor.get(`/console/studios/${id}/members`)),
    )
    expect([page?.status, foreign?.status]).toEqual([200, 404])
    expect(page?.text).toContain(own.people.member.email)
    expect(page?.text).not.toContain(other.people.member.email)
  }
  await Promise.all(Array.from({ length: 12 }, (_, at) => look(at)))
  const sessions = await sessionsOf('studio_console')
  expect(sessions).toBeGreaterThan(0)
  expect(sessions).toBeLessThanOrEqual(3)
})

/** How many connections to the server the pooler has for a role. */
const sessionsOf = (role: string) =>
  withClient(world.database.adminUrl, async (admin) => {
    const found = await admin.query(
      'select from pg_stat_activity where usename = $1 and datname = current_database()',
      [role],
    )
    return found.rowCount
  })

test('a statement without an end is ended by the server, though the pooler keeps its limit from it', async () => {
  for (const role of ['studio_api', 'studio_recorder', 'studio_console'] as const) {
    const { rows } = await withClient(world.database.urlFor(role), (client) => client.query('show statement_timeout'))
    expect(rows).toEqual([{ statement_timeout: '5s' }])
  }
})

test('nothing of a session stays on a connection that the next client gets', async () => {
  const { a, b } = world.cast
  const [one, other] = [a.token.token, b.token.token]
  for (let round = 0; round < 20; round += 1) {
    const [first, second] = await Promise.all([
      world.get<{ data: { name: string } }>('/v1/account', { token: one }),
      world.get<{ data: { name: string } }>('/v1/account', { token: other }),
    ])
    expect([first.status, second.status]).toEqual([200, 200])
    expect(first.json.data.name).not.toBe(second.json.data.name)
  }
  const left = await withClient(world.service.reach(world.database.urlFor('studio_api')), (client) =>
    client.query<{ studio: string | null }>(
      `select nullif(pg_catalog.current_setting('studio.id', true), '') as studio`,
    ),
  )
  expect(left.rows).toEqual([{ studio: null }])
})
