import { escapeIdentifier, escapeLiteral } from '../../database/quote.ts'
import { type AccessRows, type Login, type Row, readAccessRows } from './access-rows.ts'
import { type OpenCell, rowsOf, unlogged, withoutTriggers } from './cell.ts'
import { settlePeople } from './people.ts'
import { requireReferences } from './references.ts'
import { dropSubscription } from './replication.ts'
import { moveSequences } from './sequences.ts'
import { advance } from './state.ts'
import { copiedAtSwitch, quoted } from './tables.ts'

/**
 * The switch of reads: in one transaction of the target the subscription ends, and everything arrives that lets somebody in. From its
 * commit on the target answers as the source does, which nobody writes any more.
 *
 * @param session that which has stopped the writes in the source
 */
export async function switchReads(
  session: OpenCell,
  target: OpenCell,
  move: { id: string; studio_id: string },
): Promise<void> {
  const accessRows = await readAccessRows(session, move.studio_id)
  const { client } = target
  await unlogged(client, () =>
    withoutTriggers(client, async () => {
      await advance(client, move.id, ['arriving'], 'landed')
      await client.query('delete from access.move_marks where studio_id = $1', [move.studio_id])
      const others = await settlePeople(target, accessRows.people)
      await insertAccessRows(target, accessRows, others)
      for (const [from, to] of others) {
        await client.query('update app.policies set owner_user_id = $3 where studio_id = $1 and owner_user_id = $2', [
          move.studio_id,
          from,
          to,
        ])
      }
      await moveSequences(target, move.studio_id)
      await requireReferences(target, move.studio_id)
      // The last: what it forgets, a rollback would not bring back, and the same changes would arrive again.
      await dropSubscription(target, move.id)
    }),
  )
}

async function insertAccessRows(
  target: OpenCell,
  { rows, logins, analystLog, removalsSince }: AccessRows,
  others: ReadonlyMap<string, string>,
): Promise<void> {
  for (const { table, users } of copiedAtSwitch) {
    await insertRows(target, table, renamed(rows.get(table) ?? [], users, others), table === 'access.audit_log')
  }
  const log = renamed(analystLog, ['user_id'], others)
  // What an earlier move brought is there already; ids count all studios of a cell.
  await target.client.query(
    `insert into access.analyst_log (at, login, event, studio_id, user_id, done_by)
     select l.at, l.login, l.event, l.studio_id, l.user_id, l.done_by
     from jsonb_populate_recordset(null::access.analyst_log, $1) l
     where not exists (
       select from access.analyst_log o
       where o.at = l.at and o.login = l.login and o.event = l.event and o.studio_id = l.studio_id)
     order by l.id`,
    [JSON.stringify(log)],
  )
  for (const login of logins) await makeRole(target, login)
  await insertRows(
    target,
    'access.analyst_logins',
    renamed(
      logins.map(({ row }) => row),
      ['user_id'],
      others,
    ),
  )
  await target.client.query(
    `update access.studio_moves set removals_since = $2 where studio_id = $1 and state = 'landed'`,
    [rows.get('app.studios')?.[0]?.id, removalsSince],
  )
}

/** Rows with the ids of users that the target has. */
function renamed(rows: readonly Row[], users: readonly string[], others: ReadonlyMap<string, string>): Row[] {
  return rows.map((row) => ({
    ...row,
    ...Object.fromEntries(users.map((column) => [column, others.get(String(row[column])) ?? row[column]])),
  }))
}

/** Inserts rows as they are, but for columns that are generated. */
async function insertRows(
  { client }: OpenCell,
  table: string,
  rows: readonly Row[],
  isThereAlready = false,
): Promise<void> {
  const columns = await rowsOf<{ name: string }>(
    client,
    `select '"' || attname || '"' as name from pg_attribute
     where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = '' order by attnum`,
    [table],
  )
  const list = columns.map(({ name }) => name).join(', ')
  await client.query(
    `insert into ${quoted(table)} (${list}) overriding system value
     select ${list} from jsonb_populate_recordset(null::${quoted(table)}, $1)
     ${isThereAlready ? 'on conflict do nothing' : ''}`,
    [JSON.stringify(rows)],
  )
}

/** What an analyst's role is made with (access.create_analyst). Others that somebody has set for it in the source stay there. */
const analystSettings: readonly string[] = [
  'search_path',
  'default_transaction_read_only',
  'statement_timeout',
  'idle_in_transaction_session_timeout',
  'temp_file_limit',
  'log_statement',
]

/** Makes the role of an analyst's login, with the password and the settings that it has in the source. */
async function makeRole({ client }: OpenCell, login: Login): Promise<void> {
  const name = escapeIdentifier(login.login)
  const until = login.valid_until === null ? '' : `valid until ${escapeLiteral(login.valid_until)}`
  const password = login.verifier === null ? 'null' : escapeLiteral(login.verifier)
  await client.query(
    `create role ${name} inherit ${login.can_login ? 'login' : 'nologin'} connection limit ${login.connections}
       password ${password} ${until} in role studio_analyst`,
  )
  for (const setting of login.settings) {
    const [key = '', ...rest] = setting.split('=')
    const value = rest.join('=')
    if (!analystSettings.includes(key)) continue
    const values = key === 'search_path' ? namesIn(value) : [value]
    await client.query(`alter role ${name} set ${escapeIdentifier(key)} = ${values.map(escapeLiteral).join(', ')}`)
  }
}

/** The names of a list such as `api_v1, "$user"`, which one literal would make one name of. */
function namesIn(list: string): string[] {
  const names = [...list.matchAll(/"((?:[^"]|"")*)"|([^\s,"]+)/g)].map(
    ([, quotedName, plain = '']) => quotedName?.replaceAll('""', '"') ?? plain,
  )
  return names.length === 0 ? [''] : names
}
