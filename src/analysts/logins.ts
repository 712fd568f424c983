import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { sqlState } from '../database/errors.ts'
import { analystUrl } from '../database/roles.ts'
import { asAdministrator, asOwner, type Transaction, untilFree } from '../database/session.ts'
import { messageOf } from '../domain/text.ts'
import { scramVerifier } from '../schema/passwords.ts'
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
export type Issued = { login: string; url: string; valid_until: string }

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

/** Gives a login another password and end, and takes back what it set for itself. Ends its
 * sessions first, as one could restore the password.
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
  const ended = role === undefined ? none : await lockOut(adminUrl, login, role)
  await change(adminUrl, role, async (transaction) => {
    await transaction.query('select access.rotate_analyst($1, $2, $3)', [login, scramVerifier(password), validUntil])
    await transaction.query('select from access.reset_analysts()')
  })
  return { login, url: analystUrl(reachedAt, login, password), valid_until: validUntil, ...ended }
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
  const keptBecause = await change(adminUrl, role, async (transaction) => {
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
    else await change(adminUrl, role, (transaction) => setLock(transaction, login, false))
  }
  return logins.length
}

export async function loginsOf(adminUrl: string, studioId: string): Promise<string[]> {
  const logins = await asOwner(adminUrl, (transaction) =>
    transaction.query<{ login: string }>('select login::text from access.analyst_logins where studio_id = $1', [
      studioId,
    ]),
  )
  return logins.map(({ login }) => login)
}

/** How many sessions have ended, and why others have not. */
export type Ended = { ended: number; openBecause: string | null }

const none: Ended = { ended: 0, openBecause: null }

/** How long to wait for sessions to end, in milliseconds. */
const [endTimeoutMs, pauseMs] = [5_000, 50]

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

const setLock = (transaction: Transaction, login: string, locked: boolean) =>
  transaction.query('select access.lock_analyst($1, $2)', [login, locked])

/** Stops a login from logging in, then ends its sessions. */
async function lockOut(adminUrl: string, login: string, role: string): Promise<Ended> {
  const signalled = new Set<number>()
  await change(adminUrl, role, (transaction) => setLock(transaction, login, true), signalled)
  const ended = await endSessions(adminUrl, role, signalled)
  await rollBackPrepared(adminUrl, role).catch(() => undefined)
  return ended
}

/** Changes a role while its sessions may hold it: an analyst may alter itself in an open or
 * prepared transaction. While the change waits for its turn, what holds the role is ended: a login
 * that prepares in a loop would be ahead of an attempt that begins afterwards. */
async function change<Result>(
  adminUrl: string,
  role: string | undefined,
  work: (transaction: Transaction) => Promise<Result>,
  signalled = new Set<number>(),
): Promise<Result> {
  const attempt = () =>
    asAdministrator(adminUrl, async (transaction) => {
      await transaction.query(`set local lock_timeout = '1s'`)
      return work(transaction)
    })
  if (role === undefined) return untilFree(attempt)
  const clear = async () => {
    await signalToEnd(adminUrl, role, signalled).catch(() => undefined)
    await rollBackPrepared(adminUrl, role).catch(() => undefined)
  }
  let isChanged = false
  const keepClearing = async () => {
    for (; !isChanged; await sleep(pauseMs)) await clear()
  }
  const clearing = keepClearing()
  return untilFree(() => clear().then(attempt)).finally(() => {
    isChanged = true
    return clearing
  })
}

/** Tells a role's sessions to end, and adds them to `signalled`. @returns the process ids still there */
async function signalToEnd(adminUrl: string, role: string, signalled: Set<number>): Promise<number[]> {
  const open = await asOwner(adminUrl, (transaction) =>
    transaction.query<{ pid: number }>('select pid from access.end_sessions($1::oid) as pid', [role]),
  )
  for (const { pid } of open) signalled.add(pid)
  return open.map(({ pid }) => pid)
}

async function endSessions(adminUrl: string, role: string, signalled: Set<number>): Promise<Ended> {
  try {
    for (const end = Date.now() + endTimeoutMs; ; await sleep(pauseMs)) {
      const open = await signalToEnd(adminUrl, role, signalled)
      if (open.length === 0) return { ended: signalled.size, openBecause: null }
      const openBecause = `the server's processes ${open.join(', ')} do not react`
      if (Date.now() > end) return { ended: signalled.size - open.length, openBecause }
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
