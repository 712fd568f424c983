import { createServer, type Server } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ErrorRequestHandler, Express } from 'express'
import { createLimiter } from '../auth/limiter.ts'
import type { Config } from '../config/config.ts'
import { DatabaseUnavailable } from '../database/errors.ts'
import { createPool, type Pool } from '../database/pool.ts'
import { messageOf } from '../domain/text.ts'
import { createExpress } from '../http/app.ts'
import { createProblems } from '../http/problems.ts'
import { idsOf } from '../http/request-log.ts'
import { jsonType, send } from '../http/response.ts'
import { hardenServer, serverOptions } from '../http/server.ts'
import { normalizeTarget } from '../http/target.ts'
import { IssuerUnavailable } from '../id-tokens/issuer-keys.ts'
import type { Logger } from '../log.ts'
import type { Observability } from '../observability/observability.ts'
import { isUnavailable } from './analyst-transaction.ts'
import { sendRefusal } from './answers.ts'
import { answerQueries } from './handler.ts'
import { createIdentify } from './identity.ts'
import { filesAt, type PageOptions, queryPage, queryPageFiles } from './page.ts'
import { type BuiltSchema, buildSchema } from './schema.ts'

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
  >
  databaseUrl: string
  secretKey: string
  page: PageOptions
  observability?: Pick<Observability, 'metrics' | 'trace' | 'watchPool'>
  /** The pause before another attempt to build the schema, in milliseconds. */
  retryMs?: number
}

export type GraphqlServer = {
  /** Prepared, but not yet listening. */
  server: Server
  pool: Pool
  /** Whether the schema is built and the process keeps running. */
  isReady(): boolean
  /** Resolves once the schema is built. */
  ready: Promise<void>
  /** Makes `/readyz` answer 503; everything else still works. */
  announce(): void
  close(): Promise<void>
}

/** A request may keep its connection for this many of the longest statements. */
const statementsPerRequest = 2

/** Opens the GraphQL server with its pool and limiter. Until it can build the schema, because
 * the database is unreachable or not migrated, it answers 503.
 * @param build makes the schema */
export async function openGraphql(options: GraphqlOptions, log: Logger, build = buildSchema): Promise<GraphqlServer> {
  const { config, secretKey, observability, retryMs = 2_000 } = options
  const pool = createPool(options.databaseUrl, {
    applicationName: 'studio-inventory studio_graphql',
    size: config.graphql.poolSize,
    acquireTimeoutMs: config.acquireTimeoutMs,
    statementTimeoutMs: config.statementTimeoutMs,
    maxWaiting: config.poolQueue,
    log,
  })
  observability?.watchPool('studio_graphql', pool)
  const limiter = await createLimiter(config, log)
  const schema = buildUntilDone(() => build(pool), retryMs, log)

  let isStopping = false
  const isReady = () => schema.built() !== undefined && !isStopping

  const app = createExpress({
    trustProxy: config.trustProxy,
    problems: createProblems(config.docsUrl),
    log,
    measure: observability?.metrics?.measure,
    trace: observability?.trace,
  })
  const queries = answerQueries({
    pool,
    identify: createIdentify({ secretKey, trusted: config.graphql.trusted }),
    limiter,
    built: schema.built,
    timeLimitMs: statementsPerRequest * config.statementTimeoutMs,
    log,
  })
  app
    .route('/graphql')
    .post(queries)
    .all((_request, response) => sendRefusal(response, 'method_not_allowed'))
  app.get('/healthz', (_request, response) => send(response, 200, jsonType, '{"status":"ok"}'))
  app.get('/readyz', (_request, response) => {
    if (isReady()) send(response, 200, jsonType, '{"status":"ready"}')
    else sendRefusal(response, 'unavailable')
  })
  app.get('/', queryPage(options.page))
  app.get(`${filesAt}:file`, queryPageFiles)
  app.use((_request, response) => sendRefusal(response, 'not_found'))
  answerErrors(app, log)

  const server = createServer(serverOptions, (request, response) => {
    request.url = normalizeTarget(request.url ?? '/')
    app(request, response)
  })
  const drain = hardenServer(server, { docsUrl: config.docsUrl, log, maxConnections: config.maxConnections })
  return {
    server,
    pool,
    isReady,
    ready: schema.done,
    announce() {
      isStopping = true
    },
    async close() {
      schema.stop()
      await drain(config.shutdownTimeoutMs)
      limiter.close()
      await pool.close()
    },
  }
}

function answerErrors(app: Express, log: Logger): void {
  const answerError: ErrorRequestHandler = (error: unknown, _request, response, _next) => {
    const unavailable =
      error instanceof IssuerUnavailable || error instanceof DatabaseUnavailable || isUnavailable(error)
    const reason = error instanceof Error ? error : new Error(String(error))
    log.error({ ...idsOf(response), err: reason }, 'a request failed')
    if (response.headersSent) response.destroy()
    else sendRefusal(response, unavailable ? 'unavailable' : 'internal_error')
  }
  app.use(answerError)
}

function buildUntilDone(build: () => Promise<BuiltSchema>, retryMs: number, log: Logger) {
  let built: BuiltSchema | undefined
  const stopping = new AbortController()

  async function attempt(): Promise<void> {
    try {
      built = await build()
    } catch (error) {
      if (stopping.signal.aborted) return
      log.warn({ reason: messageOf(error) }, 'there is no GraphQL schema yet')
      await sleep(retryMs, undefined, { ref: false })
      if (!stopping.signal.aborted) await attempt()
    }
  }
  return { built: () => built, done: attempt(), stop: () => stopping.abort() }
}
