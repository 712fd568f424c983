import type { Pool } from '../database/pool.ts'
import { messageOf } from '../domain/error.ts'
import type { Logger } from '../observability/log.ts'
import { repeat } from './repeat.ts'

const intervalMs = 60_000

const purge = { name: 'purge_uploads', text: 'select access.purge_uploads()::int as purged' }

/**
 * Deletes uploads to the console that have expired, every minute, until the returned function is called; that waits for a deletion under
 * way. Never keeps the process alive.
 *
 * @param pool the pool of `studio_recorder`
 */
export function purgeUploads(
  pool: Pick<Pool, 'query'>,
  log: Logger,
  pauseMs: number = intervalMs,
): () => Promise<void> {
  const once = async () => {
    const [row] = await pool.query<{ purged: number }>(purge)
    if (row?.purged) log.info({ uploads: row.purged }, 'deleted expired uploads')
  }
  return repeat(once, pauseMs, {
    failed: (error) => log.warn({ reason: messageOf(error) }, 'could not delete expired uploads'),
    recovered: () => log.info('expired uploads are deleted again'),
  })
}
