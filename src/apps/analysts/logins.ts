import { randomBytes } from 'node:crypto'
import { analystUrl } from '../../database/roles.ts'
import { asAdministrator, asOwner, type Transaction } from '../../database/session.ts'
import { messageOf } from '../../domain/error.ts'
import { scramVerifier } from '../../schema/passwords.ts'

/** What an analyst's login is made with. */
export type Wanted = {
  studioId: string
  /** The member of the studio whom it is for; null when it is for the studio as such. */
  userId: string | null
  validDays: number
  connections: number
  /** How long a statement may run, in seconds. */
  timeout: number
}

/** A login with its connection string, which is known only now; timestamps are RFC 3339 in UTC. */
export type Issued = { login: string; url: string; valid_until: string }

/**
 * Makes a login and maps it to a studio. The password is made here and only its SCRAM verifier is handed over, so that
 * it cannot appear in a log of the server.
 *
 * @param transaction an administrator's
 * @param reachedAt where analysts reach the database: a connection string without a login, or the administrator's
 * @returns also the settings that this administrator may not make
 */
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

/**
 * Gives a login another password and end. Sessions that the old password opened are ended.
 *
 * @param reachedAt as in `createLogin`
 */
export async function rotateLogin(
  adminUrl: string,
  login: string,
  validDays: number,
  reachedAt: string = adminUrl,
): Promise<Issued & Ended> {
  const password = newPassword()
  const validUntil = inDays(validDays)
  const role = await asAdministrator(adminUrl, async (transaction) => {
    const [rotated] = await transaction.query<{ role: string }>(
      'select access.rotate_analyst($1, $2, $3)::text as role',
      [login, scramVerifier(password), validUntil],
    )
    return rotated?.role ?? ''
  })
  const ended = await endSessions(adminUrl, role)
  return { login, url: analystUrl(reachedAt, login, password), valid_until: validUntil, ...ended }
}

/**
 * Unmaps a login, drops it and ends its sessions.
 *
 * @returns why it could not be dropped, if so: then it is left unmapped and cannot log in
 */
export async function dropLogin(adminUrl: string, login: string): Promise<Ended & { keptBecause: string | null }> {
  const dropped = await asAdministrator(adminUrl, async (transaction) => {
    const [row] = await transaction.query<{ role: string; kept_because: string | null }>(
      `select coalesce(role, 0)::text as role, kept_because from access.drop_analyst($1)`,
      [login],
    )
    return row
  })
  // After the commit: before it, the login could open a new session while the old ones are ended.
  const ended = await endSessions(adminUrl, dropped?.role ?? '')
  return { ...ended, keptBecause: dropped?.kept_because ?? null }
}

/** Lets the analysts of a studio log in no more, and ends their sessions; or lets them log in again. @returns how many logins */
export async function lockLogins(adminUrl: string, studioId: string, locked: boolean): Promise<number> {
  const roles = await asAdministrator(adminUrl, (transaction) =>
    transaction.query<{ role: string }>('select role::text from access.lock_analysts($1, $2) as role', [
      studioId,
      locked,
    ]),
  )
  if (locked) for (const { role } of roles) await endSessions(adminUrl, role)
  return roles.length
}

/** The logins that are mapped to a studio. */
export async function loginsOf(adminUrl: string, studioId: string): Promise<string[]> {
  const logins = await asOwner(adminUrl, (transaction) =>
    transaction.query<{ login: string }>('select login::text from access.analyst_logins where studio_id = $1', [
      studioId,
    ]),
  )
  return logins.map(({ login }) => login)
}

/** How many sessions were ended, or why none could be. */
export type Ended = { ended: number; openBecause: string | null }

async function endSessions(adminUrl: string, role: string): Promise<Ended> {
  try {
    const [row] = await asOwner(adminUrl, (transaction) =>
      transaction.query<{ ended: string }>('select access.end_sessions($1::oid) as ended', [role]),
    )
    return { ended: Number(row?.ended ?? 0), openBecause: null }
  } catch (error) {
    // It is unmapped or has another password already: not being able to end its sessions must not look like a failure.
    return { ended: 0, openBecause: messageOf(error) }
  }
}

function newPassword(): string {
  return randomBytes(24).toString('base64url')
}

function inDays(days: number): string {
  return new Date(Date.now() + days * 24 * 60 * 60 * 1000).toISOString()
}
