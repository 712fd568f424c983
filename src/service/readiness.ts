import { withClient } from '../database/client.ts'
import { DatabaseUnavailable, describeConnectionError, isRefusedLogin } from '../database/errors.ts'
import type { Pool } from '../database/pool.ts'
import type { LoginUrl } from '../database/roles.ts'
import type { Readiness } from '../http/response.ts'
import type { Logger } from '../log.ts'
import type { Migration } from '../migration/migrations.ts'

const schemaVersion = {
  name: 'schema_version',
  text: 'select access.schema_version() as version, access.has_migration($1) as has_newest',
}

/** Whether studio_api reaches a database with every migration of this release. The newest one's
 * hash covers all earlier ones. Newer migrations are fine, for rolling deployments. */
export async function checkReadiness(api: Pool, newest: Migration): Promise<Readiness> {
  try {
    const [row] = await api.query<{ version: string | null; has_newest: boolean }>(schemaVersion, [newest.hash])
    const version = row?.version ?? ''
    if (row?.has_newest) return { ready: true, schemaVersion: version }
    return { ready: false, reason: reasonFor(version, newest.filename) }
  } catch (error) {
    if (error instanceof DatabaseUnavailable) return { ready: false, reason: 'the database cannot be used' }
  }
  // The function does not exist, or the login has no right to it: the schema is empty, or older
  // than this check.
  return { ready: false, reason: notUpToDate(`this release needs ${newest.filename}`) }
}

/** Why a database without the newest migration is not ready. */
function reasonFor(version: string, newest: string): string {
  if (version < newest) return notUpToDate(`it has ${version || 'no migration'}, this release needs ${newest}`)
  return `the database was made by another version (its ${newest} is not the migration of this release): run studio-inventory migrate, which says what to do`
}

const notUpToDate = (missing: string) => `the database is not up to date (${missing}): run studio-inventory migrate`

/** The database refuses the service's login. The message is one line for the operator. */
class LoginRefused extends Error {
  override name = 'LoginRefused'
}

/** Tries a role's login once; an unreachable database is fine. @throws LoginRefused */
export async function checkLogin(url: LoginUrl): Promise<void> {
  try {
    await withClient(url, async () => undefined)
  } catch (error) {
    if (!isRefusedLogin(error)) return
    const advice = 'run studio-inventory migrate with the same DATABASE_URL and SECRET_KEY'
    throw new LoginRefused(`${describeConnectionError(url, error)}; ${advice}`)
  }
}

/** Warns of settings of the server with which the service will not do its work: prepared
 * transactions, and too few connections for two processes that open `own` each, as in a restart. */
export async function warnOfServer(pool: Pool, own: number, log: Logger): Promise<void> {
  const [found] = await pool.query<{ prepared: number; most: number; reserved: number }>(limits).catch(() => [])
  if (found === undefined) return
  const { prepared, most, reserved } = found
  if (prepared > 0)
    log.warn(
      `max_prepared_transactions is ${prepared}: one transaction that is prepared and left delays sync for every studio; set it to 0`,
    )
  if (2 * own > most - reserved)
    log.warn(
      `a process opens up to ${own} connections, and max_connections = ${most} has ${most - reserved} for two of them, as in a restart: lower POOL_SIZE, raise max_connections, or use a pooler`,
    )
}

// The service's logins may use reserved_connections, but not those of superusers.
const limits = {
  name: 'limits',
  text: `select current_setting('max_prepared_transactions')::integer as prepared,
    current_setting('max_connections')::integer as most, current_setting('superuser_reserved_connections')::integer as reserved`,
}

/** How old a remembered result may be, in milliseconds. */
const maxAgeMs = 1_000

/** Shares a running check, and its result for a second, however often clients ask. */
export function rememberReadiness(
  check: () => Promise<Readiness>,
  now: () => number = performance.now.bind(performance),
): () => Promise<Readiness> {
  let last: { at: number; result: Promise<Readiness> } | undefined
  return () => {
    // The second begins when the check ends, so that a slow one does not run again at once.
    if (last !== undefined && now() - last.at < maxAgeMs) return last.result
    const mine = { at: Number.POSITIVE_INFINITY, result: check() }
    const ended = () => {
      mine.at = now()
    }
    mine.result.then(ended, ended)
    last = mine
    return mine.result
  }
}
