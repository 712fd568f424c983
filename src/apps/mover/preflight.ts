import { MoveFailed, type OpenCell, rowsOf } from './cell.ts'
import { quoted, replicated } from './tables.ts'

type Facts = {
  server: string
  database: string
  version: number
  superuser: boolean
  standby: boolean
  schema: string
  wal_level: string
  slots: number
  senders: number
  workers: number
}

/** How many slots and senders the first copy of the tables takes, besides the one that stays. */
const slotsNeeded = 3

/**
 * Checks that a studio can move between two cells.
 *
 * @throws MoveFailed for the first thing that is in the way, and what to do about it
 */
export async function requireMovable(source: OpenCell, target: OpenCell): Promise<void> {
  const [from, to] = await Promise.all([factsOf(source), factsOf(target)])
  if (from.server === to.server && from.database === to.database) {
    throw new MoveFailed(`${source.name} and ${target.name} are the same database`)
  }
  if (from.server === to.server) {
    throw new MoveFailed(
      `${source.name} and ${target.name} are databases of one server, or one is a copy of the other`,
      'A cell has a server of its own: analysts’ logins and roles belong to the whole server.',
    )
  }
  for (const [cell, facts] of [
    [source, from],
    [target, to],
  ] as const) {
    if (facts.version < 150_000) throw new MoveFailed(`${cell.name}: moving a studio needs PostgreSQL 15 or newer`)
    if (facts.standby) throw new MoveFailed(`${cell.name}: the server is a standby`, 'Name the primary.')
    if (!facts.superuser) {
      throw new MoveFailed(
        `${cell.name}: the administrator's login is no superuser`,
        'Making a subscription and reading the verifiers of logins needs one.',
      )
    }
  }
  if (from.schema !== to.schema) {
    throw new MoveFailed(
      `the cells have different schemas: ${source.name} ${from.schema}, ${target.name} ${to.schema}`,
      'Bring both to the same release: studio-inventory migrate',
    )
  }
  if (from.wal_level !== 'logical') {
    throw new MoveFailed(
      `${source.name}: wal_level is ${from.wal_level}`,
      'Set wal_level = logical in its postgresql.conf and restart it.',
    )
  }
  const raise = (cell: OpenCell, setting: string) =>
    new MoveFailed(`${cell.name}: too few are left of ${setting}`, `Raise ${setting} and restart the server.`)
  if (from.slots < slotsNeeded) throw raise(source, 'max_replication_slots')
  if (from.senders < slotsNeeded) throw raise(source, 'max_wal_senders')
  if (to.slots < slotsNeeded) throw raise(target, 'max_replication_slots')
  if (to.workers < 2) throw raise(target, 'max_logical_replication_workers')
}

async function factsOf({ client }: OpenCell): Promise<Facts> {
  const [facts] = await rowsOf<Facts>(
    client,
    `select (select system_identifier::text from pg_control_system()) as server,
       current_database()::text as database,
       current_setting('server_version_num')::int as version,
       (select rolsuper from pg_roles where rolname = session_user) as superuser,
       pg_is_in_recovery() as standby,
       access.schema_version()::text as schema,
       current_setting('wal_level') as wal_level,
       current_setting('max_replication_slots')::int - (select count(*) from pg_replication_slots)::int as slots,
       current_setting('max_wal_senders')::int - (select count(*) from pg_stat_replication)::int as senders,
       current_setting('max_logical_replication_workers')::int as workers`,
  )
  if (facts === undefined) throw new Error('the server says nothing of itself')
  return facts
}

/** What a move would meet in the target. */
const taken = [
  { text: 'select from app.studios where id = $1', what: 'the studio is there already' },
  { text: 'select from access.members where studio_id = $1', what: 'the studio has members there already' },
  { text: 'select from access.tokens where studio_id = $1', what: 'the studio has tokens there already' },
  ...replicated.map((table) => ({
    text: `select from ${quoted(table)} where studio_id = $1`,
    what: `rows of the studio are in ${table} there already`,
  })),
  {
    text: 'select from app.studios where studio_hash = uuid_hash($1::uuid) >> 1 and id <> $1',
    what: 'another studio there has the same studio_hash',
  },
]

/** @throws MoveFailed when the target has something of the studio, or a login of an analyst has its name there */
export async function requireRoom(source: OpenCell, target: OpenCell, studioId: string): Promise<void> {
  for (const { text, what } of taken) {
    const { rowCount } = await target.client.query(`${text} limit 1`, [studioId])
    if (rowCount !== 0) {
      throw new MoveFailed(`${target.name}: ${what}`, 'What an earlier move left is removed with --finish.')
    }
  }
  const logins = await rowsOf<{ login: string }>(
    source.client,
    'select login::text from access.analyst_logins where studio_id = $1',
    [studioId],
  )
  const [met] = await rowsOf<{ name: string }>(
    target.client,
    'select rolname::text as name from pg_roles where rolname = any ($1)',
    [logins.map(({ login }) => login)],
  )
  if (met) throw new MoveFailed(`${target.name}: there is a role ${met.name} already`, 'Drop the analyst’s login.')
}
