import { withSafeClient } from '../database/client.ts'
import type { LoginUrl } from '../database/roles.ts'
import { messageOf } from '../domain/text.ts'
import type { Logger } from '../log.ts'

/** How many items have a new value, and for how many studios the refresh failed. */
type Refreshed = { moved: number; failed: number }

/** Applies due depreciation, at most a thousand items a transaction. A failed studio stays due.
 * `writerUrl` is studio_writer's. */
export async function refreshValuations(writerUrl: LoginUrl, log: Logger): Promise<Refreshed> {
  const { changed, failed } = await forEachDue(writerUrl, {
    next: 'select valuation.next_due($1) as next',
    work: 'select valued > 0 as more, moved as changed from valuation.refresh_due($1)',
    warn: (reason) => log.warn(reason, 'could not refresh the valuations of a studio'),
  })
  return { moved: changed, failed }
}

/** Closes the months that are over, at most a thousand items a transaction. Returns how many
 * values it wrote and how many studios failed. */
export async function closeMonths(writerUrl: LoginUrl, log: Logger): Promise<{ values: number; failed: number }> {
  const { changed, failed } = await forEachDue(writerUrl, {
    next: 'select valuation.next_to_close($1) as next',
    work: 'select due as more, closed as changed from valuation.close_month($1)',
    warn: (reason) => log.warn(reason, 'could not close a month of a studio'),
  })
  return { values: changed, failed }
}

/** Does the work of each due studio, $1, until none is left; `next` finds the one after $1.
 * @returns how many failed */
function forEachDue(
  writerUrl: LoginUrl,
  given: { next: string; work: string; warn(failure: { studio_hash: number; reason: string }): void },
): Promise<{ changed: number; failed: number }> {
  return withSafeClient(writerUrl, async (client) => {
    const run = async <Row extends object>(text: string, studioHash: number | null) =>
      (await client.query<Row>(text, [studioHash])).rows[0]
    const nextAfter = async (studioHash: number | null) =>
      (await run<{ next: number | null }>(given.next, studioHash))?.next ?? null
    const total = { changed: 0, failed: 0 }
    for (let studioHash = await nextAfter(null); studioHash !== null; studioHash = await nextAfter(studioHash)) {
      try {
        for (let more: boolean | undefined = true; more; ) {
          const done = await run<{ more: boolean; changed: number }>(given.work, studioHash)
          total.changed += done?.changed ?? 0
          more = done?.more
        }
      } catch (error) {
        total.failed += 1
        given.warn({ studio_hash: studioHash, reason: messageOf(error) })
      }
    }
    return total
  })
}
