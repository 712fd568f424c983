import { setTimeout as sleep } from 'node:timers/promises'
import type { EndedSession } from '../apps/analysts/watch.ts'
import { messageOf } from '../domain/error.ts'
import type { Logger } from '../observability/log.ts'

/** How often sessions are checked, in milliseconds. Less than the shortest limit, so that a statement is cancelled in time. */
const intervalMs = 2_000

/**
 * Lets `look` end what analysts run beyond their limits, again and again, until the returned function is called; that
 * waits for a look under way. What was ended is logged. A failure is logged once, and so is its end. Never keeps the
 * process alive.
 */
export function watchAnalysts(
  look: () => Promise<readonly EndedSession[]>,
  log: Logger,
  pauseMs: number = intervalMs,
): () => Promise<void> {
  const stopping = new AbortController()
  let failing = false

  async function lookOnce(): Promise<void> {
    try {
      const ended = await look()
      for (const session of ended) log.warn(session, `watchdog: ${session.action} a session of an analyst`)
      if (failing) log.info('watchdog: analysts are watched again')
      failing = false
    } catch (error) {
      if (!failing) log.warn({ reason: messageOf(error) }, 'watchdog: analysts are not watched')
      failing = true
    }
  }

  async function watch(): Promise<void> {
    while (!stopping.signal.aborted) {
      await lookOnce()
      await sleep(pauseMs, undefined, { ref: false, signal: stopping.signal }).catch(() => undefined)
    }
  }

  const watching = watch()
  return async () => {
    stopping.abort()
    await watching
  }
}
