import type { Pool } from '../database/pool.ts'
import type { Activity } from '../domain/activity.ts'

const recordActivity = {
  name: 'record_activity',
  text: 'select access.record_activity($1::uuid[], $2::timestamptz[], $3::text[], $4::smallint[], $5::real[])',
}

/**
 * Stores a batch of request activity and the last use of its tokens, in one statement.
 *
 * @param pool the pool of `studio_recorder`
 * @throws DatabaseUnavailable or StatementFailed
 */
export async function writeActivity(pool: Pool, batch: readonly Activity[]): Promise<void> {
  await pool.query(recordActivity, [
    batch.map(({ tokenId }) => tokenId),
    batch.map(({ at }) => at.toISOString()),
    batch.map(({ endpoint }) => endpoint),
    batch.map(({ status }) => status),
    batch.map(({ durationMs }) => durationMs),
  ])
}
