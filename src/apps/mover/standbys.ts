import { setTimeout as sleep } from 'node:timers/promises'
import { type OpenCell, rowsOf } from './cell.ts'

/** How long is waited for standbys, in milliseconds: writes are stopped meanwhile. */
const limitMs = 5_000

/**
 * Waits until each streaming standby of a server has on its disk what the server has committed until now, so that none that is promoted
 * lacks it. Says so when one does not have it in time.
 */
export async function waitForStandbys(cell: OpenCell, report: (line: string) => void): Promise<void> {
  const [now] = await rowsOf<{ lsn: string }>(cell.client, 'select pg_current_wal_flush_lsn()::text as lsn')
  for (const end = performance.now() + limitMs; ; ) {
    const behind = await standbysBehind(cell, now?.lsn ?? '')
    if (behind.length === 0) return
    if (performance.now() > end) {
      report(
        `${cell.name}: ${behind.join(', ')} did not confirm the switch within ${limitMs / 1000} s; a failover to it would lose the studio`,
      )
      return
    }
    await sleep(10)
  }
}

/** The streaming standbys of a server that do not have its log on their disks up to a position. */
export async function standbysBehind({ client }: OpenCell, lsn: string): Promise<string[]> {
  const rows = await rowsOf<{ name: string }>(
    client,
    `select 'standby ' || r.application_name || coalesce(' at ' || host(r.client_addr), '') as name
     from pg_stat_replication r
     where r.state = 'streaming' and (r.flush_lsn is null or r.flush_lsn < $1::pg_lsn)
       and not exists (select from pg_replication_slots s where s.active_pid = r.pid and s.slot_type = 'logical')
     order by 1`,
    [lsn],
  )
  return rows.map(({ name }) => name)
}
