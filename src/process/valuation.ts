import { inTransaction } from '../database/client.ts'
import { messageOf } from '../domain/error.ts'
import type { Logger } from '../observability/log.ts'
import { runDaily } from './daily.ts'

/**
 * Runs the monthly tick of depreciation for all studios on a connection of its own.
 *
 * @param writerUrl the connection string of studio_writer
 * @param rebuildMissing also values items whose valuation is missing
 * @returns how many items have a new value; 0 when another process is doing it at the moment
 */
export async function refreshValuation(writerUrl: string, rebuildMissing = false): Promise<number> {
  const rows = await inTransaction(writerUrl, (transaction) =>
    transaction.query<{ moved: string }>('select valuation.refresh($1) as moved', [rebuildMissing]),
  )
  return Number(rows[0]?.moved ?? 0)
}

/** Refreshes the valuations of all studios daily. Returns what stops it. */
export function refreshDaily(writerUrl: string, log: Logger): () => void {
  const refresh = async () => {
    const moved = await refreshValuation(writerUrl)
    log.info({ moved }, 'refreshed valuations')
  }
  return runDaily(refresh, (error) => {
    log.warn({ reason: messageOf(error) }, 'could not refresh valuations')
  })
}
