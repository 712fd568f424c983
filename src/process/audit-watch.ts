import type { Audit } from '../apps/audit/findings.ts'
import { messageOf } from '../domain/error.ts'
import type { Readiness } from '../http/readiness.ts'
import type { Logger } from '../observability/log.ts'

/** How often the audit runs, in milliseconds. */
const intervalMs = 10 * 60_000

export type AuditWatch = {
  /** What the last audit says against being ready; undefined when nothing. Answers at once, from memory. */
  objection(): string | undefined
  stop(): void
}

/**
 * Runs the audit now and every ten minutes, on a connection of its own and apart from every request. Findings of level
 * error are an objection; warnings are in the log only. When the audit cannot be run, its last result is kept.
 */
export function watchAudit(run: () => Promise<Audit>, log: Logger): AuditWatch {
  let objection: string | undefined = 'the audit has not finished yet'
  let timer: NodeJS.Timeout | undefined
  let stopped = false

  async function ask(): Promise<void> {
    try {
      const { findings } = await run()
      const errors = findings.filter(({ level }) => level === 'error')
      objection = errors.length === 0 ? undefined : 'the audit found errors: run studio-inventory audit'
      if (findings.length > 0 && !stopped) {
        log.warn({ findings: findings.map(({ rule, object }) => `${rule}: ${object}`) }, 'the audit found something')
      }
    } catch (error) {
      if (!stopped) log.warn({ reason: messageOf(error) }, 'could not run the audit')
    }
    if (!stopped) timer = setTimeout(ask, intervalMs).unref()
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

/** Ready is who is ready otherwise and has no objection of the audit. */
export function withAuditObjection(readiness: Readiness, watch: Pick<AuditWatch, 'objection'>): Readiness {
  const reason = watch.objection()
  return readiness.ready && reason !== undefined ? { ready: false, reason } : readiness
}
