import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { createLimiter } from '../../auth/limiter.ts'
import type { Config } from '../../config/config.ts'
import { createPool, type Pool } from '../../database/pool.ts'
import { messageOf } from '../../domain/error.ts'
import { hardenServer, serverOptions } from '../../http/client-errors.ts'
import { watchForDrain } from '../../http/drain.ts'
import { listen } from '../../http/listener.ts'
import type { Measured } from '../../http/observation.ts'
import type { Logger } from '../../observability/log.ts'
import { openTracing } from '../../observability/tracing/tracing.ts'
import { createGraphqlApp } from './app.ts'
import { createIdentify } from './identity.ts'
import { type BuiltSchema, buildSchema } from './schema.ts'

/** Everything the listener needs; plain data, so that it can be handed to a thread. */
export type GraphqlOptions = {
  host: string
  port: number
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
  /** Whether the query page is served. */
  ide: boolean
  /** How long to wait before building the schema is retried, in milliseconds. */
  retryMs?: number
}

export type GraphqlListener = { port: number; pool: Pool; close(): Promise<void> }

/** How many statements of the longest duration a request may take, before its connection is closed. */
const statementsPerRequest = 2

/**
 * Opens the GraphQL listener with its pool and its limiter. While the database is unreachable or not migrated and the schema
 * cannot be built, requests are answered with 503.
 *
 * @param measure counts every request in the metrics
 * @throws ListenError
 */
export async function openGraphql(
  options: GraphqlOptions,
  log: Logger,
  measure?: (request: Measured) => void,
): Promise<GraphqlListener> {
  const { config, host, port, secretKey, retryMs = 2_000 } = options
  const pool = createPool(options.databaseUrl, {
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
  let built: BuiltSchema | undefined
  let closing = false

  async function build(): Promise<void> {
    while (!closing && built === undefined) {
      try {
        built = await buildSchema(pool)
      } catch (error) {
        log.warn({ reason: messageOf(error) }, 'there is no GraphQL schema yet')
        await sleep(retryMs, undefined, { ref: false })
      }
    }
  }

  const app = createGraphqlApp({
    config,
    log,
    pool,
    limiter,
    identify: createIdentify({ secretKey, trusted: config.graphql.trusted }),
    built: () => built,
    timeLimitMs: statementsPerRequest * config.statementTimeoutMs,
    measure,
    trace: tracing?.request,
    ide: options.ide ? (await import('./ide.ts')).serveIde() : undefined,
  })
  const server = createServer(serverOptions, app)
  hardenServer(server, { docsUrl: config.docsUrl, log, maxConnections: config.maxConnections })
  const drain = watchForDrain(server)
  const building = build()
  try {
    const listening = await listen(server, host, port, 'GRAPHQL_PORT')
    log.info({ host, port: listening }, 'GraphQL is listening')
    return {
      port: listening,
      pool,
      async close() {
        closing = true
        await drain(config.shutdownTimeoutMs)
        limiter.close()
        await pool.close()
        await tracing?.close()
      },
    }
  } catch (error) {
    closing = true
    limiter.close()
    await building
    await pool.close()
    await tracing?.close()
    throw error
  }
}
