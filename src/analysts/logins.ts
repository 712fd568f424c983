import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { sqlState } from '../database/errors.ts'
import { urlFor } from '../database/roles.ts'
import { asAdministrator, asOwner, type Transaction } from '../database/session.ts'
import { messageOf } from '../domain/text.ts'
import { retryConflicts } from '../migration/conflicts.ts'
import { scramVerifier } from '../migration/passwords.ts'
import { rollBackPrepared } from './upkeep.ts'

/** How to make an analyst's login. */
export type Wanted = {
  studioId: string
  /** The member of the studio whom it is for; null: for the studio itself. */
  userId: string | null
  validDays: number
  connections: number
  /** How long a statement may run, in seconds. */
  timeout: number
}

/** A login with its connection string, shown once. Timestamps are RFC 3339 in UTC. */
type Issued = { login: string; url: string; valid_until: string }

/** Makes a login and maps it to a studio. PostgreSQL gets only a verifier of the new password,
 * so that no server log has it.
 * @param transaction an administrator's
 * @param reachedAt where analysts connect: a connection string without a login, or the
 * administrator's
 * @returns also the settings that this administrator may not make */
export async function createLogin(
  transaction: Transaction,
  reachedAt: string,
  { studioId, userId, validDays, connections, timeout }: Wanted,
): Promise<Issued & { notSet: string[] }> {
  const password = newPassword()
  const validUntil = inDays(validDays)
  const [made] = await transaction.query<{ login: string; not_set: string[] }>(
    'select login::text, not_set from access.create_analyst($1, $2, $3, $4, $5, make_interval(secs => $6))',
    [studioId, userId, scramVerifier(password), validUntil, connections, timeout],
  )
  if (!made) throw new Error('no login was made')
  return {
    login: made.login,
    url: analystUrl(reachedAt, made.login, password),
    valid_until: validUntil,
    notSet: made.not_set,
  }
}

/** Whether analysts may connect: not where the server's functions stay open to everybody
 * (audit.set_server_rights). */
export async function admitsAnalysts(transaction: Transaction): Promise<boolean> {
  const text = `select pg_catalog.has_database_privilege('studio_analyst', pg_catalog.current_database(), 'CONNECT') as admits`
  const [row] = await transaction.query<{ admits: boolean }>(text)
  return row?.admits === true
}

/** An analyst's connection string: the administrator's server, database and TLS only. */
function analystUrl(databaseUrl: string, login: string, password: string): string {
  const url = new URL(urlFor(databaseUrl, login, password))
  // The administrator's session settings do not apply to analysts.
  for (const name of ['options', 'application_name', 'sslcert', 'sslkey', 'sslpassword']) url.searchParams.delete(name)
  // SQLAlchemy, and so pandas and Superset, accept only `postgresql` as the name of the scheme.
  return url.href.replace(/^postgres:/, 'postgresql:')
}

/** The server's other databases that a login may connect to. PostgreSQL admits everybody to
 * them, and this database's rules do not apply there: temporary tables, code, large objects. */
export async function otherDatabases(transaction: Transaction, login: string): Promise<string[]> {
  const rows = await transaction.query<{ name: string }>(
    `select d.datname as name from pg_catalog.pg_database d
     where d.datallowconn and d.datname <> pg_catalog.current_database()
       and pg_catalog.has_database_privilege($1::name, d.oid, 'CONNECT')
     order by 1`,
    [login],
  )
  return rows.map(({ name }) => name)
}

/** The statement that closes databases to everybody not named. */
export function closingStatement(databases: readonly string[]): string {
  const names = databases.map((name) => `"${name.replaceAll('"', '""')}"`)
  return `revoke connect on database ${names.join(', ')} from public`
}

/** Gives a login another password and end, and takes back what it set for itself. It stays locked
 * until no session and no login in progress is left that could use or restore the old password.
 * @param reachedAt as in `createLogin` */
export async function rotateLogin(
  adminUrl: string,
  login: string,
  validDays: number,
  reachedAt: string = adminUrl,
): Promise<Issued & Ended> {
  const password = newPassword()
  const validUntil = inDays(validDays)
  const role = await roleOf(adminUrl, login)
  const ended = await lockOut(adminUrl, login, role)
  await change(adminUrl, async (transaction) => {
    await transaction.query('select access.rotate_analyst($1, $2, $3)', [login, scramVerifier(password), validUntil])
    await transaction.query('select from access.reset_analysts()')
  })
  const late = await endSessions(adminUrl, role, loginTimeoutMs)
  await setLock(adminUrl, login, false)
  return {
    login,
    url: analystUrl(reachedAt, login, password),
    valid_until: validUntil,
    ended: ended.ended,
    openBecause: ended.openBecause ?? late.openBecause,
  }
}

/** Unmaps a login, so that its sessions see nothing more, then ends them and drops it.
 * @returns why it could not be dropped, if so; it stays unmapped and cannot log in */
export async function dropLogin(adminUrl: string, login: string): Promise<Ended & { keptBecause: string | null }> {
  const role = await asAdministrator(adminUrl, async (transaction) => {
    const [row] = await transaction.query<{ role: string | null }>('select access.unmap_analyst($1)::text as role', [
      login,
    ])
    return row?.role ?? undefined
  })
  if (role === undefined) return { ...none, keptBecause: null }
  const ended = await lockOut(adminUrl, login, role)
  const keptBecause = await change(adminUrl, async (transaction) => {
    const [row] = await transaction.query<{ reason: string | null }>('select access.drop_analyst($1) as reason', [
      login,
    ])
    return row?.reason ?? null
  })
  return { ...ended, keptBecause }
}

