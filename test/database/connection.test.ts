import { expect, it } from 'vitest'
import { rolePassword } from '../../src/database/roles.ts'
import { makeLogger } from '../../src/log.ts'
import { openDatabase } from '../../src/process/open-database.ts'

const secretKey = 'k'.repeat(32)
const log = makeLogger({ level: 'silent' })

it('uses DATABASE_URL without connecting, and makes the connection strings of the roles from it', async () => {
  const database = await openDatabase(
    {
      databaseUrl: 'postgres://admin:pw@192.0.2.1:5432/studio',
      poolerUrl: 'postgres://pgbouncer:6432/studio',
      secretKey,
      dataDir: '/nowhere',
    },
    log,
  )
  expect(database).toMatchObject({ adminUrl: 'postgres://admin:pw@192.0.2.1:5432/studio', embedded: false, secretKey })
  expect(database.urlFor('studio_api')).toBe(
    `postgres://studio_api:${rolePassword(secretKey, 'studio_api')}@pgbouncer:6432/studio`,
  )
  expect(database.urlFor('studio_writer')).toBe(
    `postgres://studio_writer:${rolePassword(secretKey, 'studio_writer')}@192.0.2.1:5432/studio`,
  )
  expect(database.urlFor('studio_owner')).toContain('role%3Dstudio_owner')
  await database.close()
})
