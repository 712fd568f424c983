import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto'
import { type Client, withClient } from '../database/client.ts'
import { isRefusedLogin } from '../database/errors.ts'
import { type LoginRole, loginRoles, rolePassword, roleUrl } from '../database/roles.ts'
import { retryConflicts } from './conflicts.ts'

/** The logins of the server have the passwords of another SECRET_KEY. */
class OtherSecretKey extends Error {
  override name = 'OtherSecretKey'
  readonly hint =
    'Set the SECRET_KEY of the service that runs on this server. To change the key, start every process with the new one as SECRET_KEY_NEXT first: docs/operating.md has the steps. Then run migrate --rotate-secret.'

  constructor(roles: readonly LoginRole[]) {
    super(
      `SECRET_KEY is not the key of this server's logins, so migrate would change the passwords of ${roles.join(', ')}; it changed nothing`,
    )
  }
}

/** Throws OtherSecretKey if a login has the password of another key. Without a superuser nobody sees
 * whether a login has a password, so there every login of a database that `hasMigrations` has one. */
export async function requireSameKey(
  client: Client,
  databaseUrl: string,
  secretKey: string,
  hasMigrations: boolean,
): Promise<void> {
  const outdated = await outdatedLogins(client, databaseUrl, secretKey)
  const others = outdated.filter(({ verifier }) => (verifier === undefined ? hasMigrations : verifier !== null))
  if (others.length > 0) throw new OtherSecretKey(others.map(({ role }) => role))
}

/** Gives each login role its derived password if it has another, and returns the roles it
 * changed. Roles belong to the whole server: two databases on one server need the same secret
 * key. */
export async function setRolePasswords(client: Client, databaseUrl: string, secretKey: string): Promise<LoginRole[]> {
  const outdated = await outdatedLogins(client, databaseUrl, secretKey)
  for (const { role } of outdated) {
    // A verifier has no quote in it, and role is one of a few known names.
    const statement = `alter role ${role} password '${scramVerifier(rolePassword(secretKey, role))}'`
    // Another process, perhaps in another database, may set the same password right now.
    await retryConflicts(() => client.query(statement))
  }
  return outdated.map(({ role }) => role)
}

type StoredLogin = { role: LoginRole; verifier: string | null | undefined }

/** The login roles that exist and have another password than this key's, or none. */
async function outdatedLogins(client: Client, databaseUrl: string, secretKey: string): Promise<StoredLogin[]> {
  const outdated: StoredLogin[] = []
  for (const { role, verifier } of await storedVerifiers(client)) {
    const works =
      verifier === undefined
        ? await canLogIn(roleUrl(databaseUrl, role, secretKey))
        : verifierMatches(verifier, rolePassword(secretKey, role))
    if (!works) outdated.push({ role, verifier })
  }
  return outdated
}

/** Only a superuser may read the stored verifiers; for others they are undefined. */
async function storedVerifiers(client: Client): Promise<StoredLogin[]> {
  const readable = await client.query<{ readable: boolean }>(
    `select has_table_privilege('pg_catalog.pg_authid', 'select') as readable`,
  )
  if (readable.rows[0]?.readable) {
    const stored = await client.query<{ role: LoginRole; verifier: string | null }>(
      'select rolname as role, rolpassword as verifier from pg_catalog.pg_authid where rolname = any($1) order by 1',
      [loginRoles],
    )
    return stored.rows
  }
  const existing = await client.query<{ role: LoginRole }>(
    'select rolname as role from pg_catalog.pg_roles where rolname = any($1) order by 1',
    [loginRoles],
  )
  return existing.rows.map(({ role }) => ({ role, verifier: undefined }))
}

async function canLogIn(url: string): Promise<boolean> {
  try {
    return await withClient(url, async () => true)
  } catch (error) {
    if (isRefusedLogin(error)) return false
    throw error
  }
}

/** What PostgreSQL stores for a password under SCRAM-SHA-256 (RFC 5803). A server accepts it
 * instead of the password, so the password appears in no statement and no server log. */
export function scramVerifier(password: string, salt: Buffer = randomBytes(16), iterations = 4096): string {
  const salted = pbkdf2Sync(password, salt, iterations, 32, 'sha256')
  const clientKey = createHmac('sha256', salted).update('Client Key').digest()
  const storedKey = createHash('sha256').update(clientKey).digest('base64')
  const serverKey = createHmac('sha256', salted).update('Server Key').digest('base64')
  return `SCRAM-SHA-256$${iterations}:${salt.toString('base64')}$${storedKey}:${serverKey}`
}

/** Whether a stored verifier was made from this password; false for none and for other hashes. */
export function verifierMatches(verifier: string | null, password: string): boolean {
  const parts = /^SCRAM-SHA-256\$(\d+):([^$]+)\$/.exec(verifier ?? '')
  if (!parts?.[1] || !parts[2]) return false
  return verifier === scramVerifier(password, Buffer.from(parts[2], 'base64'), Number(parts[1]))
}
