import type pg from 'pg'
import { messageOf } from '../domain/text.ts'
import { DatabaseUnavailable, isUnanswered, isUnavailable, StatementFailed, sqlState } from './errors.ts'

/** A named statement, prepared once for each connection. A name with several texts has variants. */
export type Statement = { name: string; text: string; variant?: string }

export type Driver = Pick<pg.Pool, 'totalCount' | 'idleCount' | 'waitingCount' | 'connect' | 'end'> & {
  query<Row extends object>(query: { name?: string; text: string; values: unknown[] }): Promise<{ rows: Row[] }>
}

/** Runs one statement as its own transaction and returns its rows. Prepares it if `named`.
 * @throws DatabaseUnavailable, StatementFailed; neither repeats a value */
export async function execute<Row extends object>(
  driver: Driver,
  { name, text, variant = '' }: Statement,
  values: readonly unknown[],
  named: boolean,
): Promise<Row[]> {
  const unnamed = { text, values: [...values] }
  try {
    return (await driver.query<Row>(named ? { name: name + variant, ...unnamed } : unnamed)).rows
  } catch (error) {
    if (isUnanswered(error) || sqlState(error) === readOnly) void closeIdle(driver)
    if (!isOutdatedPlan(error)) throw withoutValues(name, error)
  }
  // A migration changed an object that the prepared statement uses. Unnamed, it is planned again.
  try {
    return (await driver.query<Row>(unnamed)).rows
  } catch (error) {
    throw withoutValues(name, error)
  }
}

function isOutdatedPlan(error: unknown): boolean {
  const state = sqlState(error)
  const { message } = error as Error
  return (
    state === '26000' || // the statement does not exist: a pooler changed servers
    state === '42P05' || // it exists already, for the same reason
    (state === '0A000' && message.startsWith('cached plan')) ||
    (state === 'XX000' && message.startsWith('cache lookup failed'))
  )
}

/** Makes the error that callers get. It repeats no value and hides what the driver knows. */
export function withoutValues(name: string, error: unknown): Error {
  const state = sqlState(error)
  const message = messageOf(error)
  if (isUnavailable(error) || state === readOnly) {
    return new DatabaseUnavailable(`the database cannot be used: ${state ?? ''} ${message}`.replace(/ {2,}/g, ' '))
  }
  return new StatementFailed(name, state, state && repeatsValues(state) ? `SQLSTATE ${state}` : message)
}

/** Logins that write are read-only on a standby, or where the administrator has made them so. */
const readOnly = '25006'

/** Errors of these classes quote the offending value. */
function repeatsValues(state: string): boolean {
  return ['22', '23', '44', 'P0'].includes(state.slice(0, 2))
}

/** Closes the idle connections: if one is unresponsive, the others probably are, too. */
async function closeIdle(driver: Pick<Driver, 'idleCount' | 'connect'>): Promise<void> {
  const clients = await Promise.allSettled(Array.from({ length: driver.idleCount }, () => driver.connect()))
  for (const client of clients) if (client.status === 'fulfilled') client.value.release(true)
}
