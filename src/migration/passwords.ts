import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto'
import { type Client, withClient } from '../database/client.ts'
import { isRefusedLogin } from '../database/errors.ts'
import { type LoginRole, loginRoles, rolePassword, roleUrl } from '../database/roles.ts'
import { retryConflicts } from './conflicts.ts'

/** Gives each login role its derived password if it has another, and returns the roles it
 * changed. Roles belong to the whole server: two databases on one server need the same secret
 * key. */
export async function setRolePasswords(client: Client, databaseUrl: string, secretKey: string): Promise<LoginRole[]> {
  const outdated: LoginRole[] = []
  for (const { role, verifier } of await storedVerifiers(client)) {
    const password = rolePassword(secretKey, role)
    const works =
      verifier === undefined
        ? await canLogIn(roleUrl(databaseUrl, role, secretKey))
        : verifierMatches(verifier, password)
    if (!works) outdated.push(role)
  }
  for (const role of outdated) {
    // A verifier has no quote in it, and role is one of a few known names.
    const statement = `alter role ${role} password '${scramVerifier(rolePassword(secretKey, role))}'`
    // Another process, perhaps in another database, may set the same password right now.
    await retryConflicts(() => client.query(statement))
  }
  return outdated
}

/** Only a superuser may read the stored verifiers; for others they are undefined. */
async function storedVerifiers(client: Client): Promise<{ role: LoginRole; verifier: string | null | undefined }[]> {
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
