import { withClient } from '../database/client.ts'
import { DatabaseUnavailable, describeConnectionError, isRefusedLogin } from '../database/errors.ts'
import type { Pool } from '../database/pool.ts'
import type { Readiness } from '../http/readiness.ts'

const schemaVersion = { name: 'schema_version', text: 'select access.schema_version() as version' }

/**
 * Whether the service can answer: its database can be reached as studio_api and has every migration of this release.
 *
 * @param api the pool of studio_api
 * @param latest the newest migration of this release; a database of a newer one is fine too
 */
export async function checkReadiness(api: Pool, latest: string): Promise<Readiness> {
  try {
    const [row] = await api.query<{ version: string | null }>(schemaVersion)
    const version = row?.version ?? ''
    if (version >= latest) return { ready: true, schemaVersion: version }
    const missing = `it has ${version || 'no migration'}, this release needs ${latest}`
    return { ready: false, reason: `the database is not up to date (${missing}): run studio-inventory migrate` }
  } catch (error) {
    if (error instanceof DatabaseUnavailable) return { ready: false, reason: 'the database cannot be used' }
  }
  return { ready: false, reason: 'the database is not up to date: run studio-inventory migrate' }
}

/** The database refuses the service's login. The message is one line that says what to do. */
export class LoginRefused extends Error {
  override name = 'LoginRefused'
}

/**
 * Tries the login of a role once. A database that is away is no error: it may come.
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
