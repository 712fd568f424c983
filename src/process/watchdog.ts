import type { EndedSession } from '../apps/analysts/watch.ts'
import { messageOf } from '../domain/error.ts'
import type { Logger } from '../observability/log.ts'
import { repeat } from './repeat.ts'

/** How often sessions are checked, in milliseconds. Less than the shortest limit, so that a statement is cancelled in time. */
const intervalMs = 2_000

/**
 * Calls `look`, which ends what analysts run beyond their limits, repeatedly until the returned function is called; that
 * waits for a running check. What was ended is logged. A failure is logged once, and so is recovery. Never keeps the
 * process alive.
 */
export function watchAnalysts(
  look: () => Promise<readonly EndedSession[]>,
  log: Logger,
  pauseMs: number = intervalMs,
): () => Promise<void> {
  const lookOnce = async () => {
    for (const session of await look()) log.warn(session, `watchdog: ${session.action} a session of an analyst`)
  }
  return repeat(lookOnce, pauseMs, {
    failed: (error) => log.warn({ reason: messageOf(error) }, 'watchdog: analysts are not watched'),
    recovered: () => log.info('watchdog: analysts are watched again'),
  })
}
