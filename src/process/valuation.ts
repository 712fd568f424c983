import { type Client, withSafeClient } from '../database/client.ts'
import { messageOf } from '../domain/error.ts'
import type { Logger } from '../observability/log.ts'

/** How many items have a new value, and of how many studios the refresh failed. */
export type Refreshed = { moved: number; failed: number }

/**
 * Applies the depreciation that is due, at most a thousand items a transaction. A failed studio stays due.
 * `writerUrl` is that of studio_writer; `rebuildMissing` also values items without a valuation.
 */
export async function refreshValuations(writerUrl: string, log: Logger, rebuildMissing = false): Promise<Refreshed> {
  return withSafeClient(writerUrl, async (client) => {
    let moved = 0
    const failed = await forEachDue(
      client,
      ['select valuation.next_due($1, $2) as next', rebuildMissing],
      async (studioHash) => {
        const { rows } = await client.query<{ valued: number; moved: number }>(
          'select valued, moved from valuation.refresh_due($1, $2)',
          [studioHash, rebuildMissing],
        )
        moved += rows[0]?.moved ?? 0
        return Boolean(rows[0]?.valued)
      },
      (reason) => log.warn(reason, 'could not refresh the valuations of a studio'),
    )
    return { moved, failed }
  })
}

/** How many values were closed, and of how many studios a month could not be. */
export type Closed = { values: number; failed: number }

/** Closes the months that are over, at most a thousand items a transaction. A failed studio stays to be closed. */
export async function closeMonths(writerUrl: string, log: Logger): Promise<Closed> {
  return withSafeClient(writerUrl, async (client) => {
    let values = 0
    const failed = await forEachDue(
      client,
      ['select valuation.next_to_close($1) as next'],
      async (studioHash) => {
        const { rows } = await client.query<{ due: boolean; closed: number }>(
          'select due, closed from valuation.close_month($1)',
          [studioHash],
        )
        values += rows[0]?.closed ?? 0
        return rows[0]?.due === true
      },
      (reason) => log.warn(reason, 'could not close a month of a studio'),
    )
    return { values, failed }
  })
}

/** Works on each due studio until `work` returns false; `next` finds the one after $1. @returns how many failed */
async function forEachDue(
  client: Client,
  [next, ...values]: [string, ...unknown[]],
  work: (studioHash: number) => Promise<boolean>,
  warn: (failure: { studio_hash: number; reason: string }) => void,
): Promise<number> {
  let failed = 0
  const nextAfter = async (studioHash: number | null) => {
    const { rows } = await client.query<{ next: number | null }>(next, [studioHash, ...values])
    return rows[0]?.next ?? null
  }
  for (let studioHash = await nextAfter(null); studioHash !== null; studioHash = await nextAfter(studioHash)) {
    try {
      while (await work(studioHash)) {}
    } catch (error) {
      failed += 1
      warn({ studio_hash: studioHash, reason: messageOf(error) })
    }
  }
  return failed
}
