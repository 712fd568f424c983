import { withClient } from '../database/client.ts'
import { DatabaseUnavailable, describeConnectionError, isRefusedLogin } from '../database/errors.ts'
import type { Migration } from '../database/migrations.ts'
import type { Pool } from '../database/pool.ts'
import type { Readiness } from '../http/readiness.ts'

const schemaVersion = {
  name: 'schema_version',
  text: 'select access.schema_version() as version, access.has_migration($1) as has_newest',
}

/**
 * Whether the service can serve requests: its database can be reached as studio_api and has every migration of this release.
 *
 * That is one look-up, of the newest migration's hash: a hash covers the content and the hash of the migration before, so
 * whoever has it has all of them, unchanged. During a rolling deployment the old processes stay ready on a schema that has
 * newer migrations too, and the new ones are not ready before it is migrated. Nor is any after a backup of an older release
 * was restored, or on a database whose migrations have the same names but other contents.
 *
 * @param api the pool of studio_api
 * @param newest the newest migration of this release
 */
export async function checkReadiness(api: Pool, newest: Migration): Promise<Readiness> {
  try {
    const [row] = await api.query<{ version: string | null; has_newest: boolean }>(schemaVersion, [newest.hash])
    const version = row?.version ?? ''
    if (row?.has_newest) return { ready: true, schemaVersion: version }
    return { ready: false, reason: reasonFor(version, newest.filename) }
  } catch (error) {
    if (error instanceof DatabaseUnavailable) return { ready: false, reason: 'the database cannot be used' }
  }
  // A function is missing, or the right to it: the schema is empty or older than this question.
  return { ready: false, reason: notUpToDate(`this release needs ${newest.filename}`) }
}

/** Why a database is not ready that lacks the newest migration. */
function reasonFor(version: string, newest: string): string {
  if (version < newest) return notUpToDate(`it has ${version || 'no migration'}, this release needs ${newest}`)
  return `the database was made by another version (its ${newest} is not the migration of this release): run studio-inventory migrate, which says what to do`
}

const notUpToDate = (missing: string) => `the database is not up to date (${missing}): run studio-inventory migrate`

/** The database refuses the service's login. The message is one line that says what to do. */
export class LoginRefused extends Error {
  override name = 'LoginRefused'
}

/**
 * Tries the login of a role once. An unreachable database is not an error: it may become available.
 *
 * @throws LoginRefused for wrong credentials, which waiting will not fix
 */
export async function checkLogin(url: string): Promise<void> {
  try {
    await withClient(url, async () => undefined)
  } catch (error) {
    if (!isRefusedLogin(error)) return
    const advice = 'run studio-inventory migrate with the same DATABASE_URL and SECRET_KEY'
    throw new LoginRefused(`${describeConnectionError(url, error)}; ${advice}`)
  }
}
