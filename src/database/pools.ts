import pg from 'pg'
import type { Config } from '../config.ts'
import type { Logger } from '../log.ts'
import type { Database } from './connection.ts'
import type { LoginRole } from './roles.ts'

export type Pool = pg.Pool

export type PoolOptions = {
  /** Shown in pg_stat_activity. */
  applicationName: string
  /** The most connections; as many are kept open once they were needed. */
  size: number
  /** How long a statement waits for a connection, in milliseconds. */
  acquireTimeoutMs: number
  /** After which the server cancels a statement, in milliseconds. */
  statementTimeoutMs: number
  log: Logger
}

/**
 * Makes the pool of one login role. It connects when first used.
 *
 * A connection is only ever lent for one autocommit statement (see `statement.ts`), and one whose statement failed is
 * closed, so nothing of a session can reach the next request.
 */
export function makePool(url: string, options: PoolOptions): Pool {
  const pool = new pg.Pool({
    connectionString: url,
    application_name: options.applicationName,
    max: options.size,
    min: options.size,
    connectionTimeoutMillis: options.acquireTimeoutMs,
    statement_timeout: options.statementTimeoutMs,
    // A server that has gone silent cancels nothing; then the client gives up by itself, a little later.
    query_timeout: options.statementTimeoutMs + 1000,
    keepAlive: true,
    types: plainTypes,
  })
  // An idle connection that is lost is replaced when the next one is needed. Without a listener it would end the process.
  pool.on('error', (error) => {
    options.log.warn({ reason: error.message, pool: options.applicationName }, 'lost an idle database connection')
  })
  return pool
}

/** The pool of one of the service's logins, with the time limits of the configuration. */
export function poolFor(
  role: LoginRole,
  size: number,
  { acquireTimeoutMs, statementTimeoutMs }: Pick<Config, 'acquireTimeoutMs' | 'statementTimeoutMs'>,
  { urlFor }: Pick<Database, 'urlFor'>,
  log: Logger,
): Pool {
  return makePool(urlFor(role), {
    applicationName: `studio-inventory ${role}`,
    size,
    acquireTimeoutMs,
    statementTimeoutMs,
    log,
  })
}

/** Pools whose statements travel without their names. */
const unnamed = new WeakSet<Pool>()

/**
 * Lets the statements of pools travel without their names, for a pooler that lends a connection for one transaction: the
 * next one may go to a server that does not know the name. They are parsed each time, still in one round trip.
 */
export function sendUnnamed(...pools: Pool[]): void {
  for (const pool of pools) unnamed.add(pool)
}

export function sendsNames(pool: Pool): boolean {
  return !unnamed.has(pool)
}

/** Opens connections before they are needed. Failing is no error: the first statement will say what is wrong. */
export async function warmUp(pool: Pool, connections: number): Promise<void> {
  const clients = await Promise.allSettled(Array.from({ length: connections }, () => pool.connect()))
  for (const client of clients) if (client.status === 'fulfilled') client.value.release()
}

/** bigint, numeric, dates, times and intervals reach the code as PostgreSQL wrote them: nothing is rounded or shifted. */
const textOids = new Set([20, 1700, 1082, 1083, 1114, 1184, 1266, 1186])
const textArrayOids = new Set([1016, 1231, 1182, 1183, 1115, 1185, 1270, 1187])
const textArrayOid: number = 1009

const sameText = (value: string) => value

/** Type parsers for a client or pool of its own; the driver's global ones stay as they are. */
export const plainTypes: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) => {
    if (format === 'binary') return pg.types.getTypeParser(oid, format)
    if (textOids.has(oid)) return sameText
    return pg.types.getTypeParser(textArrayOids.has(oid) ? textArrayOid : oid, format)
  },
}
