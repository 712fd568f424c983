import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { afterAll, beforeAll, inject } from 'vitest'
import { withClient } from '../../src/database/client.ts'
import { sqlState } from '../../src/database/errors.ts'
import { type LoginRole, roleUrl } from '../../src/database/roles.ts'

export { withClient }

/** What the global setup hands to the test files; `folder` is theirs until the end of the run. */
export type TestServer = {
  adminUrl: string
  template: string
  run: string
  folder: string
  copying: 'file_copy' | 'wal_log'
}

declare module 'vitest' {
  interface ProvidedContext {
    testServer: TestServer
    /** Where a pooler listens that the service is to go through. */
    poolerPort: number
    /** Where a replica listens that the service is to read from. */
    replicaPort: number
  }
}

/** The secret key of every test: roles, and so their passwords, belong to the whole server. */
export const testSecretKey = 'a secret key for tests, known to everybody'

/** The first statement of a transaction that changes roles. Roles and their settings belong to the
 * server, and test files change them at the same time: two that lock the tables in different orders
 * are a deadlock. A migration needs no lock, because it gives up earlier and runs again. */
export const lockRoles = 'lock table pg_catalog.pg_authid, pg_catalog.pg_db_role_setting in exclusive mode'

/** A copy of the migrated template database, for one test file. */
export type TestDatabase = {
  name: string
  adminUrl: string
  urlFor(role: LoginRole | 'studio_owner'): string
  drop(): Promise<void>
}

/** Copies a template without sessions: all rules, no rows. Drop it in afterAll. */
export async function createTestDatabase(
  template = inject('testServer').template,
  name = `${inject('testServer').run}_${randomBytes(4).toString('hex')}`,
): Promise<TestDatabase> {
  const server = inject('testServer')
  await withClient(server.adminUrl, async (admin) => {
    await copyTemplate(admin, name, template, server.copying)
    await copyGrants(admin, name, server.template)
  })
  const adminUrl = databaseUrl(server.adminUrl, name)
  return {
    name,
    adminUrl,
    urlFor: (role) => (role === 'studio_owner' ? ownerUrl(adminUrl) : roleUrl(adminUrl, role, testSecretKey)),
    drop: () => withClient(server.adminUrl, (admin) => dropDatabase(admin, name)),
  }
}

/** The administrator's connection string, for a session that starts as studio_owner. */
export function ownerUrl(adminUrl: string): string {
  const url = new URL(adminUrl)
  url.searchParams.set('options', '-c role=studio_owner')
  return url.href.replaceAll('+', '%20')
}

/** Gives the test file a database of its own: all rules, no rows. To be called at the top. */
export function useDatabase(): TestDatabase {
  const database = {} as TestDatabase
  beforeAll(async () => {
    Object.assign(database, await createTestDatabase())
  })
  afterAll(() => database.drop?.())
  return database
}

/** Drops a test database, and the logins that were made for it: they belong to the whole server. */
export async function dropDatabase(admin: pg.Client, name: string): Promise<void> {
  await admin.query(`drop database if exists ${name} with (force)`)
  const { rows } = await admin.query<{ rolname: string }>(
    'select rolname from pg_roles where starts_with(rolname, $1)',
    [`${name}_analyst_`],
  )
  for (const { rolname } of rows) await admin.query(`drop role ${rolname}`)
}

type Work<Result> = (client: pg.Client) => Promise<Result>

/** Runs `work` on a connection of the administrator, usually a superuser. */
export function asAdmin<Result>(database: TestDatabase, work: Work<Result>): Promise<Result> {
  return withClient(database.adminUrl, work)
}

/** Runs `work` on a connection that acts as studio_owner. */
export function asOwner<Result>(database: TestDatabase, work: Work<Result>): Promise<Result> {
  return withClient(database.urlFor('studio_owner'), work)
}

/** Runs `work` on a connection that is logged in as the role. */
export function asRole<Result>(database: TestDatabase, role: LoginRole, work: Work<Result>): Promise<Result> {
  return withClient(database.urlFor(role), work)
}

/** Another database of the same server. */
export function databaseUrl(url: string, name: string): string {
  const other = new URL(url)
  other.pathname = `/${name}`
  return other.href
}

async function copyTemplate(
  admin: pg.Client,
  name: string,
  template: string,
  copying: TestServer['copying'],
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await admin.query(`create database ${name} template ${template} strategy ${copying}`)
      return
    } catch (error) {
      // object_in_use: a maintenance worker looks into the template just now
      if (sqlState(error) !== '55006' || attempt === 20) throw error
      await sleep(100)
    }
  }
}

/** A copy has all that is in the template, but not the grants on the database itself. */
async function copyGrants(admin: pg.Client, name: string, template: string): Promise<void> {
  const { rows } = await admin.query<{ text: string }>(
    `select format('grant %s on database %I to %s', string_agg(a.privilege_type, ', '), $1::text,
       case when a.grantee = 0 then 'public' else a.grantee::regrole::text end) as text
     from pg_database d, aclexplode(d.datacl) a
     where d.datname = $2 and a.grantee <> d.datdba
     group by a.grantee`,
    [name, template],
  )
  await admin.query([`revoke all on database ${name} from public`, ...rows.map(({ text }) => text)].join('; '))
}
