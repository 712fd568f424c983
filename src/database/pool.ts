import { LRUCache } from 'lru-cache'
import pLimit, { type LimitFunction } from 'p-limit'
import pg from 'pg'
import type { Config } from '../config/config.ts'
import type { Logger } from '../log.ts'
import { plainTypes, withClient } from './client.ts'
import { isWrongPassword, Overloaded, ShareExceeded } from './errors.ts'
import { countOrphans } from './orphans.ts'
import { type Database, firstOf, type LoginRole, type LoginUrl } from './roles.ts'
import { type Driver, execute, type Statement } from './statement.ts'

/** An answer can lack these parts: see the functions that raise SI206. */
export const parts = ['valuation', 'photos', 'assignments_count'] as const
type Part = (typeof parts)[number]

/** How many answers have lacked each part since the start. */
export type PartialAnswers = Record<Part, number>

const noPartialAnswers = (): PartialAnswers => ({ valuation: 0, photos: 0, assignments_count: 0 })

/** Who measures a pool replaces these. */
type Observer = {
  /** Runs a statement and returns its result; may observe its name, start and outcome. */
  statement<Result>(name: string, run: () => Promise<Result>): Promise<Result>
  /** A studio has exceeded its share. */
  refused(studioId: string): void
}

/** The connections of one login role. It lends a connection for one statement or transaction. */
export type Pool = ReturnType<typeof poolOf>

/** Connections (`idle` among them), waiting statements, and statements refused so far. */
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
  /** False sends unnamed statements, as a pooler in transaction mode needs. Each is parsed. */
  preparedStatements?: boolean | undefined
  log: Logger
}

/** How much longer than the server the client waits for a statement, in milliseconds. */
const silenceMs = 500

/** Makes the pool of one login role. It connects on first use. */
export function createPool(url: LoginUrl, options: PoolOptions): Pool {
  const partial = noPartialAnswers()
  return poolOf(openDriver(url, options, partial), options, partial)
}

export function poolOf(
  driver: Driver,
  options: Pick<PoolOptions, 'size' | 'acquireTimeoutMs' | 'maxWaiting' | 'preparedStatements'>,
  partial: Readonly<PartialAnswers> = noPartialAnswers(),
) {
  const { size, maxWaiting = Number.POSITIVE_INFINITY, preparedStatements = true } = options
  const ofStudio = { running: Math.max(1, Math.floor(size / 2)), waiting: Math.ceil(maxWaiting / 2) }
  const observer: Observer = { statement: (_name, run) => run(), refused: () => undefined }
  let refused = 0

  /** Throws Overloaded when so many wait that clients would time out. `others` wait elsewhere. */
  function admit(others = 0): void {
    if (driver.waitingCount - driver.idleCount + others < maxWaiting) return
    refused += 1
    throw new Overloaded()
  }

  /** Like `query`, but not instrumented, because it is a part of something that is. */
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
    partial,
    admit,
    /** Runs work with one connection in the turn of its studio, which has half of the connections, at
     * least one, and half of the places in the line. @throws ShareExceeded */
    inShare: createShares({ ...ofStudio, waitMs: options.acquireTimeoutMs }, (studioId) => observer.refused(studioId)),
    queryUninstrumented,
    /** Runs one statement as its own transaction and returns its rows.
     * @throws DatabaseUnavailable (or Overloaded), StatementFailed; neither repeats a value */
    query: <Row extends object>(statement: Statement, values: readonly unknown[] = []): Promise<Row[]> =>
      observer.statement(statement.name, () => queryUninstrumented<Row>(statement, values)),
    /** Lends a connection for a transaction. Release it, with an error if it is not clean.
     * @throws Overloaded */
    async connect(): Promise<pg.PoolClient> {
      admit()
      return driver.connect()
    },
    /** Runs work that counts as one statement, instrumented under its name. */
    instrumented: <Result>(name: string, run: () => Promise<Result>) => observer.statement(name, run),
    observer,
    /** Opens connections before they are needed. Never rejects: the first statement does. */
    async warmUp(): Promise<void> {
      const clients = await Promise.allSettled(Array.from({ length: size }, () => driver.connect()))
      for (const client of clients) if (client.status === 'fulfilled') client.value.release()
    },
    stats: () => ({ size: driver.totalCount, idle: driver.idleCount, waiting: driver.waitingCount, refused }),
    /** Closes the connections after the running statements have ended. */
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

function openDriver(url: LoginUrl, options: PoolOptions, partial: PartialAnswers): Driver {
  const driver = new pg.Pool({
    connectionString: firstOf(url),
    application_name: options.applicationName,
    max: options.size,
    min: options.size,
    connectionTimeoutMillis: options.acquireTimeoutMs,
    statement_timeout: options.statementTimeoutMs,
    // An unresponsive server cancels nothing, so the client gives up a little later.
    query_timeout: options.statementTimeoutMs + silenceMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    types: plainTypes,
  })
  countOrphans(driver)
  // The pool replaces a lost idle connection. Without a listener, Node would exit.
  driver.on('error', (error) => {
    options.log.warn({ reason: error.message, pool: options.applicationName }, 'lost an idle database connection')
  })
  // The running statement reports a lost connection. Without a listener, Node would exit.
  driver.on('connect', (client) => {
    client.on('error', () => undefined)
    client.on('notice', ({ code, column, message }) => {
      const part = parts.find((each) => each === column)
      if (code !== 'SI206' || part === undefined) return
      partial[part] += 1
      options.log.warn({ part, reason: message }, 'an answer lacks what could not be read')
    })
  })
  return typeof url === 'string' || url.length === 1 ? driver : withOtherPasswords(driver, url)
}

/** The same connections. When the server refuses their password, further ones have the one that it takes. */
function withOtherPasswords(driver: pg.Pool, urls: readonly string[]): Driver {
  const retry = async <Result>(work: () => Promise<Result>, attempts = 3): Promise<Result> => {
    try {
      return await work()
    } catch (error) {
      if (attempts === 1 || !isWrongPassword(error)) throw error
    }
    for (const url of urls) {
      const works = await withClient(url, async () => true).catch(() => false)
      if (works) driver.options.connectionString = url
    }
    return retry(work, attempts - 1)
  }
  return Object.assign(Object.create(driver), {
    query: (query: pg.QueryConfig) => retry(() => driver.query(query)),
    connect: () => retry(() => driver.connect()),
    end: () => driver.end(),
  })
}

/** What one studio may have of a pool: statements that run, statements that wait for its turn, and
 * for how many milliseconds. */
type Share = { running: number; waiting: number; waitMs: number }

/** Runs work in its studio's turn, so that a studio waits for itself and leaves connections to the
 * others. It counts by studio, because a studio may have many tokens, sessions and people, or by a
 * finer key. `refused` gets each studio that exceeds its share.
 * @throws ShareExceeded before the work, and what the work throws */
export function createShares({ running, waiting, waitMs }: Share, refused: (studioId: string) => void) {
  const lines = new LRUCache<string, LimitFunction>({ max: 10_000 })
  return async <Result>(studioId: string, work: () => Promise<Result>, key = studioId): Promise<Result> => {
    const turns = lines.get(key) ?? pLimit(running)
    lines.set(key, turns)
    const refuse = () => {
      refused(studioId)
      throw new ShareExceeded()
    }
    if (turns.pendingCount >= waiting) refuse()
    const asked = performance.now()
    return turns(async () => {
      if (performance.now() - asked > waitMs) refuse()
      return work()
    })
  }
}
