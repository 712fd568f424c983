import type { Pool } from '../database/pool.ts'
import { messageOf } from '../domain/error.ts'
import type { Logger } from '../observability/log.ts'
import { repeat } from './repeat.ts'

/** How often the watermark moves, in milliseconds: how late a poll without headers may be. */
const intervalMs = 1_000

const heartbeat = {
  name: 'heartbeat',
  text: 'select extract(epoch from access.watermark()) as watermark from access.heartbeat()',
}

export type Heartbeat = {
  /** Seconds since the moment before which nothing can still become visible; undefined while it is not known. */
  watermarkAge(): number | undefined
  stop(): Promise<void>
}

/**
 * Moves the watermark once a second, until it is stopped. The first time is over when it resolves, if the database answers. Every
 * process does it, and the database sees to it that one of them writes.
 *
 * @param pool the pool of `studio_recorder`
 */
export async function startHeartbeat(pool: Pool, log: Logger): Promise<Heartbeat> {
  let watermark: number | undefined
  const beat = async () => {
    const [row] = await pool.query<{ watermark: string | null }>(heartbeat)
    if (row !== undefined && row.watermark !== null) watermark = Number(row.watermark)
  }
  await beat().catch(() => undefined)
  const stop = repeat(beat, intervalMs, {
    failed: (error) => log.warn({ reason: messageOf(error) }, 'heartbeat: the watermark does not move'),
    recovered: () => log.info('heartbeat: the watermark moves again'),
  })
  return {
    watermarkAge: () => (watermark === undefined ? undefined : Math.max(0, Date.now() / 1000 - watermark)),
    stop,
  }
}
