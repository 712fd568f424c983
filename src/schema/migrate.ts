import { setTimeout as sleep } from 'node:timers/promises'
import { withSafeClient } from '../database/client.ts'
import { sqlState } from '../database/errors.ts'
import { messageOf } from '../domain/text.ts'
import type { Logger } from '../log.ts'
import { ourMigrations, pendingMigrations } from './migrations.ts'
import { setRolePasswords } from './passwords.ts'
import { checkServerVersion } from './version.ts'

/** How long to retry while another process migrates the same database, or holds a lock that a migration needs, in milliseconds. */
const standardLockTimeoutMs = 60_000

/** How long a migration waits for a lock, in milliseconds; less than deadlock_timeout (1 s), so that it gives way in a deadlock. */
const lockTimeout = 500

/** Other transactions held a needed lock, or another process was migrating, for too long. The migration was rolled back. */
export class MigrationLockedOut extends Error {
  override name = 'MigrationLockedOut'
  readonly hint =
    'It was rolled back. End long-running transactions (select pid, usename, application_name, xact_start from pg_stat_activity order by xact_start), then run it again.'
}

/**
 * Runs the committed migrations that a database does not have yet, as its administrator, then gives the login roles their passwords. Safe
 * from several processes at once, and while the service serves: a migration that meets a lock gives up, lets others continue and retries.
 * @returns the migrations that were run, e.g. ['000001-tables.sql']
 * @throws UnsupportedServer; UnknownMigration; MigrationLockedOut after `lockTimeoutMs`; PostgreSQL's error of the failing migration
 */
export async function migrate(
  databaseUrl: string,
  secretKey: string,
  log: Logger,
  migrationsFolder: string = ourMigrations,
  lockTimeoutMs: number = standardLockTimeoutMs,
): Promise<string[]> {
  await checkServer(databaseUrl, log)
  const pending = await pendingMigrations(databaseUrl, migrationsFolder)
  // Loading the migration tool takes longer than anything else here, and most starts have nothing to migrate.
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
    // The tool connects by itself, and knows one host alone.
    connectionString: databaseUrl,
    migrationsFolder,
    databaseOwner: 'studio_owner',
    pgSettings: { lock_timeout: String(lockTimeout) },
    // Never used here, but read from the environment when not given.
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
      // It keeps its connection for a moment and ends the process when that is lost, as when the server is stopped next.
      clearAllPools()
    }
  }
}

type Obstacle = { kind: 'lock' | 'migration'; reason: string }

/** An obstacle that goes away by itself; undefined for any other error. */
function obstacleOf(error: unknown): Obstacle | undefined {
  const message = messageOf(error)
  if (message === 'Failed to get exclusive lock') {
    return { kind: 'migration', reason: 'another process migrates this database' }
  }
  // Roles belong to the whole server, and migrations alter them.
  if (message === 'tuple concurrently updated') {
    return { kind: 'migration', reason: 'another database of this server is being migrated' }
  }
  // lock_timeout, deadlock_detected
  if (!['55P03', '40P01'].includes(sqlState(error) ?? '')) return undefined
  return { kind: 'lock', reason: `other transactions hold a needed lock (${message})` }
}

/** Requests queued behind the last attempt get time to be served before the next. */
function backoffMs({ kind }: Obstacle, attempt: number): number {
  return kind === 'migration' ? 250 : Math.min(500 * 2 ** (attempt - 1), 5_000)
}
