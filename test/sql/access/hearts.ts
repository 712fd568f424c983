import { expect, vi } from 'vitest'
import type { Session, Sql } from '../support.ts'

/**
 * Lets hearts beat fifty times a second: what is tested is an order, and not how long it takes.
 *
 * @returns the definition of access.heartbeat() as it is
 */
export async function quicken(sql: Sql): Promise<string> {
  const asItIs = await sql.admin.value(`select pg_get_functiondef('access.heartbeat'::regproc)`)
  await sql.admin.rows(asItIs.replace('between 0 and 800', 'between 0 and 20'))
  return asItIs
}

/** What is done with heartbeats and the watermark, as studio_recorder. */
export function heartsOf(sql: Sql, recorder: () => Session) {
  const setAnnounced = (moment: number) => sql.owner.rows(`select setval('app.announced_moment', $1)`, [moment])

  /** In milliseconds since 1970; null when there is none. */
  async function watermark(session = recorder()): Promise<number | null> {
    const moment = await session.value<string | null>('select extract(epoch from access.watermark()) * 1000')
    return moment === null ? null : Number(moment)
  }

  const heartbeats = () =>
    sql.owner.rows<{ xid: string; at: string }>(
      'select h.xid::text, (extract(epoch from h.at) * 1000)::bigint as at from app.heartbeats h order by h.xid desc',
    )

  /** One heartbeat that writes, as soon as the one before it is old enough. */
  async function beat(): Promise<void> {
    const [before] = await heartbeats()
    await vi.waitFor(
      async () => {
        await recorder().rows('select access.heartbeat()')
        expect((await heartbeats())[0]?.xid).not.toBe(before?.xid)
      },
      { timeout: 60_000, interval: 10 },
    )
  }

  return { setAnnounced, watermark, heartbeats, beat }
}
