import pg from 'pg'
import type { Config } from '../config/config.ts'
import type { Logger } from '../observability/log.ts'
import type { Database } from './database.ts'
import { Overloaded } from './errors.ts'
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
  /** How many statements may wait for a connection; undefined: any number. */
  mostWaiting?: number | undefined
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
    query_timeout: options.statementTimeoutMs + silenceMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    types: plainTypes,
  })
  // An idle connection that is lost is replaced when the next one is needed. Without a listener it would end the process.
  pool.on('error', (error) => {
    options.log.warn({ reason: error.message, pool: options.applicationName }, 'lost an idle database connection')
  })
  rooms.set(pool, {
    most: options.mostWaiting ?? Number.POSITIVE_INFINITY,
    outside: 0,
    refused: 0,
    since: 0,
    lately: 0,
    before: 0,
  })
  return pool
}

/** How much longer than the server the client waits for a statement, in milliseconds. */
const silenceMs = 500

/**
 * How many may wait for a connection, how many do so outside of the pool (to share a statement), how many found no room: ever,
 * in this tenth of a second, in the one before.
 */
type Room = { most: number; outside: number; refused: number; since: number; lately: number; before: number }

const rooms = new WeakMap<Pool, Room>()
const tenthMs = 100

/** So many refusals in a tenth of a second are no coincidence any more. */
const floodOf = 25

/**
 * Makes sure that a statement may wait for a connection. Refusing at once costs next to nothing; a queue without an end
 * would make everybody wait until nobody does any more.
 *
 * @throws Overloaded
 */
export function claimRoom(pool: Pool): void {
  const room = rooms.get(pool)
  if (room === undefined || !isFull(pool, room)) return
  refuse(room)
  throw new Overloaded()
}

/** Whether there is no room and many have been refused just now, so that one more need not even be looked at. It counts as refused. */
export function isFlooded(pool: Pool): boolean {
  const room = rooms.get(pool)
  if (room === undefined || !isFull(pool, room)) return false
  const age = performance.now() - room.since
  const many = age < tenthMs ? Math.max(room.lately, room.before) : age < 2 * tenthMs ? room.lately : 0
  if (many < floodOf) return false
  refuse(room)
  return true
}

function isFull(pool: Pool, room: Room): boolean {
  return pool.waitingCount + room.outside - pool.idleCount >= room.most
}

function refuse(room: Room): void {
  const now = performance.now()
  const age = now - room.since
  if (age >= tenthMs) Object.assign(room, { before: age < 2 * tenthMs ? room.lately : 0, lately: 0, since: now })
  room.lately += 1
  room.refused += 1
}

/** Counts those who wait for a pool without being in its queue yet: they take of the same room. */
export function waitOutside(pool: Pool, more: number): void {
  const room = rooms.get(pool)
  if (room !== undefined) room.outside += more
}

/** What a pool is doing: connections, those of them that are idle, statements that wait for one, and how many had to be refused. */
export type PoolStats = { size: number; idle: number; waiting: number; refused: number }

export function statsOf(pool: Pool): PoolStats {
  const { totalCount: size, idleCount: idle, waitingCount } = pool
  const { outside = 0, refused = 0 } = rooms.get(pool) ?? {}
  return { size, idle, waiting: waitingCount + outside, refused }
}

/**
 * Closes the connections that are idle. When one has fallen silent, the others are likely to lead nowhere as well: a
 * statement each would have to find that out, one after the other.
 */
export async function closeIdle(pool: Pool): Promise<void> {
  const clients = await Promise.allSettled(Array.from({ length: pool.idleCount }, () => pool.connect()))
  for (const client of clients) if (client.status === 'fulfilled') client.value.release(true)
}

/** The pool of one of the service's logins, with the time limits of the configuration. */
export function poolFor(
  role: LoginRole,
  size: number,
  {
    acquireTimeoutMs,
    statementTimeoutMs,
    poolQueue,
  }: Pick<Config, 'acquireTimeoutMs' | 'statementTimeoutMs' | 'poolQueue'>,
  { urlFor }: Pick<Database, 'urlFor'>,
  log: Logger,
): Pool {
  return makePool(urlFor(role), {
    applicationName: `studio-inventory ${role}`,
    size,
    acquireTimeoutMs,
    statementTimeoutMs,
    mostWaiting: poolQueue,
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
