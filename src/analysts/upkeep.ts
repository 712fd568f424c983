import { withSafeClient } from '../database/client.ts'
import type { Pool } from '../database/pool.ts'

/** What was taken back, and which prepared transactions rolled back, each with its login. */
type Upkeep = { reset: string[]; rolledBack: string[] }

/** Takes back what analysts set for themselves, and rolls back what they prepared.
 * @param adminUrl an administrator's; prepared transactions need a superuser */
export async function keepUp(adminUrl: string): Promise<Upkeep> {
  return withSafeClient(adminUrl, async (client) => {
    await client.query(`set lock_timeout = '300ms'`)
    const { rows } = await client.query<{ done: string }>(
      `select login || ': ' || reset as done from access.reset_analysts()`,
    )
    return { reset: rows.map(({ done }) => done), rolledBack: await rollBackPrepared(adminUrl) }
  })
}

/** Rolls back what one analyst, or all, prepared in this database. It would outlive the login. */
export async function rollBackPrepared(adminUrl: string, role?: string): Promise<string[]> {
  return withSafeClient(adminUrl, async (client) => {
    const { rows } = await client.query<{ done: string; text: string }>(
      `select p.owner || ': ' || p.gid as done, format('rollback prepared %L', p.gid) as text
       from pg_prepared_xacts p
       left join pg_roles r on r.rolname = p.owner
       where p.database = current_database()
         and case when $1::oid is not null then r.oid = $1::oid
           else r.oid is null or (not r.rolsuper and pg_has_role(r.oid, 'studio_analyst', 'member')
             and not pg_has_role(r.oid, 'studio_owner', 'member')) end`,
      [role ?? null],
    )
    for (const { text } of rows) await client.query(text)
    return rows.map(({ done }) => done)
  })
}

/** What the watchdog did to a session of an analyst, and why. */
export type EndedSession = {
  login: string
  /** The process of the server; null for a prepared transaction. */
  pid: number | null
  action: 'cancelled' | 'ended' | 'reported'
  reason: string
}

/** What a session ended for, as the metrics count it; `never`: it is still there. */
export const endings = ['writing', 'notifications', 'room', 'limits', 'never'] as const

/** How the metrics count the reason of `access.watch_analysts()`. */
export function endingOf(reason: string): (typeof endings)[number] {
  if (reason === 'its transaction holds a transaction id') return 'writing'
  if (reason === 'it may hold up the queue of notifications') return 'notifications'
  return /more sessions than/.test(reason) ? 'room' : 'limits'
}

const watchAnalysts = {
  name: 'watch_analysts',
  text: 'select login, pid, action, reason from access.watch_analysts()',
}

/** Ends analysts' work beyond their limits, once.
 * @param pool the pool of `studio_recorder`
 * @throws DatabaseUnavailable, or StatementFailed if the database does not allow watching */
export function endOverdue(pool: Pool): Promise<EndedSession[]> {
  return pool.query<EndedSession>(watchAnalysts)
}
