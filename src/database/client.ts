import { finished } from 'node:stream/promises'
import pg from 'pg'
import { from } from 'pg-copy-streams'
import { isWrongPassword } from './errors.ts'
import type { LoginUrl } from './roles.ts'

/** An SQL expression that formats a timestamptz as RFC 3339 in UTC with milliseconds. */
export function utc(expression: string): string {
  return `to_char(${expression} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
}

/** Unqualified names are PostgreSQL's own: no login can make a stronger one run its code. */
const safePath = 'search_path = pg_catalog, pg_temp'

/** The same, as a setting that ends with the transaction. */
export const builtInNames = `set local ${safePath}`

/** bigint, numeric, dates, times and intervals stay PostgreSQL's text: no rounding. */
const textOids = new Set([20, 1700, 1082, 1083, 1114, 1184, 1266, 1186])
const textArrayOids = new Set([1016, 1231, 1182, 1183, 1115, 1185, 1270, 1187])
const textArrayOid: number = 1009

const sameText = (value: string) => value

/** Type parsers of one client or pool; the driver's global ones stay unchanged. */
export const plainTypes: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) => {
    if (format === 'binary') return pg.types.getTypeParser(oid, format)
    if (textOids.has(oid)) return sameText
    return pg.types.getTypeParser(textArrayOids.has(oid) ? textArrayOid : oid, format)
  },
}

export type Client = pg.Client

/** An open transaction. Returns numbers beyond 32 bits, decimals, dates and timestamps as text. */
export type Transaction = {
  query<Row extends object>(text: string, values?: readonly unknown[]): Promise<Row[]>
}

export type BulkTransaction = Transaction & {
  /** Sends rows, in PostgreSQL's text format, to a `copy … from stdin`. */
  copyIn(text: string, rows: string): Promise<void>
}

/** Runs `work` in one transaction on its own connection, or on an open one, which the caller closes
 * after an error. The signal closes the connection, even during a statement, until the commit. Any
 * error rolls everything back.
 * @throws what `work` or the database throws, or the reason of the signal */
export async function inTransaction<Result>(
  database: LoginUrl | Client,
  work: (transaction: BulkTransaction) => Promise<Result>,
  signal?: AbortSignal,
): Promise<Result> {
  const within = async (client: Client) => {
    // Closing the connection rolls back.
    const result = await unlessAborted(client, signal, async () => {
      await client.query('begin')
      await client.query(builtInNames)
      return work({
        query: async <Row extends object>(text: string, values: readonly unknown[] = []) =>
          (await client.query<Row>(text, [...values])).rows,
        copyIn: async (text, rows) => {
          const stream = client.query(from(text))
          stream.end(rows)
          await finished(stream)
        },
      })
    })
    const end = await client.query('commit')
    // After a caught error, PostgreSQL answers a commit by rolling back, without an error.
    if (end.command !== 'COMMIT')
      throw new Error('the transaction was rolled back because one of its statements failed')
    return result
  }
  return database instanceof pg.Client ? within(database) : withClient(database, within)
}

/** Runs `work`. The signal closes its connection, so that the running statement fails. */
async function unlessAborted<Result>(
  client: pg.Client,
  signal: AbortSignal | undefined,
  work: () => Promise<Result>,
): Promise<Result> {
  const hangUp = () => void client.end().catch(() => undefined)
  signal?.throwIfAborted()
  signal?.addEventListener('abort', hangUp)
  try {
    const result = await work()
    signal?.throwIfAborted()
    return result
  } catch (error) {
    signal?.throwIfAborted()
    throw error
  } finally {
    signal?.removeEventListener('abort', hangUp)
  }
}

/** Like `withClient`, for administrators: unqualified names are those of pg_catalog. */
export function withSafeClient<Result>(url: LoginUrl, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  return withClient(url, async (client) => {
    await client.query(`set ${safePath}`)
    return work(client)
  })
}

/** Lends a connection and closes it afterwards. Throws what the driver or `work` throws. */
export async function withClient<Result>(url: LoginUrl, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = await openClient(url)
  try {
    return await work(client)
  } finally {
    await client.end().catch(() => undefined)
  }
}

/** Opens a connection that the caller closes. */
export async function openClient(url: LoginUrl): Promise<pg.Client> {
  const [connectionString, ...others] = [url].flat()
  const client = new pg.Client({
    connectionString,
    application_name: 'studio-inventory',
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    types: plainTypes,
  })
  // The running statement reports a lost connection. Without a listener, Node would exit.
  client.on('error', () => undefined)
  try {
    await client.connect()
    return client
  } catch (error) {
    await client.end().catch(() => undefined)
    if (others.length > 0 && isWrongPassword(error)) return openClient(others)
    throw error
  }
}
