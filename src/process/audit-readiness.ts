import type { Readiness } from '../app.ts'
import type { Config } from '../config.ts'
import type { Database } from '../database/connection.ts'
import type { Logger } from '../log.ts'
import type { Closers } from './closing.ts'

/** Readiness that also asks what the last audit found; loaded only when that is asked for. */
export async function askAuditToo(
  ready: () => Promise<Readiness>,
  { audit }: Config,
  { adminUrl, embedded }: Database,
  closers: Closers,
  log: Logger,
): Promise<typeof ready> {
  const [{ watchAudit, withAuditObjection }, { acceptedIn, runAudit }] = await Promise.all([
    import('./audit-watch.ts'),
    import('../audit/findings.ts'),
  ])
  const known = { accept: acceptedIn(embedded, audit.accept), administrators: audit.administrators }
  const watch = watchAudit(() => runAudit(audit.url ?? adminUrl, known), log)
  closers.push(watch.stop)
  return async () => withAuditObjection(await ready(), watch)
}
