import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, withSafeClient } from '../database/client.ts'
import { changesSameRow, isConflict, sameRow } from '../database/errors.ts'
import { messageOf } from '../domain/text.ts'
import type { Logger } from '../log.ts'
import { lackingMigrations, makeMigrationTables, ourMigrations, pendingMigrations, runMigration } from './migrations.ts'
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
  const end = Date.now() + lockTimeoutMs
  for (let attempt = 1; ; attempt++) {
    try {
      await withSafeClient(databaseUrl, (client) => runLacking(client, log, migrationsFolder))
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
    }
  }
}

/** The advisory lock that graphile-migrate takes, too. */
const migrating = '4727445306447283'

/** Another process migrates the same database. */
class AlreadyMigrating extends Error {}

/** Runs each missing migration in a transaction. Closing the connection rolls back a failed one. */
async function runLacking(client: Client, log: Logger, migrationsFolder: string): Promise<void> {
  const { rows } = await client.query('select pg_try_advisory_lock($1) as locked', [migrating])
  if (!rows[0].locked) throw new AlreadyMigrating('another process migrates this database')
  await client.query(`set lock_timeout = ${lockTimeout}`)
  await makeMigrationTables(client)
  for (const migration of await lackingMigrations(client, migrationsFolder)) {
    log.info({ migration: migration.filename }, 'migrates the database')
    await client.query('begin')
    await runMigration(client, migration)
    await client.query('commit')
  }
}

type Obstacle = { kind: 'lock' | 'migration'; reason: string }

/** Why to retry: an obstacle that goes away by itself. Undefined for any other error. */
function obstacleOf(error: unknown): Obstacle | undefined {
  const message = messageOf(error)
  if (error instanceof AlreadyMigrating) return { kind: 'migration', reason: message }
  if (changesSameRow(error)) return { kind: 'migration', reason: `${message}: ${sameRow}` }
  if (!isConflict(error)) return undefined
  return { kind: 'lock', reason: `other transactions hold a needed lock (${message})` }
}

/** Gives requests that queued behind the last attempt time to be served. */
function backoffMs({ kind }: Obstacle, attempt: number): number {
  return kind === 'migration' ? 250 : Math.min(500 * 2 ** (attempt - 1), 5_000)
}
