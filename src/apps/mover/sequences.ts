import type { OpenCell } from './cell.ts'
import { quoted } from './tables.ts'

/** New rows get ids after those that came along: of market values known for one day the one with the highest id counts. */
export async function moveSequences({ client }: OpenCell, studioId: string): Promise<void> {
  for (const table of ['app.market_value_history', 'access.audit_log']) {
    await client.query(
      `select setval(q.name::regclass, m.last + 100000)
       from (select pg_get_serial_sequence($2, 'id') as name) q,
         (select coalesce(max(t.id), 0) as last from ${quoted(table)} t where t.studio_id = $1) m
       where m.last >= coalesce(pg_sequence_last_value(q.name::regclass), 0)`,
      [studioId, table],
    )
  }
}
