import { DatabaseUnavailable, isSilence, isUnavailable, StatementFailed, sqlState } from './errors.ts'
import { watched } from './instrumentation.ts'
import { claimRoom, closeIdle, type Pool, sendsNames } from './pools.ts'

/** A statement that is prepared once per connection under its name. */
export type Statement = { name: string; text: string }

/**
 * The row of type access.answer that every operation returns (`sql/access/functions/answer.sql` says what each field is).
 * `data` is JSON text, `total` a bigint as text, `last_at` as PostgreSQL writes it.
 */
export type Answer = {
  status: number
  token_id: string | null
  plan_tier: string | null
  total: string | null
  data: string | null
  photo_keys: string[] | null
  studio_id: string | null
  version: string | null
  last_at: string | null
  last_id: string | null
}

/**
 * Runs the one statement of an operation and returns its one row. The values travel beside the text, never in it.
 *
 * @throws DatabaseUnavailable when the database cannot be used (503), StatementFailed for anything else (500).
 */
export async function runStatement(pool: Pool, statement: Statement, values: readonly unknown[]): Promise<Answer> {
  const rows = await queryRows<Answer>(pool, statement, values)
  const answer = rows[0]
  if (answer === undefined || rows.length > 1) {
    throw new StatementFailed(statement.name, undefined, `expected one row, got ${rows.length}`)
  }
  return answer
}

/**
 * Runs one statement as a transaction of its own and returns its rows. The connection goes back to the pool clean; after
 * an error it is closed.
 *
 * @throws DatabaseUnavailable (Overloaded, when too many wait for a connection) or StatementFailed, neither of which
 *   repeats a value.
 */
export function queryRows<Row extends object>(
  pool: Pool,
  statement: Statement,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  return watched(pool, statement.name, () => queryUnwatched<Row>(pool, statement, values))
}

/** As `queryRows`, of a statement that is watched as part of something larger. */
export async function queryUnwatched<Row extends object>(
  pool: Pool,
  statement: Statement,
  values: readonly unknown[],
): Promise<Row[]> {
  claimRoom(pool)
  try {
    return await rowsOf<Row>(pool, sendsNames(pool) ? statement : { text: statement.text }, values)
  } catch (error) {
    if (isSilence(error)) void closeIdle(pool)
    if (!isOutdatedPlan(error)) throw withoutValues(statement, error)
  }
  // A migration changed what the prepared statement was planned on. Without its name it is planned afresh.
  try {
    return await rowsOf<Row>(pool, { text: statement.text }, values)
  } catch (error) {
    throw withoutValues(statement, error)
  }
}

async function rowsOf<Row extends object>(
  pool: Pool,
  statement: Statement | Omit<Statement, 'name'>,
  values: readonly unknown[],
): Promise<Row[]> {
  const result = await pool.query<Row>({ ...statement, values: [...values] })
  return result.rows
}

function isOutdatedPlan(error: unknown): boolean {
  const state = sqlState(error)
  const { message } = error as Error
  return (
    state === '26000' || // the prepared statement does not exist: a connection pooler changed servers
    state === '42P05' || // it exists already, for the same reason
    (state === '0A000' && message.startsWith('cached plan')) ||
    (state === 'XX000' && message.startsWith('cache lookup failed'))
  )
}

function withoutValues(statement: Statement, error: unknown): Error {
  const state = sqlState(error)
  const message = error instanceof Error ? error.message : String(error)
  if (isUnavailable(error)) {
    return new DatabaseUnavailable(`the database cannot be used: ${state ?? ''} ${message}`.replace(/ {2,}/g, ' '))
  }
  return new StatementFailed(statement.name, state, state && repeatsValues(state) ? `SQLSTATE ${state}` : message)
}

/** Data exceptions, constraint violations and raised exceptions quote the value they complain about. */
function repeatsValues(state: string): boolean {
  return ['22', '23', '44', 'P0'].includes(state.slice(0, 2))
}
