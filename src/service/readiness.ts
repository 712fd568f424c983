import type { Audit } from '../audit/findings.ts'
import type { Config } from '../config/config.ts'
import { withClient } from '../database/client.ts'
import { DatabaseUnavailable, describeConnectionError, isRefusedLogin } from '../database/errors.ts'
import type { Pool } from '../database/pool.ts'
import type { Database } from '../database/roles.ts'
import { messageOf } from '../domain/text.ts'
import type { Readiness } from '../http/readiness.ts'
import type { Logger } from '../log.ts'
import type { Migration } from '../migration/migrations.ts'
import type { Resources } from './signals.ts'

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
export async function checkLogin(url: string): Promise<void> {
  try {
    await withClient(url, async () => undefined)
  } catch (error) {
    if (!isRefusedLogin(error)) return
    const advice = 'run studio-inventory migrate with the same DATABASE_URL and SECRET_KEY'
    throw new LoginRefused(`${describeConnectionError(url, error)}; ${advice}`)
  }
}

/** Readiness that includes the last audit. Loads the audit only when configured. */
export async function askAuditToo(
  ready: () => Promise<Readiness>,
  { audit }: Config,
  { adminUrl, embedded }: Database,
  resources: Resources,
  log: Logger,
): Promise<typeof ready> {
  const [{ acceptedIn, runAudit }, { cacheInstalled }] = await Promise.all([
    import('../audit/findings.ts'),
    import('../audit/scratch.ts'),
  ])
  const known = { accept: acceptedIn(embedded, audit.accept), administrators: audit.administrators }
  const installed = cacheInstalled(adminUrl)
  const watch = watchAudit(() => runAudit(audit.url ?? adminUrl, known, installed), log)
  resources.defer(async () => watch.stop())
  return async () => withAuditObjection(await ready(), watch)
}

/** How often the audit runs, in milliseconds. */
const intervalMs = 10 * 60_000

/** When to retry an audit that could not run, in milliseconds. */
const retryMs = 60_000

/** This many failures in a row make the service unready. */
const maxFailures = 3

export type AuditWatch = ReturnType<typeof watchAudit>

/** Runs the audit now and every ten minutes. It objects to findings of level error, and to three
 * failures in a row; until then the last result counts. */
export function watchAudit(run: () => Promise<Audit>, log: Logger) {
  let objection: string | undefined = 'the audit has not finished yet'
  let timer: NodeJS.Timeout | undefined
  let failures = 0
  let administrators = ''
  let stopped = false

  async function ask(): Promise<void> {
    try {
      const audit = await run()
      const { findings } = audit
      failures = 0
      const errors = findings.filter(({ level }) => level === 'error')
      objection = errors.length === 0 ? undefined : 'the audit found errors: run studio-inventory audit'
      if (findings.length > 0 && !stopped) {
        log.warn({ findings: findings.map(({ rule, object }) => `${rule}: ${object}`) }, 'the audit found something')
      }
      if (administrators !== audit.administrators.join() && !stopped) {
        administrators = audit.administrators.join()
        log.info({ administrators: audit.administrators }, 'the audit assumes that these are administrators')
      }
    } catch (error) {
      failures += 1
      if (failures >= maxFailures) objection = 'the audit cannot be run: run studio-inventory audit'
      if (!stopped) log.warn({ reason: messageOf(error) }, 'could not run the audit')
    }
    if (!stopped) timer = setTimeout(ask, failures > 0 ? retryMs : intervalMs).unref()
  }

  void ask()
  return {
    /** Why the last audit makes the service unready, or undefined. Answers from memory. */
    objection: () => objection,
    stop(): void {
      stopped = true
      clearTimeout(timer)
    },
  }
}

/** Ready when the service is otherwise ready and the audit does not object. */
export function withAuditObjection(readiness: Readiness, watch: Pick<AuditWatch, 'objection'>): Readiness {
  const reason = watch.objection()
  return readiness.ready && reason !== undefined ? { ready: false, reason } : readiness
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
