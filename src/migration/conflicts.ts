import { setTimeout as sleep } from 'node:timers/promises'
import { sqlState } from '../database/errors.ts'

/** Whether a statement lost a lock or a role to another transaction. The caller may retry. */
export function isConflict(error: unknown): boolean {
  // lock_timeout, deadlock_detected
  return ['55P03', '40P01'].includes(sqlState(error) ?? '') || changesSameRow(error)
}

/** Whether another session changed the same row of the catalog. PostgreSQL gives no SQLSTATE for
 * it. */
export function changesSameRow(error: unknown): boolean {
  return error instanceof Error && /tuple concurrently (updated|deleted)/.test(error.message)
}

/** PostgreSQL's message says what the other session does. */
export const sameRow =
  'another session changes the same row of the catalog. It migrates another database, or runs GRANT or ALTER ROLE, which every login may, also where it grants nothing'

/** How long to try, and the pause after each attempt, in milliseconds. */
const [patienceMs, pauseMs] = [30_000, 50]

/** Runs `work` again while it loses a lock or a role to another transaction, for half a minute at
 * most. Runs `between` after each failure. */
export async function retryConflicts<Result>(
  work: () => Promise<Result>,
  between: () => Promise<unknown> = async () => undefined,
): Promise<Result> {
  for (const end = Date.now() + patienceMs; ; await sleep(pauseMs)) {
    try {
      return await work()
    } catch (error) {
      if (!isConflict(error) || Date.now() > end) throw error
    }
    await between().catch(() => undefined)
  }
}