/** Locks out a studio's analysts and ends their sessions, or lets them in. @returns how many */
export async function lockLogins(adminUrl: string, studioId: string, locked: boolean): Promise<number> {
  const logins = await loginsOf(adminUrl, studioId)
  for (const login of logins) {
    // An administrator who is mapped by mistake is not an analyst.
    const role = await roleOf(adminUrl, login).catch(unlessUnknown)
    if (role === undefined) continue
    if (locked) await lockOut(adminUrl, login, role)
    else await setLock(adminUrl, login, false)
  }
  return logins.length
}

/** Locks out the logins that the watchdog found writing three times, each time within a day of the
 * last, and ends their sessions. `rotateLogin` lets one in again. @returns the logins */
export async function lockWriters(adminUrl: string): Promise<string[]> {
  const text = `select r.rolname::text as login, r.oid::text as role from access.analyst_logins l
    join pg_catalog.pg_roles r on r.rolname = l.login where l.writes >= 3 and r.rolcanlogin`
  const find = (transaction: Transaction) => transaction.query<{ login: string; role: string }>(text)
  const writers = await asAdministrator(adminUrl, find)
  for (const { login, role } of writers) await lockOut(adminUrl, login, role).catch(unlessUnknown)
  return writers.map(({ login }) => login)
}

export async function loginsOf(adminUrl: string, studioId: string): Promise<string[]> {
  const text = 'select login::text from access.analyst_logins where studio_id = $1'
  const logins = await asOwner(adminUrl, (transaction) => transaction.query<{ login: string }>(text, [studioId]))
  return logins.map(({ login }) => login)
}

/** How many sessions have ended, and why others have not. */
export type Ended = { ended: number; openBecause: string | null }

const none: Ended = { ended: 0, openBecause: null }

/** How long to wait for sessions, and for logins in progress, which the server ends after its
 * authentication_timeout of a minute; and the pause between looks. In milliseconds. */
const [endTimeoutMs, loginTimeoutMs, pauseMs] = [5_000, 65_000, 50]

/** The id of a login's role; undefined if dropped. @throws StatementFailed SI404 for other roles */
async function roleOf(adminUrl: string, login: string): Promise<string | undefined> {
  const [found] = await asAdministrator(adminUrl, (transaction) =>
    transaction.query<{ role: string }>(
      'select r.oid::text as role from pg_catalog.pg_roles r where r.rolname = access.known_analyst($1)',
      [login],
    ),
  )
  return found?.role
}

function unlessUnknown(error: unknown): undefined {
  if (sqlState(error) !== 'SI404') throw error
}

/** Changes a role, in turn with others who do. */
function change<Result>(adminUrl: string, work: (transaction: Transaction) => Promise<Result>): Promise<Result> {
  return retryConflicts(() =>
    asAdministrator(adminUrl, async (transaction) => {
      await transaction.query(`set local lock_timeout = '1s'`)
      return work(transaction)
    }),
  )
}

const setLock = (adminUrl: string, login: string, locked: boolean) =>
  change(adminUrl, (transaction) => transaction.query('select access.lock_analyst($1, $2)', [login, locked]))

/** Stops a login from logging in, and ends its sessions and prepared transactions. Ends them also
 * while the change waits: a login that alters itself in a loop would always be ahead of it. */
async function lockOut(adminUrl: string, login: string, role: string | undefined): Promise<Ended> {
  if (role === undefined) return none
  const told = new Set<number>()
  let isLocked = false
  const clear = async () => {
    await tellToEnd(adminUrl, role, told).catch(() => undefined)
    await rollBackPrepared(adminUrl, role).catch(() => undefined)
  }
  const clearing = (async () => {
    for (; !isLocked; await sleep(pauseMs)) await clear()
  })()
  await setLock(adminUrl, login, true).finally(() => {
    isLocked = true
    return clearing
  })
  const ended = await endSessions(adminUrl, role, endTimeoutMs, told)
  await clear()
  return ended
}

type Process = { pid: number; is_logging_in: boolean }

/** Tells a role's sessions to end, adds them to `told`. @returns those, and logins in progress */
async function tellToEnd(adminUrl: string, role: string, told: Set<number>): Promise<Process[]> {
  const open = await asOwner(adminUrl, (transaction) =>
    transaction.query<Process>('select pid, is_logging_in from access.end_sessions($1::oid)', [role]),
  )
  for (const { pid, is_logging_in } of open) if (!is_logging_in) told.add(pid)
  return open
}

/** Ends the sessions of a locked role, also of a login in progress. Only those that are in progress
 * at the first look matter: PostgreSQL refuses those that begin later. */
async function endSessions(
  adminUrl: string,
  role: string | undefined,
  timeoutMs: number,
  told = new Set<number>(),
): Promise<Ended> {
  if (role === undefined) return none
  let early: number[] | undefined
  try {
    for (const end = Date.now() + timeoutMs; ; await sleep(pauseMs)) {
      const all = await tellToEnd(adminUrl, role, told)
      const open = all.filter((one) => !one.is_logging_in).map(({ pid }) => pid)
      const logins = all.filter((one) => one.is_logging_in).map(({ pid }) => pid)
      early = (early ?? logins).filter((pid) => logins.includes(pid))
      if (open.length + early.length > 0 && Date.now() < end) continue
      const openBecause = open.length === 0 ? null : `the server's processes ${open.join(', ')} do not react`
      return { ended: told.size - open.length, openBecause }
    }
  } catch (error) {
    // It is locked out, so failing to end its sessions is no failure.
    return { ended: 0, openBecause: messageOf(error) }
  }
}

function newPassword(): string {
  return randomBytes(24).toString('base64url')
}

function inDays(days: number): string {
  return new Date(Date.now() + days * 24 * 60 * 60 * 1000).toISOString()
}
