import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '../log.ts'
import { withClient } from './client.ts'
import { setRolePasswords } from './passwords.ts'
import { judgeServerVersion } from './version.ts'

const ourMigrations = join(import.meta.dirname, '../../migrations')

/** How long to wait while another process migrates the same database, in milliseconds. */
const patience = 60_000

/**
 * Brings a database to the state this release needs: runs the committed migrations it does not have yet, then gives the
 * login roles their passwords. Safe to run at every start and from several processes at once.
 *
 * @param databaseUrl the administrator's connection string
 * @returns the migrations that were run, e.g. ['000001.sql']
 * @throws UnsupportedServer below PostgreSQL 15; otherwise what PostgreSQL said about the failing migration
 */
export async function migrate(
  databaseUrl: string,
  secretKey: string,
  log: Logger,
  migrationsFolder: string = ourMigrations,
): Promise<string[]> {
  await checkServer(databaseUrl, log)
  const pending = await pendingMigrations(databaseUrl, migrationsFolder)
  // Loading the migration tool takes longer than anything else here, and most starts have nothing to migrate.
  if (pending.length > 0) await runCommitted(databaseUrl, log, migrationsFolder)
  const changed = await withClient(databaseUrl, (client) => setRolePasswords(client, databaseUrl, secretKey))
  if (changed.length > 0) log.info({ roles: changed }, 'set the passwords of login roles')
  return pending
}

/** The committed migrations that a database does not have yet, oldest first. */
export async function pendingMigrations(
  databaseUrl: string,
  migrationsFolder: string = ourMigrations,
): Promise<string[]> {
  const committed = await committedMigrations(migrationsFolder)
  const newest = await withClient(databaseUrl, async (client) => {
    const table = await client.query(`select to_regclass('graphile_migrate.migrations') is not null as exists`)
    if (!table.rows[0].exists) return ''
    const row = await client.query(`select coalesce(max(filename), '') as newest from graphile_migrate.migrations`)
    return String(row.rows[0].newest)
  })
  return committed.filter((filename) => filename > newest)
}

/** The newest committed migration of this release, e.g. '000002.sql': what access.schema_version() should return. */
export async function latestMigration(migrationsFolder: string = ourMigrations): Promise<string> {
  const committed = await committedMigrations(migrationsFolder)
  const newest = committed.at(-1)
  if (newest === undefined) throw new Error(`there are no committed migrations in ${migrationsFolder}`)
  return newest
}

async function committedMigrations(migrationsFolder: string): Promise<string[]> {
  const files = await readdir(join(migrationsFolder, 'committed'))
  // 000002-add-tags.sql is known to the database as 000002.sql.
  return files
    .flatMap((file) => /^(\d+)(?:-[-\w]*)?\.sql$/.exec(file)?.[1] ?? [])
    .map((id) => `${id}.sql`)
    .sort()
}

async function checkServer(databaseUrl: string, log: Logger): Promise<void> {
  const version = await withClient(databaseUrl, (client) => client.query('show server_version_num'))
  const warning = judgeServerVersion(Number(version.rows[0].server_version_num))
  if (warning !== undefined) log.warn(warning)
}

async function runCommitted(databaseUrl: string, log: Logger, migrationsFolder: string): Promise<void> {
  const graphileMigrate = await import('graphile-migrate')
  const { clearAllPools } = await import('graphile-migrate/dist/pgReal.js')
  const settings = {
    connectionString: databaseUrl,
    migrationsFolder,
    databaseOwner: 'studio_owner',
    // Never used here, but read from the environment when not given.
    rootConnectionString: 'postgres:///template1',
    logger: new graphileMigrate.Logger(() => (level, message) => {
      log[level === 'warning' ? 'warn' : level]({ from: 'graphile-migrate' }, message)
    }),
  }
  const end = Date.now() + patience
  for (;;) {
    try {
      await graphileMigrate.migrate(settings)
      return
    } catch (error) {
      const locked = error instanceof Error && error.message === 'Failed to get exclusive lock'
      if (!locked || Date.now() > end) throw error
      await sleep(250)
    } finally {
      // It keeps its connection for a moment and ends the process when that is lost, as when the server is stopped next.
      clearAllPools()
    }
  }
}
