import { createServer, type Server } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { createLimiter } from '../../auth/limiter.ts'
import type { Config } from '../../config/config.ts'
import { createPool, type Pool } from '../../database/pool.ts'
import { messageOf } from '../../domain/error.ts'
import type { Measured } from '../../http/observation.ts'
import { hardenServer, serverOptions, watchForDrain } from '../../http/server.ts'
import type { Logger } from '../../observability/log.ts'
import { openTracing } from '../../observability/tracing/tracing.ts'
import { createGraphqlApp } from './app.ts'
import { createIdentify } from './identity.ts'
import { type GraphqlPageOptions, servePage } from './page/routes.ts'
import { type BuiltSchema, buildSchema } from './schema.ts'
import { createShares } from './shares.ts'

/** Everything the server needs; plain data, so that it can be handed to a process. */
export type GraphqlOptions = {
  config: Pick<
    Config,
    | 'docsUrl'
    | 'trustProxy'
    | 'rateLimits'
    | 'redisUrl'
    | 'acquireTimeoutMs'
    | 'statementTimeoutMs'
    | 'shutdownTimeoutMs'
    | 'graphql'
    | 'poolQueue'
    | 'maxConnections'
    | 'tracing'
  >
  /** The connection string of studio_graphql. */
  databaseUrl: string
  secretKey: string
  /** What the page to write queries in shows. */
  page: GraphqlPageOptions
  /** How long to wait before building the schema is retried, in milliseconds. */
  retryMs?: number
}

export type GraphqlServer = {
  /** Prepared, but it listens on nothing yet. */
  server: Server
  pool: Pool
  /** Resolves when the schema is built, when building it has failed once, or after the time given. */
  settled(timeoutMs: number): Promise<void>
  close(): Promise<void>
}

/** How many requests of one person may wait for their turn. */
const waitingPerPerson = 20

/** How many statements of the longest duration a request may take, before its connection is closed. */
const statementsPerRequest = 2

/**
 * Opens the GraphQL server with its pool and its limiter. While the database is unreachable or not migrated and the schema
 * cannot be built, requests are answered with 503.
 *
 * @param measure counts every request in the metrics
 * @param build makes the schema
 */
export async function openGraphql(
  options: GraphqlOptions,
  log: Logger,
  measure?: (request: Measured) => void,
  build = buildSchema,
): Promise<GraphqlServer> {
  const { config, databaseUrl, secretKey, retryMs = 2_000 } = options
  const pool = createPool(databaseUrl, {
    applicationName: 'studio-inventory studio_graphql',
    size: config.graphql.poolSize,
    acquireTimeoutMs: config.acquireTimeoutMs,
    statementTimeoutMs: config.statementTimeoutMs,
    maxWaiting: config.poolQueue,
    log,
  })
  const limiter = await createLimiter(config, log)
  const tracing = await openTracing(config.tracing, log)
  tracing?.watchPool('studio_graphql', pool)
  const schema = buildUntilDone(pool, build, retryMs, log)

  const app = createGraphqlApp({
    config,
    log,
    pool,
    limiter,
    identify: createIdentify({ secretKey, trusted: config.graphql.trusted, loginDays: config.graphql.loginDays }),
    built: schema.built,
    timeLimitMs: statementsPerRequest * config.statementTimeoutMs,
    shares: createShares({
      turns: config.graphql.poolSize,
      maxWaiting: waitingPerPerson,
      waitMs: config.acquireTimeoutMs,
    }),
    measure,
    trace: tracing?.request,
    page: await servePage(options.page, secretKey),
  })
  const server = createServer(serverOptions, app)
  hardenServer(server, { docsUrl: config.docsUrl, log, maxConnections: config.maxConnections })
  const drain = watchForDrain(server)
  return {
    server,
    pool,
    settled: (timeoutMs) => Promise.race([schema.settled, sleep(timeoutMs, undefined, { ref: false })]),
    async close() {
      schema.stop()
      await drain(config.shutdownTimeoutMs)
      limiter.close()
      await pool.close()
      await tracing?.close()
    },
  }
}

/** Builds the schema, again and again until it can be built. `settled` resolves after the first attempt. */
function buildUntilDone(pool: Pool, build: typeof buildSchema, retryMs: number, log: Logger) {
  let built: BuiltSchema | undefined
  let isStopped = false

  async function attempt(): Promise<void> {
    try {
      built = await build(pool)
    } catch (error) {
      if (!isStopped) log.warn({ reason: messageOf(error) }, 'there is no GraphQL schema yet')
    }
  }
  async function retry(): Promise<void> {
    while (built === undefined) {
      await sleep(retryMs, undefined, { ref: false })
      if (isStopped) return
      await attempt()
    }
  }
  const settled = attempt()
  void settled.then(retry)
  return {
    settled,
    built: () => built,
    stop() {
      isStopped = true
    },
  }
}
