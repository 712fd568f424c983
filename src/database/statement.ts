import type { Writable } from 'node:stream'
import type pg from 'pg'
import { messageOf } from '../domain/error.ts'
import {
  DatabaseUnavailable,
  hasNoConnection,
  isSilence,
  isSilent,
  isUnavailable,
  StatementFailed,
  sqlState,
} from './errors.ts'

/** A statement that is prepared once per connection under its name. */
export type Statement = { name: string; text: string }

/** A statement with the values of one request. */
export type Request = { statement: Statement; values: readonly unknown[] }

/** Sends one statement with the values of one request and returns its rows. */
export type Send = <Row extends object>(statement: Statement, values: readonly unknown[]) => Promise<Row[]>

/** The part of `pg.Pool` that is used. */
export type Driver = Pick<pg.Pool, 'totalCount' | 'idleCount' | 'waitingCount' | 'connect' | 'end'> & {
  query<Row extends object>(query: { name?: string; text: string; values: unknown[] }): Promise<{ rows: Row[] }>
}

/**
 * Runs one statement as a transaction of its own, on a connection of the driver's pool, and returns its rows.
 *
 * @param named whether it is sent with its name, to be prepared once for each connection
 * @throws DatabaseUnavailable or StatementFailed, neither of which repeats a value
 */
export async function execute<Row extends object>(
  driver: Driver,
  statement: Statement,
  values: readonly unknown[],
  named: boolean,
): Promise<Row[]> {
  try {
    return await rowsOf<Row>(driver, named ? statement : { text: statement.text }, values)
  } catch (error) {
    return recover(driver, { statement, values }, error)
  }
}

/**
 * Runs statements on one connection, sent in one go: PostgreSQL runs one after the other, each as a transaction of its own. Returns
 * the rows of each as soon as it has them; throws there as `execute` does.
 *
 * When one takes too long or loses the connection, those behind it have not had their turn: they are sent again, each alone, one
 * after the other, until the database cannot be used for one of them either. Not when the first of them met with silence: that is the
 * database's, and theirs as well.
 */
export function executePipelined<Row extends object>(
  driver: Driver,
  requests: readonly Request[],
  named: boolean,
): Promise<Row[]>[] {
  const sent = driver.connect().then((client) => {
    // The driver corks each statement; around all of them, they are one write, and PostgreSQL is woken once.
    const { stream } = (client as unknown as { connection?: { stream: Writable } }).connection ?? {}
    stream?.cork()
    const results = requests.map(({ statement, values }) =>
      client.query<Row>({ ...(named ? statement : { text: statement.text }), values: [...values] }),
    )
    stream?.uncork()
    void Promise.allSettled(results).then((settled) =>
      client.release(settled.some(({ status }) => status === 'rejected')),
    )
    return results
  })
  let again: Promise<unknown> = Promise.resolve()
  const alone = ({ statement, values }: Request): Promise<Row[]> => {
    const turn = again.then(() => execute<Row>(driver, statement, values, named))
    again = turn.catch((error: unknown) => {
      if (error instanceof DatabaseUnavailable) throw error
    })
    again.catch(() => undefined)
    return turn
  }
  return requests.map(async (request, index) => {
    try {
      const result = await (await sent)[index]
      return result?.rows ?? []
    } catch (error) {
      if (index > 0 && isUnavailable(error) && (await hadAnswer(sent))) return alone(request)
      return recover(driver, request, error)
    }
  })
}

/** Whether the first of the statements that were sent together got an answer, or was refused one. */
async function hadAnswer(sent: Promise<Promise<unknown>[]>): Promise<boolean> {
  const results = await sent.catch(() => undefined)
  if (results === undefined) return false
  const [first] = await Promise.allSettled(results.slice(0, 1))
  return first !== undefined && (first.status === 'fulfilled' || !isSilent(first.reason))
}

/** Runs a statement again whose plan is outdated. Throws any other error, without values. */
async function recover<Row extends object>(
  driver: Driver,
  { statement, values }: Request,
  error: unknown,
): Promise<Row[]> {
  if (isSilence(error) || sqlState(error) === readOnly) void closeIdle(driver)
  if (!isOutdatedPlan(error)) throw withoutValues(statement, error)
  // A migration changed what the prepared statement was planned on. Unnamed, it is planned again.
  try {
    return await rowsOf<Row>(driver, { text: statement.text }, values)
  } catch (again) {
    throw withoutValues(statement, again)
  }
}

async function rowsOf<Row extends object>(
  driver: Driver,
  statement: Statement | Omit<Statement, 'name'>,
  values: readonly unknown[],
): Promise<Row[]> {
  const result = await driver.query<Row>({ ...statement, values: [...values] })
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
  const message = messageOf(error)
  if (isUnavailable(error) || state === readOnly) {
    const reason = `the database cannot be used: ${state ?? ''} ${message}`.replace(/ {2,}/g, ' ')
    return new DatabaseUnavailable(reason, { isSilent: isSilent(error), hasNoConnection: hasNoConnection(error) })
  }
  return new StatementFailed(statement.name, state, state && repeatsValues(state) ? `SQLSTATE ${state}` : message)
}

/** Logins that write are read-only on a primary that has become a standby, and where the administrator has made it read-only. */
const readOnly = '25006'

/** Data exceptions, constraint violations and raised exceptions quote the offending value. */
function repeatsValues(state: string): boolean {
  return ['22', '23', '44', 'P0'].includes(state.slice(0, 2))
}

/**
 * Closes the idle connections. When one is unresponsive, the others are probably dead as well, and each would otherwise cost
 * another statement its timeout.
 */
async function closeIdle(driver: Pick<Driver, 'idleCount' | 'connect'>): Promise<void> {
  const clients = await Promise.allSettled(Array.from({ length: driver.idleCount }, () => driver.connect()))
  for (const client of clients) if (client.status === 'fulfilled') client.value.release(true)
}
