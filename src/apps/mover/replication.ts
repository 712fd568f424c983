import { randomBytes } from 'node:crypto'
import { escapeIdentifier, escapeLiteral } from '../../database/quote.ts'
import { scramVerifier } from '../../database/roles.ts'
import { messageOf } from '../../domain/error.ts'
import { MoveFailed, type OpenCell, rowsOf, transactionOf, unlogged } from './cell.ts'
import { quoted, replicated } from './tables.ts'

/** What a move makes in both cells: publication, slot and subscription have one name, the login of the subscription another. */
export function namesOf(moveId: string): { object: string; login: string } {
  const short = moveId.replaceAll('-', '').slice(0, 12)
  return { object: `studio_move_${short}`, login: `studio_moving_${short}` }
}

type Move = { id: string; studio_id: string }

/**
 * Publishes a studio's rows in the source and subscribes to them in the target, which begins to copy them. The login by which the
 * target reads the source has a random password that no log contains.
 *
 * @param address libpq keywords by which the target reaches the source; '' for those by which this program does
 */
export async function startReplication(source: OpenCell, target: OpenCell, move: Move, address: string): Promise<void> {
  const { object, login } = namesOf(move.id)
  const password = randomBytes(24).toString('base64url')
  await transactionOf(source.client, async () => {
    await source.client.query(
      `create role ${login} login replication bypassrls connection limit 10 password '${scramVerifier(password)}'
         in role pg_read_all_data`,
    )
    await source.client.query(`grant connect on database ${databaseOf(source)} to ${login}`)
    const published = [...replicated, 'access.move_marks'].map(
      (table) => `${quoted(table)} where (studio_id = '${move.studio_id}')`,
    )
    await source.client.query(
      `create publication ${object} for table ${published.join(', ')} with (publish = 'insert, update, delete')`,
    )
  })
  const connection = `${reached(source)} ${address} user=${login} password=${password} application_name=${object}`
  const [server] = await rowsOf<{ version: number }>(
    target.client,
    `select current_setting('server_version_num')::int as version`,
  )
  // Since 16 it writes as the owner of each table, whom row-level security would refuse, unless it is to be the subscription's.
  const asOwner = (server?.version ?? 0) < 160_000 ? '' : ', run_as_owner = true'
  await unlogged(target.client, () =>
    target.client.query(
      `create subscription ${object} connection ${escapeLiteral(connection)} publication ${object}
         with (slot_name = ${object}, disable_on_error = true${asOwner})`,
    ),
  ).catch((error: unknown) => {
    throw new MoveFailed(
      `${target.name} could not subscribe to ${source.name}: ${messageOf(error)}`,
      'The server of the target connects to that of the source: --source-address says where, pg_hba.conf whether it may.',
    )
  })
  await source.client.query('update access.studio_moves set slots = $2 where id = $1', [
    move.id,
    await slotPattern(target, object),
  ])
}

/** The quoted name of a cell's database. */
export const databaseOf = ({ client }: OpenCell): string => escapeIdentifier(client.database ?? '')

/** Where this program reached a cell. */
function reached({ client, url }: OpenCell): string {
  const mode = new URL(url).searchParams.get('sslmode')
  const value = (text: string) => `'${text.replace(/[\\']/g, '\\$&')}'`
  const words = { host: client.host, port: String(client.port), dbname: client.database ?? '', connect_timeout: '10' }
  const all = mode === null ? words : { ...words, sslmode: mode === 'no-verify' ? 'require' : mode }
  return Object.entries(all)
    .map(([name, text]) => `${name}=${value(text)}`)
    .join(' ')
}

/** The names of the slots in which a subscription copies its tables at first. */
async function slotPattern({ client }: OpenCell, object: string): Promise<string | null> {
  const [row] = await rowsOf<{ pattern: string }>(
    client,
    `select 'pg\\_' || s.oid || '\\_sync\\_%\\_' || c.system_identifier as pattern
     from pg_subscription s, pg_control_system() c
     where s.subname = $1 and s.subdbid = (select oid from pg_database where datname = current_database())`,
    [object],
  )
  return row?.pattern ?? null
}

/** How far the copying is. */
export type Progress = { tables: number; ready: number; enabled: boolean }

/** How far the copying of a move is; undefined when its subscription is gone. */
export async function progressOf({ client }: OpenCell, moveId: string): Promise<Progress | undefined> {
  const [row] = await rowsOf<Progress>(
    client,
    `select s.subenabled as enabled, count(r.*)::int as tables, (count(*) filter (where r.srsubstate = 'r'))::int as ready
     from pg_subscription s left join pg_subscription_rel r on r.srsubid = s.oid
     where s.subname = $1 and s.subdbid = (select oid from pg_database where datname = current_database())
     group by s.oid, s.subenabled`,
    [namesOf(moveId).object],
  )
  return row
}

/** Whether the source still has what the subscription of a move reads: another server, or a restored one, has not. */
export async function isPublished({ client }: OpenCell, moveId: string): Promise<boolean> {
  const { rowCount } = await client.query(
    `select from pg_publication p join pg_replication_slots s on s.slot_name = p.pubname
     where p.pubname = $1 and s.database = current_database() and s.wal_status is distinct from 'lost'`,
    [namesOf(moveId).object],
  )
  return rowCount === 1
}

/**
 * Ends the subscription of a move within a transaction of the target: nothing arrives after it. The last statement of a transaction that
 * may fail: how far the replication has come is forgotten at once, and a rollback does not bring it back. While tables are still being
 * copied PostgreSQL tries to drop their slots in the source, and goes on when it cannot be reached.
 */
export async function dropSubscription({ client }: OpenCell, moveId: string): Promise<void> {
  const { object } = namesOf(moveId)
  const { rowCount } = await client.query(
    `select from pg_subscription
     where subname = $1 and subdbid = (select oid from pg_database where datname = current_database())`,
    [object],
  )
  if (rowCount === 0) return
  await client.query(`alter subscription ${object} disable`)
  await client.query(`alter subscription ${object} set (slot_name = none)`)
  await client.query(`drop subscription ${object}`)
}

/** Lets a subscription go on that was disabled at an error, such as a lost connection. */
export async function enableSubscription({ client }: OpenCell, moveId: string): Promise<void> {
  await client.query(`alter subscription ${namesOf(moveId).object} enable`)
}
