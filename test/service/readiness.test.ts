import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createPool, type Pool } from '../../src/database/pool.ts'
import { makeLogger } from '../../src/log.ts'
import { newestMigration } from '../../src/migration/migrations.ts'
import { checkReadiness, warnOfServer } from '../../src/service/readiness.ts'
import { keepLog } from '../support/log.ts'
import { asAdmin, useDatabase } from '../support/server.ts'

const newest = await newestMigration()
const newestName = newest.filename

const database = useDatabase()
let api: Pool
beforeAll(async () => {
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

describe('by the migrations of its database', () => {
  // Each test starts with the migrations of this release.
  let before: { filename: string; hash: string; previous_hash: string | null }[]
  beforeAll(async () => {
    const text = 'select filename, hash, previous_hash from graphile_migrate.migrations order by filename'
    before = (await asAdmin(database, (admin) => admin.query(text))).rows
  })
  beforeEach(async () => {
    await asAdmin(database, async (admin) => {
      await admin.query('delete from graphile_migrate.migrations')
      for (const { filename, hash, previous_hash } of before) await admin.query(add, [filename, hash, previous_hash])
    })
  })

  test('a process is ready on the newest migration of its release, and on a newer one: it is replaced later', async () => {
    expect(await readinessAfter()).toEqual({ ready: true, schemaVersion: newestName })
    const newer = await readinessAfter([add, ['999999.sql', 'sha1:newer', newest.hash]])
    expect(newer).toEqual({ ready: true, schemaVersion: '999999.sql' })
  })

  describe('a process is not ready', () => {
    const needed = `this release needs ${newestName}`
    const foreign = `the database was made by another version (its ${newestName} is not the migration of this release)`
    test.each<[what: string, reason: () => string, ...Statement[]]>([
      [
        'when a backup of an older release was restored',
        () =>
          `the database is not up to date (it has ${before.at(-2)?.filename}, ${needed}): run studio-inventory migrate`,
        [remove, [newestName]],
      ],
      [
        'when its database has no migration',
        () => `the database is not up to date (it has no migration, ${needed}): run studio-inventory migrate`,
        [remove, ['']],
      ],
      [
        'when the newest migration has the name of its own and is another',
        () => `${foreign}: run studio-inventory migrate, which says what to do`,
        [changeHash, [newestName, 'sha1:another']],
      ],
      [
        'when the migrations are not those of its release, and there are newer ones',
        () => `${foreign}: run studio-inventory migrate, which says what to do`,
        [changeHash, [newestName, 'sha1:another']],
        [add, ['999999.sql', 'sha1:newer', 'sha1:another']],
      ],
    ])('%s', async (_what, reason, ...statements) => {
      expect(await readinessAfter(...statements)).toEqual({ ready: false, reason: reason() })
    })

    test('when its database is that of a release without what it asks', async () => {
      const state = await readinessAfter(['alter function access.has_migration(text) rename to had_migration'])
      await asAdmin(database, (admin) =>
        admin.query('alter function access.had_migration(text) rename to has_migration'),
      )
      expect(state).toEqual({
        ready: false,
        reason: `the database is not up to date (${needed}): run studio-inventory migrate`,
      })
    })
  })
})

test('at the start it warns when the server has too few connections for two such processes', async () => {
  const { log, lines } = keepLog('warn')
  const { rows } = await asAdmin(database, (admin) => admin.query('show max_connections'))
  const most = Number(rows[0].max_connections)
  for (const own of [most / 4, most / 2]) await warnOfServer(api, own, log)
  const said = lines.map(({ msg }) => String(msg)).filter((msg) => msg.includes('POOL_SIZE'))
  expect(said).toEqual([
    expect.stringMatching(
      `opens up to ${most / 2} connections, and max_connections = ${most} has \\d+ for two of them`,
    ),
  ])
})
