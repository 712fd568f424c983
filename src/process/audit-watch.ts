import type { Audit } from '../apps/audit/findings.ts'
import { messageOf } from '../domain/error.ts'
import type { Readiness } from '../http/readiness.ts'
import type { Logger } from '../observability/log.ts'

/** How often the audit runs, in milliseconds. */
const intervalMs = 10 * 60_000

/** How soon an audit that could not be run is retried, in milliseconds. */
const retryMs = 60_000

/** This many failures in succession are an objection. */
const maxFailures = 3

export type AuditWatch = {
  /** Why the last audit makes the service unready; undefined when it does not. Answers at once, from memory. */
  objection(): string | undefined
  stop(): void
}

/**
 * Runs the audit now and every ten minutes, on a connection of its own and apart from every request. Findings of level
 * error are an objection; warnings are only logged. An audit that cannot be run is retried after a minute and keeps the
 * last result; after three failures in succession there is an objection, as its result is unknown.
 */
export function watchAudit(run: () => Promise<Audit>, log: Logger): AuditWatch {
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
    objection: () => objection,
    stop: () => {
      stopped = true
      clearTimeout(timer)
    },
  }
}

/** Ready when the service is ready otherwise and the audit has no objection. */
export function withAuditObjection(readiness: Readiness, watch: Pick<AuditWatch, 'objection'>): Readiness {
  const reason = watch.objection()
  return readiness.ready && reason !== undefined ? { ready: false, reason } : readiness
}
