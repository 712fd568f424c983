import { afterAll, beforeAll, expect, it } from 'vitest'
import { asOwner, withStudioWriter } from '../../src/database/session.ts'
import { createTestDatabase, type TestDatabase } from '../support/server.ts'

const studio = '0191a000-0000-7000-8000-000000000001'
const session = `select session_user as login, current_user as role, current_setting('studio.id', true) as studio`

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
  await asOwner(database.adminUrl, (transaction) => transaction.query('create table app.kept (a int)'))
})
afterAll(() => database.drop())

it('writes for a studio as studio_writer, in that studio', async () => {
  const rows = await withStudioWriter(database.urlFor('studio_writer'), studio, ({ query }) => query(session))
  expect(rows).toEqual([{ login: 'studio_writer', role: 'studio_writer', studio }])
})

it('keeps what a transaction did when it comes to its end, and nothing otherwise', async () => {
  const count = async () =>
    (await asOwner(database.adminUrl, ({ query }) => query('select a from app.kept order by a'))).length
  await asOwner(database.adminUrl, ({ query }) => query('insert into app.kept values ($1)', [1]))
  expect(await count()).toBe(1)
  const thrown = asOwner(database.adminUrl, async ({ query }) => {
    await query('insert into app.kept values (2)')
    throw new Error('changed my mind')
  })
  await expect(thrown).rejects.toThrow('changed my mind')
  expect(await count()).toBe(1)
})

it('does not report success for a transaction in which a statement failed', async () => {
  const swallowed = asOwner(database.adminUrl, async ({ query }) => {
    await query('insert into app.kept values (3)')
    await query('select * from nowhere').catch(() => undefined)
  })
  await expect(swallowed).rejects.toThrow('rolled back because one of its statements failed')
})
