import type { Pool } from '../database/pool.ts'

/** What the watchdog did to a session of an analyst, and why. */
export type EndedSession = {
  login: string
  /** The process of the server; null for a prepared transaction. */
  pid: number | null
  action: 'cancelled' | 'ended' | 'reported'
  reason: string
}

const watchAnalysts = {
  name: 'watch_analysts',
  text: 'select login, pid, action, reason from access.watch_analysts()',
}

/** Ends analysts' work beyond their limits, once.
 * @param pool the pool of `studio_recorder`
 * @throws DatabaseUnavailable, or StatementFailed if the database does not allow watching */
export function endOverdue(pool: Pool): Promise<EndedSession[]> {
  return pool.query<EndedSession>(watchAnalysts)
}
