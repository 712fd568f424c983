import type pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createPool, type Pool } from '../../src/database/pool.ts'
import { makeLogger } from '../../src/log.ts'
import { newestMigration } from '../../src/migration/migrations.ts'
import { checkReadiness } from '../../src/process/readiness.ts'
import { asAdmin, createTestDatabase, type TestDatabase } from '../support/server.ts'

const newest = await newestMigration()
const newestName = newest.filename

let database: TestDatabase
let api: Pool
beforeAll(async () => {
  database = await createTestDatabase()
  api = createPool(database.urlFor('studio_api'), {
    applicationName: 'test readiness',
    size: 1,
    acquireTimeoutMs: 2_000,
    statementTimeoutMs: 5_000,
    log: makeLogger({ level: 'silent' }),
  })
})
afterAll(async () => {
  await api.close()
  await database.drop()
})

type Statement = [text: string, values?: unknown[]]

/** Whether a process of this release is ready after these statements were run on its database. */
async function readinessAfter(...statements: Statement[]) {
  await asAdmin(database, async (admin) => {
    for (const [text, values] of statements) await admin.query(text, values)
  })
  return checkReadiness(api, newest)
}

const add = 'insert into graphile_migrate.migrations (filename, hash, previous_hash) values ($1, $2, $3)'
const remove = 'delete from graphile_migrate.migrations where filename >= $1'
const changeHash = 'update graphile_migrate.migrations set hash = $2 where filename = $1'

// Each test starts with the migrations of this release.
let before: { filename: string; hash: string; previous_hash: string | null }[]
beforeAll(async () => {
  before = await asAdmin(database, async (admin: pg.Client) => {
    const { rows } = await admin.query(
      'select filename, hash, previous_hash from graphile_migrate.migrations order by filename',
    )
    return rows
  })
})
beforeEach(async () => {
  await asAdmin(database, async (admin) => {
    await admin.query('delete from graphile_migrate.migrations')
    for (const { filename, hash, previous_hash } of before) await admin.query(add, [filename, hash, previous_hash])
  })
})

describe('a process is ready', () => {
  test('when its database has the newest migration of its release', async () => {
    expect(await readinessAfter()).toEqual({ ready: true, schemaVersion: newestName })
  })

  test('when its database is that of a newer release: it is replaced later', async () => {
    expect(await readinessAfter([add, ['999999.sql', 'sha1:newer', newest.hash]])).toEqual({
      ready: true,
      schemaVersion: '999999.sql',
    })
  })
})

describe('a process is not ready', () => {
  test('when a backup of an older release was restored', async () => {
    const [older] = before.slice(-2)
    expect(await readinessAfter([remove, [newestName]])).toEqual({
      ready: false,
      reason: `the database is not up to date (it has ${older?.filename}, this release needs ${newestName}): run studio-inventory migrate`,
    })
  })

  test('when its database has no migration', async () => {
    expect(await readinessAfter([remove, ['']])).toEqual({
      ready: false,
      reason: `the database is not up to date (it has no migration, this release needs ${newestName}): run studio-inventory migrate`,
    })
  })

  const otherOrigin: [string, ...Statement[]][] = [
    ['and the newest has the name of its own', [changeHash, [newestName, 'sha1:another']]],
    [
      'and there are newer ones',
      [changeHash, [newestName, 'sha1:another']],
      [add, ['999999.sql', 'sha1:newer', 'sha1:another']],
    ],
  ]
  test.each(otherOrigin)('when the migrations are not those of its release, %s', async (_, ...statements) => {
    expect(await readinessAfter(...statements)).toEqual({
      ready: false,
      reason: `the database was made by another version (its ${newestName} is not the migration of this release): run studio-inventory migrate, which says what to do`,
    })
  })

  test('when its database is that of a release without what it asks', async () => {
    const state = await readinessAfter(['alter function access.has_migration(text) rename to had_migration'])
    await asAdmin(database, (admin) => admin.query('alter function access.had_migration(text) rename to has_migration'))
    expect(state).toEqual({
      ready: false,
      reason: `the database is not up to date (this release needs ${newestName}): run studio-inventory migrate`,
    })
  })
})
