import pg from 'pg'
import type { Config } from '../config/config.ts'
import type { Logger } from '../log.ts'
import { plainTypes } from './client.ts'
import { Overloaded } from './errors.ts'
import type { Database, LoginRole } from './roles.ts'
import { type Driver, execute, type Statement } from './statement.ts'

/** What an answer can lack: see the functions in sql/api_v1 that raise SI206. `item`: read in parts, and perhaps whole. */
export const parts = ['item', 'valuation', 'photos', 'assignments_count'] as const
export type Part = (typeof parts)[number]

/** How often each was missing since the start. */
export type PartialAnswers = Record<Part, number>

const noPartialAnswers = (): PartialAnswers => ({ item: 0, valuation: 0, photos: 0, assignments_count: 0 })

/** Wraps a statement, by its name: may observe its start and its outcome, and returns its result. */
type Instrument = <Result>(statement: string, run: () => Promise<Result>) => Promise<Result>

/** The connections of one login role. A connection is lent for one statement or one transaction, and comes back clean. */
export type Pool = ReturnType<typeof poolOf>

/** The state of a pool: connections, idle ones among them, statements waiting for one, and how many were refused. */
export type PoolStats = { size: number; idle: number; waiting: number; refused: number }

/** Durations are milliseconds. */
export type PoolOptions = {
  /** Shown in pg_stat_activity. */
  applicationName: string
  /** The maximum number of connections; once opened they stay open. */
  size: number
  acquireTimeoutMs: number
  /** After how long the server cancels a statement. */
  statementTimeoutMs: number
  /** How many statements may wait for a connection; undefined: any number. */
  maxWaiting?: number | undefined
  /** False sends unnamed statements, for a pooler in transaction mode. They are parsed each time, still in one round trip. */
  preparedStatements?: boolean | undefined
  log: Logger
}

/** How much longer than the server the client waits for a statement, in milliseconds. */
const silenceMs = 500

/** Makes the pool of one login role. It connects when first used. */
export function createPool(url: string, options: PoolOptions): Pool {
  const partial = noPartialAnswers()
  return poolOf(openDriver(url, options, partial), options, partial)
}

/** The pool on connections of a driver. */
export function poolOf(
  driver: Driver,
  options: Pick<PoolOptions, 'size' | 'maxWaiting' | 'preparedStatements'>,
  partial: Readonly<PartialAnswers> = noPartialAnswers(),
) {
  const { size, maxWaiting = Number.POSITIVE_INFINITY, preparedStatements = true } = options
  let instrumented: Instrument = (_statement, run) => run()
  let refused = 0

  /** Throws Overloaded when too many wait for a connection, with `others` that wait elsewhere: clients would have given up by then. */
  function admit(others = 0): void {
    if (driver.waitingCount - driver.idleCount + others < maxWaiting) return
    refused += 1
    throw new Overloaded()
  }

  /** As `query`, for a statement that is instrumented as a part of something larger. */
  async function queryUninstrumented<Row extends object>(
    statement: Statement,
    values: readonly unknown[],
  ): Promise<Row[]> {
    admit()
    return execute<Row>(driver, statement, values, preparedStatements)
  }

  return {
    /** The maximum number of concurrent statements: one for each connection. */
    maxConcurrency: size,
    /** How many answers lacked what could not be read, so far. */
    partial,
    admit,
    queryUninstrumented,
    /**
     * Runs one statement as a transaction of its own and returns its rows.
     * @throws DatabaseUnavailable (Overloaded among them) or StatementFailed, neither of which repeats a value
     */
    query: <Row extends object>(statement: Statement, values: readonly unknown[] = []): Promise<Row[]> =>
      instrumented(statement.name, () => queryUninstrumented<Row>(statement, values)),
    /** Lends a connection for a transaction. The caller releases it, with an error when it is not clean. @throws Overloaded */
    async connect(): Promise<pg.PoolClient> {
      admit()
      return driver.connect()
    },
    /** Runs work that counts as one statement, instrumented under its name. */
    instrumented: <Result>(name: string, run: () => Promise<Result>) => instrumented(name, run),
    /** Has the statements of this pool instrumented from now on. */
    instrument(given: Instrument): void {
      instrumented = given
    },
    /** Opens connections before they are needed. Never rejects: the first statement will say what is wrong. */
    async warmUp(): Promise<void> {
      const clients = await Promise.allSettled(Array.from({ length: size }, () => driver.connect()))
      for (const client of clients) if (client.status === 'fulfilled') client.value.release()
    },
    stats(): PoolStats {
      const { totalCount, idleCount, waitingCount } = driver
      return { size: totalCount, idle: idleCount, waiting: waitingCount, refused }
    },
    /** Closes the connections once the running statements have ended. */
    close: (): Promise<void> => driver.end(),
  }
}

/** The pool of one of the service's logins, with the settings of the configuration. */
export function poolFor(
  role: LoginRole,
  size: number,
  config: Pick<Config, 'acquireTimeoutMs' | 'statementTimeoutMs' | 'poolQueue'> & {
    scaling: Pick<Config['scaling'], 'preparedStatements'>
  },
  { urlFor }: Pick<Database, 'urlFor'>,
  log: Logger,
): Pool {
  const { acquireTimeoutMs, statementTimeoutMs, poolQueue: maxWaiting } = config
  const { preparedStatements } = config.scaling
  const applicationName = `studio-inventory ${role}`
  const limits = { size, acquireTimeoutMs, statementTimeoutMs, maxWaiting }
  return createPool(urlFor(role), { applicationName, ...limits, preparedStatements, log })
}

function openDriver(url: string, options: PoolOptions, partial: PartialAnswers): Driver {
  const driver = new pg.Pool({
    connectionString: url,
    application_name: options.applicationName,
    max: options.size,
    min: options.size,
    connectionTimeoutMillis: options.acquireTimeoutMs,
    statement_timeout: options.statementTimeoutMs,
    // An unresponsive server cancels nothing; then the client gives up on its own, a little later.
    query_timeout: options.statementTimeoutMs + silenceMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    types: plainTypes,
  })
  // An idle connection that is lost is replaced when the next one is needed. Without a listener it would end the process.
  driver.on('error', (error) => {
    options.log.warn({ reason: error.message, pool: options.applicationName }, 'lost an idle database connection')
  })
  // The statement under way reports a lost connection; without a listener the event would end the process.
  driver.on('connect', (client) => {
    client.on('error', () => undefined)
    client.on('notice', ({ code, column, message }) => {
      const part = parts.find((each) => each === column)
      if (code !== 'SI206' || part === undefined) return
      partial[part] += 1
      options.log.warn({ part, reason: message }, 'an answer lacks what could not be read')
    })
  })
  return driver
}
