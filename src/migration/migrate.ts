import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, withSafeClient } from '../database/client.ts'
import { messageOf } from '../domain/text.ts'
import type { Logger } from '../log.ts'
import { changesSameRow, isConflict, retryConflicts, sameRow } from './conflicts.ts'
import { committedMigrations, lackingMigrations, ourMigrations, pendingMigrations } from './migrations.ts'
import { requireSameKey, setRolePasswords } from './passwords.ts'
import { alreadyMigrating, prepareRun, runCommitted, withFolderOf } from './run-committed.ts'

/** How long to retry while another process migrates or holds a needed lock, in milliseconds. */
const standardLockTimeoutMs = 60_000

/** How long a transaction waits for a lock, in milliseconds. Less than deadlock_timeout (1 s). */
const transactionLockTimeoutMs = 500

/** Another transaction held a lock, or another process migrated, too long. Migrations that had
 * finished stay. */
export class MigrationLockedOut extends Error {
  override name = 'MigrationLockedOut'
  readonly hint =
    'What had not finished was rolled back. End long-running transactions (select pid, usename, application_name, xact_start from pg_stat_activity order by xact_start), then run it again.'
}

/** As the administrator, runs the committed migrations that a database lacks, closes what the server
 * leaves open to everybody, and sets the passwords of the login roles. Several processes may call it at once, and while the service
 * serves: a migration that meets a lock gives up, lets others continue and retries.
 * @param otherKey what to do if the logins have the passwords of another secret key
 * @param analystsOnOpenServer whether analysts may connect where the server's functions stay open
 * @returns the migrations that ran, e.g. ['000001.sql']
 * @throws UnsupportedServer; UnknownMigration; OtherSecretKey, before it changes anything; MigrationLockedOut after `lockTimeoutMs`;
 * PostgreSQL's error of the failing migration */
export async function migrate(
  databaseUrl: string,
  secretKey: string,
  log: Logger,
  migrationsFolder: string = ourMigrations,
  lockTimeoutMs: number = standardLockTimeoutMs,
  otherKey: 'rotate' | 'refuse' = 'rotate',
  analystsOnOpenServer = false,
): Promise<string[]> {
  await checkServer(databaseUrl, log)
  const pending = await pendingMigrations(databaseUrl, migrationsFolder)
  const hasMigrations = pending.length < (await committedMigrations(migrationsFolder)).length
  if (otherKey === 'refuse') {
    await withSafeClient(databaseUrl, (client) => requireSameKey(client, databaseUrl, secretKey, hasMigrations))
  }
  if (pending.length > 0) await runLacking(databaseUrl, log, migrationsFolder, lockTimeoutMs)
  await withSafeClient(databaseUrl, async (client) => {
    await setServerRights(client, log, analystsOnOpenServer)
    const changed = await setRolePasswords(client, databaseUrl, secretKey)
    if (changed.length > 0) log[hasMigrations ? 'warn' : 'info']({ roles: changed }, 'set the passwords of login roles')
  })
  return pending
}

/** Sets what a dump does not carry to another server. */
async function setServerRights(client: Client, log: Logger, analystsOnOpenServer: boolean): Promise<void> {
  const text = 'select audit.set_server_rights($1) as closed'
  const { rows } = await retryConflicts(() => client.query(text, [analystsOnOpenServer]))
  const closed: number | null = rows[0].closed
  const analysts = analystsOnOpenServer
    ? 'analysts may log in because of ANALYSTS_ON_OPEN_SERVER'
    : 'so analysts have GraphQL and cannot log in to PostgreSQL, unless you set ANALYSTS_ON_OPEN_SERVER=true'
  if (closed === null)
    log.warn(`not a superuser: functions and languages of the server stay open to everybody, ${analysts}`)
  else if (closed > 0) log.warn({ closed }, 'closed functions and languages that this server left open to everybody')
}

