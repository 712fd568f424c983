import type { Client } from '../../database/client.ts'
import { sqlState } from '../../database/errors.ts'
import { escapeIdentifier } from '../../database/quote.ts'
import type { Row } from './access-rows.ts'
import { type OpenCell, rowsOf, transactionOf, withoutTriggers } from './cell.ts'
import { advance } from './state.ts'

type Move = { id: string; studio_id: string }

/**
 * From its commit on the source refuses the studio's writes by the state of the move, so that the stop outlives the session.
 *
 * @param session that which has stopped the writes
 */
export async function beginSwitch(session: OpenCell, move: Move): Promise<void> {
  await withoutTriggers(session.client, async () => {
    await advance(session.client, move.id, ['copying', 'switching'], 'switching')
    await rewriteStudio(session, move.studio_id)
  })
}

/**
 * Lets the source be written again after the target could not switch. Only where the session of the target that tried says so: when its
 * connection is lost, its commit may still come.
 */
export async function undoSwitch(session: OpenCell, target: OpenCell, moveId: string): Promise<void> {
  const [found] = await rowsOf<{ state: string }>(
    target.client,
    'select state from access.studio_moves where id = $1',
    [moveId],
  ).catch(() => [])
  if (found?.state === 'arriving') await advance(session.client, moveId, ['switching'], 'copying')
}

/** A transaction with an older snapshot, which does not see the state of the move, fails when it locks the studio. */
async function rewriteStudio({ client }: OpenCell, studioId: string): Promise<void> {
  await client.query('update app.studios set name = name where id = $1', [studioId])
}

/** In the order of their ids, as access.record_activity does, which goes on meanwhile: in another one the two could deadlock. */
async function lockTokens(client: Client, studioId: string): Promise<void> {
  await client.query('select from access.tokens where studio_id = $1 order by id for update', [studioId])
}

/** A deadlock, a lock that was not to be had, a serialization failure: none says anything of the next attempt. */
const passing = ['40P01', '55P03', '40001']
const attempts = 10

/** Runs a transaction again that others were in the way of: from `landed` on nobody writes the studio until it is through. */
const repeated =
  (run: typeof transactionOf): typeof transactionOf =>
  async (client, work) => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await run(client, work)
      } catch (error) {
        if (attempt === attempts || !passing.includes(sqlState(error) ?? '')) throw error
      }
    }
  }

/** From its commit on nobody is let in at the source: what lets somebody in is deleted there. The data stay until `removeCopy`. */
export async function leave({ client }: OpenCell, move: Move): Promise<void> {
  const roles = await repeated(withoutTriggers)(client, async () => {
    await lockTokens(client, move.studio_id)
    await advance(client, move.id, ['switching'], 'moved')
    // An earlier move to this cell must not be taken for its having the studio.
    await client.query(
      `update access.studio_moves set state = 'left', changed_at = date_trunc('milliseconds', clock_timestamp())
       where studio_id = $1 and direction = 'arriving' and state = 'active'`,
      [move.studio_id],
    )
    const former = await rowsOf<{ id: string }>(
      client,
      'delete from access.members where studio_id = $1 returning user_id as id',
      [move.studio_id],
    )
    const logins = await rowsOf<{ login: string; oid: string | null }>(
      client,
      `with gone as (delete from access.analyst_logins where studio_id = $1 returning login, user_id),
         noted as (insert into access.analyst_log (login, event, studio_id, user_id, done_by)
           select g.login, 'unmapped', $1, g.user_id, session_user from gone g)
       select g.login::text, r.oid::text from gone g left join pg_roles r on r.rolname = g.login`,
      [move.studio_id],
    )
    for (const table of ['tokens', 'subscriptions', 'console_uploads']) {
      await client.query(`delete from access.${table} where studio_id = $1`, [move.studio_id])
    }
    for (const { login, oid } of logins) if (oid !== null) await dropRole(client, login)
    await client.query('set local session_replication_role = origin')
    await client.query('select access.forget_people($1, $2)', [move.studio_id, former.map(({ id }) => id)])
    return logins
  })
  for (const { oid } of roles) {
    if (oid !== null) await client.query('select access.end_sessions($1::oid)', [oid]).catch(() => undefined)
  }
}

/** A role to which somebody has granted more than its group stays, and cannot log in. */
async function dropRole(client: Client, login: string): Promise<void> {
  const name = escapeIdentifier(login)
  await client.query(`alter role ${name} nologin password null`)
  await client.query('savepoint dropping')
  try {
    await client.query(`drop role ${name}`)
  } catch {
    await client.query('rollback to savepoint dropping')
  }
}

/**
 * From its commit on the studio can be written in the target. Before it, the target's stamps pass every moment that the source has
 * announced to polling clients, and the use of tokens that the source recorded until now comes along.
 */
export async function activate(source: OpenCell, target: OpenCell, move: Move): Promise<void> {
  const [moment] = await rowsOf<{ at: string }>(
    source.client,
    `select greatest(m.last_value, ceil(extract(epoch from clock_timestamp()) * 1000)::bigint)::text as at
     from app.announced_moment m`,
  )
  const used = await rowsOf<{ row: Row }>(
    source.client,
    'select to_jsonb(a) as row from access.request_activity a where a.studio_id = $1',
    [move.studio_id],
  )
  const { client } = target
  await repeated(transactionOf)(client, async () => {
    await lockTokens(client, move.studio_id)
    // access.heartbeat() reads the announced moment and sets a later one; between the two it must not change.
    await client.query(`select pg_advisory_xact_lock(hashtextextended('access.heartbeat', 0))`)
    await client.query(
      `select setval('app.announced_moment', $1) from app.announced_moment m where m.last_value < $1`,
      [moment?.at],
    )
    await client.query(
      `with came as (
         insert into access.request_activity (studio_id, token_id, at, endpoint, status, duration_ms)
         select a.studio_id, a.token_id, a.at, a.endpoint, a.status, a.duration_ms
         from jsonb_populate_recordset(null::access.request_activity, $1) a
         join access.tokens t on t.studio_id = a.studio_id and t.id = a.token_id
         order by a.id
         returning token_id, at)
       update access.tokens t set last_used_at = used.at
       from (select c.token_id, max(c.at) as at from came c group by c.token_id) as used
       where t.id = used.token_id and (t.last_used_at is null or t.last_used_at < used.at)`,
      [JSON.stringify(used.map(({ row }) => row))],
    )
    await advance(client, move.id, ['landed'], 'active')
  })
}
