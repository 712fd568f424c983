import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { Cast } from '../support/cast.ts'
import { createCastDatabase } from '../support/cast-database.ts'
import { changeAnyway } from '../support/cells.ts'
import { type DatabaseProxy, openProxy } from '../support/proxy.ts'
import type { TestDatabase } from '../support/server.ts'
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

test('while a cell is down its analysts get 503, and those of others their answers', async () => {
  await proxy.down()
  expect((await account('b')).status).toBe(503)
  const stranger = { token: await tokenOf(cast.a, cast.outsider) }
  expect((await graphql.ask('{ account { name } }', stranger)).status).toBe(503)
  expect((await account('a')).status).toBe(200)
  await proxy.up()
  await vi.waitUntil(async () => (await account('b')).status === 200, { timeout: 20_000 })
})
