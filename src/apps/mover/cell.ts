import { type Client, withSafeClient } from '../../database/client.ts'

/** A cell, with an administrator's connection string. */
export type Cell = { name: string; url: string }

/** A cell with a session of the administrator in it. */
export type OpenCell = Cell & { client: Client }

/** A move fails. The message says why, the hint what to do. */
export class MoveFailed extends Error {
  override name = 'MoveFailed'
  readonly hint: string | undefined

  constructor(message: string, hint?: string) {
    super(message)
    this.hint = hint
  }
}

/**
 * Values print alike on both servers; nothing is ended by a limit; what is committed survives a crash. A session whose program has
 * vanished ends within seconds.
 */
const settings = {
  timezone: 'UTC',
  datestyle: 'ISO, YMD',
  intervalstyle: 'postgres',
  extra_float_digits: '1',
  bytea_output: 'hex',
  statement_timeout: '0',
  lock_timeout: '0',
  idle_in_transaction_session_timeout: '0',
  idle_session_timeout: '0',
  tcp_keepalives_idle: '5',
  tcp_keepalives_interval: '2',
  tcp_keepalives_count: '3',
  tcp_user_timeout: '10000',
}

/** Opens a session in a cell for as long as `work` takes. */
export function inCell<Result>(cell: Cell, work: (cell: OpenCell) => Promise<Result>): Promise<Result> {
  return withSafeClient(cell.url, async (client) => {
    for (const [name, value] of Object.entries(settings)) await client.query(`set ${name} = '${value}'`)
    const { rowCount: since17 } = await client.query(`select from pg_settings where name = 'transaction_timeout'`)
    if (since17 === 1) await client.query('set transaction_timeout = 0')
    const { rows } = await client.query<{ waits: boolean }>(
      `select current_setting('synchronous_commit') not in ('off', 'local') as waits`,
    )
    if (!rows[0]?.waits) await client.query('set synchronous_commit = on')
    return work({ ...cell, client })
  })
}

/** Runs `work` in one transaction of a session. */
export async function transactionOf<Result>(client: Client, work: () => Promise<Result>): Promise<Result> {
  await client.query('begin')
  try {
    const result = await work()
    await client.query('commit')
    return result
  } catch (error) {
    await client.query('rollback').catch(() => undefined)
    throw error
  }
}

/** The same, past triggers and foreign keys, as replication writes. Only a superuser may. */
export function withoutTriggers<Result>(client: Client, work: () => Promise<Result>): Promise<Result> {
  return transactionOf(client, async () => {
    await client.query('set local session_replication_role = replica')
    return work()
  })
}

/** What writes down statements, off. Those with a dot belong to extensions; a server without them takes them as names of no meaning. */
const off = {
  log_statement: 'none',
  log_min_duration_statement: '-1',
  log_min_error_statement: 'panic',
  log_duration: 'off',
  log_min_duration_sample: '-1',
  log_transaction_sample_rate: '0',
  track_activities: 'off',
  'pg_stat_statements.track': 'none',
  'auto_explain.log_min_duration': '-1',
  'pgaudit.log': 'none',
}

/** Runs `work` while what the session sends is in no log of the server, nor among its statistics. Only a superuser may. */
export async function unlogged<Result>(client: Client, work: () => Promise<Result>): Promise<Result> {
  for (const [name, value] of Object.entries(off)) await client.query(`set ${name} = '${value}'`)
  try {
    return await work()
  } finally {
    for (const name of Object.keys(off)) await client.query(`reset ${name}`).catch(() => undefined)
  }
}

/** The rows of a statement. */
export async function rowsOf<Row extends object>(
  client: Client,
  text: string,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  return (await client.query<Row>(text, [...values])).rows
}
