import type { OpenCell } from './cell.ts'
import { rowsOf } from './cell.ts'
import { copiedAtSwitch, quoted } from './tables.ts'

/** A row as JSON, whose texts PostgreSQL reads again. */
export type Row = Record<string, unknown>

export type Person = { id: string; email: string; name: string; created_at: string }

/** An analyst's login with what its role has. */
export type Login = {
  login: string
  row: Row
  verifier: string | null
  valid_until: string | null
  connections: number
  can_login: boolean
  settings: string[]
}

/** What is copied at the switch: everything of a studio that is not replicated. */
export type AccessRows = {
  rows: Map<string, Row[]>
  people: Person[]
  logins: Login[]
  analystLog: Row[]
  /** Since when removals are known without a gap. */
  removalsSince: string | null
}

/** Reads what is copied at the switch, in the session that has stopped the writes. */
export async function readAccessRows({ client }: OpenCell, studioId: string): Promise<AccessRows> {
  const rows = new Map<string, Row[]>()
  for (const { table, key } of copiedAtSwitch) {
    rows.set(
      table,
      (
        await rowsOf<{ row: Row }>(client, `select to_jsonb(t) as row from ${quoted(table)} t where t.${key} = $1`, [
          studioId,
        ])
      ).map(({ row }) => row),
    )
  }
  const analystLog = await rowsOf<{ row: Row }>(
    client,
    'select to_jsonb(l) as row from access.analyst_log l where l.studio_id = $1 order by l.id',
    [studioId],
  )
  const logins = await rowsOf<Login>(
    client,
    `select l.login::text, to_jsonb(l) as row, r.rolpassword as verifier, r.rolvaliduntil::text as valid_until,
       r.rolconnlimit as connections, r.rolcanlogin as can_login, coalesce(s.setconfig, '{}') as settings
     from access.analyst_logins l join pg_authid r on r.rolname = l.login
     left join pg_db_role_setting s on s.setrole = r.oid and s.setdatabase = 0
     where l.studio_id = $1 order by l.login`,
    [studioId],
  )
  return {
    rows,
    logins,
    analystLog: analystLog.map(({ row }) => row),
    people: await peopleOf(client, studioId),
    removalsSince: await removalsSince(client, studioId),
  }
}

/** As access.removals_since() says it in a session of the studio. */
async function removalsSince(client: OpenCell['client'], studioId: string): Promise<string | null> {
  const [row] = await rowsOf<{ since: string | null }>(
    client,
    `select to_jsonb(coalesce(
       (select max(m.removals_since) from access.studio_moves m
        where m.studio_id = $1 and m.direction = 'arriving' and m.state = 'active'),
       s.removals_since)) #>> '{}' as since
     from app.sync_state s`,
    [studioId],
  )
  return row?.since ?? null
}

/** Everybody whom a row of the studio names. */
export async function peopleOf(client: OpenCell['client'], studioId: string): Promise<Person[]> {
  const naming = [
    ...copiedAtSwitch.flatMap(({ table, key, users }) =>
      users.map((column) => `select t.${column} from ${quoted(table)} t where t.${key} = $1`),
    ),
    'select l.user_id from access.analyst_logins l where l.studio_id = $1',
    'select l.user_id from access.analyst_log l where l.studio_id = $1',
    'select p.owner_user_id from app.policies p where p.studio_id = $1',
  ]
  const rows = await rowsOf<{ row: Person }>(
    client,
    `select to_jsonb(u) as row from access.users u where u.id in (${naming.join(' union ')}) order by u.id`,
    [studioId],
  )
  return rows.map(({ row }) => row)
}
