import { withSafeClient } from '../database/client.ts'
import { messageOf } from '../domain/error.ts'
import type { Logger } from '../observability/log.ts'
import { repeat } from './repeat.ts'

const intervalMs = 60 * 60_000

/**
 * Forgets removals that are older than a number of days, every hour, until the returned function is called. On a connection of its
 * own, of the login that may enter studios.
 *
 * @param writerUrl the connection string of studio_writer
 */
export function purgeRemovals(writerUrl: string, days: number, log: Logger): () => Promise<void> {
  const once = async () => {
    const purged = await withSafeClient(writerUrl, async (client) => {
      let total = 0
      for (;;) {
        const { rows } = await client.query<{ purged: string }>('select access.purge_removals($1) as purged', [days])
        total += Number(rows[0]?.purged)
        if (!Number(rows[0]?.purged)) return total
      }
    })
    if (purged > 0) log.info({ purged }, 'forgot old removals')
  }
  return repeat(once, intervalMs, {
    failed: (error) => log.warn({ reason: messageOf(error) }, 'could not forget old removals'),
  })
}
