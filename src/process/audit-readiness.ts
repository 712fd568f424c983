import type { Config } from '../config/config.ts'
import type { Database } from '../database/database.ts'
import type { Readiness } from '../http/readiness.ts'
import type { Logger } from '../observability/log.ts'

/** Readiness that includes the result of the last audit; loaded only when configured. */
export async function askAuditToo(
  ready: () => Promise<Readiness>,
  { audit }: Config,
  { adminUrl, embedded }: Database,
  resources: AsyncDisposableStack,
  log: Logger,
): Promise<typeof ready> {
  const [{ watchAudit, withAuditObjection }, { acceptedIn, runAudit }] = await Promise.all([
    import('./audit-watch.ts'),
    import('../apps/audit/findings.ts'),
  ])
  const known = { accept: acceptedIn(embedded, audit.accept), administrators: audit.administrators }
  const watch = watchAudit(() => runAudit(audit.url ?? adminUrl, known), log)
  resources.defer(async () => watch.stop())
  return async () => withAuditObjection(await ready(), watch)
}