async function checkServer(databaseUrl: string, log: Logger): Promise<void> {
  const version = await withSafeClient(databaseUrl, (client) => client.query('show server_version_num'))
  const warning = checkServerVersion(Number(version.rows[0].server_version_num))
  if (warning !== undefined) log.warn(warning)
}

/** Runs the migrations that a database lacks, and again those that meet an obstacle. */
async function runLacking(
  databaseUrl: string,
  log: Logger,
  migrationsFolder: string,
  lockTimeoutMs: number,
): Promise<void> {
  let end = Date.now() + lockTimeoutMs
  for (let attempt = 1; ; attempt++) {
    try {
      if (!(await runNext(databaseUrl, log, migrationsFolder, lockTimeoutMs))) return
      attempt = 0
      end = Date.now() + lockTimeoutMs
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

/** Runs the next migration that builds an index concurrently, or all transactions before it. A
 * transaction gives up soon, because requests queue behind the lock that it waits for. Nobody queues
 * behind the index, so it waits for long transactions as long as the caller does. In an empty
 * database there is nobody to wait for, and all run at once.
 * @returns whether there was anything to run */
async function runNext(
  databaseUrl: string,
  log: Logger,
  migrationsFolder: string,
  lockTimeoutMs: number,
): Promise<boolean> {
  const committed = await committedMigrations(migrationsFolder)
  const [next, ...others] = await lackingMigrations(databaseUrl, migrationsFolder)
  if (next === undefined) return false
  const isEmpty = next.filename === committed[0]?.filename
  await prepareRun(databaseUrl, next.index, lockTimeoutMs, log)
  const after = others.find(({ index }) => !isEmpty && (next.index ?? index) !== undefined)
  const run = { databaseUrl, lockTimeoutMs: next.index === undefined ? transactionLockTimeoutMs : lockTimeoutMs }
  if (after === undefined) await runCommitted({ ...run, migrationsFolder }, log)
  else {
    const before = committed.filter(({ filename }) => filename < after.filename)
    await withFolderOf(before, (folder) => runCommitted({ ...run, migrationsFolder: folder }, log))
  }
  return true
}

type Obstacle = { kind: 'lock' | 'migration'; reason: string }

/** Why to retry: an obstacle that goes away by itself. Undefined for any other error. */
function obstacleOf(error: unknown): Obstacle | undefined {
  const message = messageOf(error)
  if (message === alreadyMigrating) return { kind: 'migration', reason: 'another process migrates this database' }
  if (changesSameRow(error)) return { kind: 'migration', reason: `${message}: ${sameRow}` }
  if (!isConflict(error)) return undefined
  return { kind: 'lock', reason: `other transactions hold a needed lock (${message})` }
}

/** Gives requests that queued behind the last attempt time to be served. */
function backoffMs({ kind }: Obstacle, attempt: number): number {
  return kind === 'migration' ? 250 : Math.min(500 * 2 ** (attempt - 1), 5_000)
}

/** The first minor version of each major with the security fixes that isolation relies on. */
const leastMinor = new Map([
  [15, 20],
  [16, 16],
  [17, 12],
  [18, 6],
])

const oldestMajor = 15

/** The server is too old for the rules. */
export class UnsupportedServer extends Error {
  override name = 'UnsupportedServer'
}

/** A warning about a `server_version_num` (180004 is 18.4); undefined when it is fine.
 * @throws UnsupportedServer below 15 */
export function checkServerVersion(versionNumber: number): string | undefined {
  const major = Math.floor(versionNumber / 10_000)
  const minor = versionNumber % 10_000
  if (major < oldestMajor) {
    throw new UnsupportedServer(`PostgreSQL ${major} is too old; use PostgreSQL ${oldestMajor} to 18`)
  }
  const least = leastMinor.get(major)
  if (least === undefined || minor >= least) return undefined
  return `PostgreSQL ${major}.${minor} lacks security fixes that isolate studios; use ${major}.${least} or newer (the embedded server is for evaluation)`
}
