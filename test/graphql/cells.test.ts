import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Cast } from '../support/cast.ts'
import { createCastDatabase } from '../support/cast-database.ts'
import { changeAnyway } from '../support/cells.ts'
import { type DatabaseProxy, openProxy } from '../support/proxy.ts'
import { asAdmin, type TestDatabase } from '../support/server.ts'
import { type GraphqlService, startGraphql, tokenOf } from './support.ts'

/** Studio A has its people in eu1 alone, studio B in eu2 alone, although each cell has the data of both. */
let eu1: TestDatabase
let eu2: TestDatabase
let cast: Cast
let proxy: DatabaseProxy
let graphql: GraphqlService

beforeAll(async () => {
  const [first, second] = await Promise.all([createCastDatabase(), createCastDatabase()])
  ;[eu1, eu2, cast] = [first.database, second.database, first.cast]
  await leave(eu1, cast.b.id)
  await leave(eu2, cast.a.id)
  proxy = await openProxy(eu2.adminUrl)
  const databaseUrl = proxy.reach(eu2.urlFor('studio_graphql'))
  graphql = await startGraphql(eu1, { otherCells: [{ name: 'eu2', databaseUrl }] })
})
afterAll(async () => {
  await graphql?.stop()
  await proxy?.close()
  await Promise.all([eu1?.drop(), eu2?.drop()])
})

const leave = (database: TestDatabase, studioId: string) =>
  changeAnyway(database, 'delete from access.members where studio_id = $1', [studioId])

const account = async (studio: 'a' | 'b') =>
  graphql.ask<{ account: { name: string } }>('{ account { name } items(first: 50) { nodes { name } } }', {
    token: await tokenOf(cast[studio]),
  })

test('an analyst reads the studio in the cell where they are a member of it, and nothing of others', async () => {
  for (const studio of ['a', 'b', 'a', 'b'] as const) {
    const { status, data, text } = await account(studio)
    expect(status).toBe(200)
    expect(data.account.name).toBe(cast[studio].name)
    if (studio === 'a') cast.expectNoCanary(text)
  }
})

test('somebody who is a member nowhere is refused', async () => {
  const { status } = await graphql.ask('{ account { name } }', { token: await tokenOf(cast.a, cast.outsider) })
  expect(status).toBe(401)
})

describe('an analyst whom two cells accept', () => {
  /** A service that knows nobody yet. */
  async function asked() {
    const other = await startGraphql(eu1, { otherCells: [{ name: 'eu2', databaseUrl: eu2.urlFor('studio_graphql') }] })
    const { status, text } = await other.ask('{ account { name } }', { token: await tokenOf(cast.a) })
    const reply = { status, text, alarm: other.log().includes('several cells accept the same token') }
    await other.stop()
    return reply
  }
  beforeAll(() =>
    changeAnyway(eu2, `insert into access.members (studio_id, user_id, role) values ($1, $2, 'owner')`, [
      cast.a.id,
      cast.a.people.owner.id,
    ]),
  )
  afterAll(() => leave(eu2, cast.a.id))

  test('is answered while both have the same data, as while the studio moves', async () => {
    expect(await asked()).toMatchObject({ status: 200, text: expect.stringContaining(cast.a.name), alarm: false })
  })

  test('is refused for the plan when both say so', async () => {
    const archive = (at: string) =>
      Promise.all(
        [eu1, eu2].map((cell) =>
          changeAnyway(cell, `update access.subscriptions set archived_at = ${at} where studio_id = $1`, [cast.a.id]),
        ),
      )
    await archive('now()')
    expect(await asked()).toMatchObject({ status: 403, alarm: false })
    await archive('null')
  })

  test('is answered by neither when they have different data, and the log names them', async () => {
    await asAdmin(eu2, (admin) => admin.query('select app.add_data_version(array[$1::uuid])', [cast.a.id]))
    expect(await asked()).toMatchObject({ status: 503, alarm: true })
  })
})

test('while a cell is down its analysts get 503, and those of others their answers', async () => {
  await proxy.down()
  expect((await account('b')).status).toBe(503)
  const stranger = { token: await tokenOf(cast.a, cast.outsider) }
  expect((await graphql.ask('{ account { name } }', stranger)).status).toBe(503)
  expect((await account('a')).status).toBe(200)
  await proxy.up()
  await vi.waitUntil(async () => (await account('b')).status === 200, { timeout: 20_000 })
})
