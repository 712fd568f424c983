import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { createTestDatabase, type TestDatabase, withClient } from '../support/server.ts'

const migrations = join(import.meta.dirname, '../../migrations/committed')

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database?.drop())

it('what a call in progress still reads by its old name is dropped when the call has ended', async () => {
  const file = (await readdir(migrations)).find((name) => name.includes('drop-the-old-names')) ?? ''
  const migration = await readFile(join(migrations, file), 'utf8')
  await withClient(database.adminUrl, async (admin) => {
    await admin.query(`set role studio_owner; create view api_v1.item_counts as select 1 as one;
      grant select on api_v1.item_counts to studio_api`)
  })
  await withClient(database.urlFor('studio_api'), async (call) => {
    await call.query('begin')
    await call.query('select 1')
    const migrated = withClient(database.adminUrl, (admin) => admin.query(`begin; ${migration}; commit`))
    await withClient(database.adminUrl, async (admin) => {
      const waits = `select from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()`
      await vi.waitUntil(async () => (await admin.query(waits)).rowCount === 1, { timeout: 30_000, interval: 20 })
    })
    expect((await call.query('select one from api_v1.item_counts')).rows).toEqual([{ one: 1 }])
    await call.query('commit')
    await migrated
    await expect(call.query('select one from api_v1.item_counts')).rejects.toMatchObject({ code: '42P01' })
  })
})
