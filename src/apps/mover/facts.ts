import { type OpenCell, rowsOf } from './cell.ts'

/** A server as far as it matters to a move. */
export type Facts = {
  server: string
  database: string
  version: number
  superuser: boolean
  standby: boolean
  schema: string
  wal_level: string
  /** Whether slots that nobody reads keep its log without a limit. */
  keeps_all: boolean
  /** How many are free. */
  slots: number
  /** The setting that limits where subscriptions remember how far they are, and how many of them are free. */
  origins_by: string
  origins: number
  senders: number
  workers: number
}

/** What a move needs to know of a server. */
export async function factsOf({ client }: OpenCell): Promise<Facts> {
  const [facts] = await rowsOf<Facts>(
    client,
    `select (select system_identifier::text from pg_control_system()) as server,
       current_database()::text as database,
       current_setting('server_version_num')::int as version,
       (select rolsuper from pg_roles where rolname = session_user) as superuser,
       pg_is_in_recovery() as standby,
       access.schema_version()::text as schema,
       current_setting('wal_level') as wal_level,
       current_setting('max_slot_wal_keep_size') = '-1' as keeps_all,
       current_setting('max_replication_slots')::int - (select count(*) from pg_replication_slots)::int as slots,
       origins.name as origins_by, origins.most - (select count(*) from pg_replication_origin_status)::int as origins,
       current_setting('max_wal_senders')::int - (select count(*) from pg_stat_replication)::int as senders,
       current_setting('max_logical_replication_workers')::int as workers
     from (select name, setting::int as most from pg_settings
       where name in ('max_active_replication_origins', 'max_replication_slots') order by name limit 1) as origins`,
  )
  if (facts === undefined) throw new Error('the server says nothing of itself')
  return facts
}
