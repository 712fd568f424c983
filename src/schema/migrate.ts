import { setTimeout as sleep } from 'node:timers/promises'
import { withSafeClient } from '../database/client.ts'
import { changesSameRow, isConflict, sameRow } from '../database/errors.ts'
import { messageOf } from '../domain/text.ts'
import type { Logger } from '../log.ts'
import { ourMigrations, pendingMigrations } from './migrations.ts'
import { setRolePasswords } from './passwords.ts'
import { checkServerVersion } from './version.ts'

/** How long to retry while another process migrates or holds a needed lock, in milliseconds. */
const standardLockTimeoutMs = 60_000

/** How long a migration waits for a lock, in milliseconds. Less than deadlock_timeout (1 s). */
const lockTimeout = 500

/** Another transaction held a lock, or another process migrated, too long. Nothing was changed. */
export class MigrationLockedOut extends Error {
  override name = 'MigrationLockedOut'
  readonly hint =
    'It was rolled back. End long-running transactions (select pid, usename, application_name, xact_start from pg_stat_activity order by xact_start), then run it again.'
}

/** As the administrator, runs the committed migrations that a database lacks, then sets the
 * passwords of the login roles. Several processes may call it at once, and while the service
 * serves: a migration that meets a lock gives up, lets others continue and retries.
 * @returns the migrations that ran, e.g. ['000001-tables.sql']
 * @throws UnsupportedServer; UnknownMigration; MigrationLockedOut after `lockTimeoutMs`;
 * PostgreSQL's error of the failing migration */
export async function migrate(
  databaseUrl: string,
  secretKey: string,
  log: Logger,
  migrationsFolder: string = ourMigrations,
  lockTimeoutMs: number = standardLockTimeoutMs,
): Promise<string[]> {
  await checkServer(databaseUrl, log)
  const pending = await pendingMigrations(databaseUrl, migrationsFolder)
  // Most starts have nothing to migrate, and loading the tool would take the longest.
  if (pending.length > 0) await runCommitted(databaseUrl, log, migrationsFolder, lockTimeoutMs)
  const changed = await withSafeClient(databaseUrl, (client) => setRolePasswords(client, databaseUrl, secretKey))
  if (changed.length > 0) log.info({ roles: changed }, 'set the passwords of login roles')
  return pending
}

async function checkServer(databaseUrl: string, log: Logger): Promise<void> {
  const version = await withSafeClient(databaseUrl, (client) => client.query('show server_version_num'))
  const warning = checkServerVersion(Number(version.rows[0].server_version_num))
  if (warning !== undefined) log.warn(warning)
}

async function runCommitted(
  databaseUrl: string,
  log: Logger,
  migrationsFolder: string,
  lockTimeoutMs: number,
): Promise<void> {
  const graphileMigrate = await import('graphile-migrate')
  const { clearAllPools } = await import('graphile-migrate/dist/pgReal.js')
  const settings = {
    // The tool connects by itself, and accepts only one host.
    connectionString: databaseUrl,
    migrationsFolder,
    databaseOwner: 'studio_owner',
    pgSettings: { lock_timeout: String(lockTimeout) },
    // Not used, but the tool would read it from the environment.
    rootConnectionString: 'postgresql:///template1',
    logger: new graphileMigrate.Logger(() => (level, message) => {
      log[level === 'warning' ? 'warn' : level]({ from: 'graphile-migrate' }, message)
    }),
  }
  const end = Date.now() + lockTimeoutMs
  for (let attempt = 1; ; attempt++) {
    try {
      await graphileMigrate.migrate(settings)
      return
    } catch (error) {
      const obstacle = obstacleOf(error)
      if (obstacle === undefined) throw error
      const backoff = backoffMs(obstacle, attempt)
      if (Date.now() + backoff > end) {
        throw new MigrationLockedOut(`could not migrate within ${lockTimeoutMs / 1000} s: ${obstacle.reason}`)
      }
      if (obstacle.kind === 'lock') log.warn({ attempt, reason: obstacle.reason }, 'nothing was migrated; retrying')
      await sleep(backoff)
    } finally {
      // The tool keeps its connection for a moment, and ends the process if the server stops.
      clearAllPools()
    }
  }
}

type Obstacle = { kind: 'lock' | 'migration'; reason: string }

/** Why to retry: an obstacle that goes away by itself. Undefined for any other error. */
function obstacleOf(error: unknown): Obstacle | undefined {
  const message = messageOf(error)
  if (message === 'Failed to get exclusive lock') {
    return { kind: 'migration', reason: 'another process migrates this database' }
  }
  if (changesSameRow(error)) return { kind: 'migration', reason: `${message}: ${sameRow}` }
  if (!isConflict(error)) return undefined
  return { kind: 'lock', reason: `other transactions hold a needed lock (${message})` }
}

/** Gives requests that queued behind the last attempt time to be served. */
function backoffMs({ kind }: Obstacle, attempt: number): number {
  return kind === 'migration' ? 250 : Math.min(500 * 2 ** (attempt - 1), 5_000)
}
