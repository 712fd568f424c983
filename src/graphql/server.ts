import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ErrorRequestHandler, Express, RequestHandler } from 'express'
import { grafserv } from 'postgraphile/grafserv/express/v4'
import { GraphQLError, type GraphQLSchema } from 'postgraphile/graphql'
import { createLimiter } from '../auth/limiter.ts'
import type { Config } from '../config/config.ts'
import { createPool } from '../database/pool.ts'
import type { LoginUrl } from '../database/roles.ts'
import type { SecretKeys } from '../domain/keys.ts'
import { messageOf } from '../domain/text.ts'
import { createExpress } from '../http/app.ts'
import { varyByEncoding } from '../http/compression.ts'
import { normalizeTarget } from '../http/message.ts'
import { createProblems } from '../http/problems.ts'
import { idsOf } from '../http/request-log.ts'
import { jsonType, send } from '../http/response.ts'
import { hardenServer, serverOptions } from '../http/server.ts'
import { type Logger, requestErrors } from '../log.ts'
import type { Observability } from '../observability/observability.ts'
import { setPageHeaders } from '../web/static.ts'
import { declined, hiddenError, refusalOf, sendRefusal } from './answers.ts'
import { executionPlugin } from './execute.ts'
import { admitAnalysts, createIdentify } from './identity.ts'
import { filesAt, type PageOptions, pagePlugin } from './page.ts'
import { checkQueries, readBody } from './request.ts'
import { buildSchema, presetFor } from './schema.ts'

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
  databaseUrl: LoginUrl
  secretKeys: SecretKeys
  page: PageOptions
  observability?: Pick<Observability, 'metrics' | 'trace' | 'watchPool'>
  /** The pause before another attempt to build the schema, in milliseconds. */
  retryMs?: number
}

export type GraphqlServer = Awaited<ReturnType<typeof openGraphql>>

/** How many validated queries to keep for the next time. The largest takes 1 MB. */
const keptDocuments = 50

/** A request may keep its connection for this many of the longest statements. */
const statementsPerRequest = 2

/** Opens the GraphQL server with its pool and limiter. Until it can build the schema, because
 * the database is unreachable or not migrated, it answers 503.
 * @param build makes the schema */
export async function openGraphql(options: GraphqlOptions, log: Logger, build = buildSchema) {
  const { config, secretKeys, observability, retryMs = 2_000 } = options
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
  const served = grafserv({
    schema: schema.done,
    preset: {
      extends: [presetFor(pool)],
      plugins: [
        executionPlugin({ pool, limiter, timeLimitMs: statementsPerRequest * config.statementTimeoutMs, log }),
        pagePlugin(options.page),
      ],
      grafserv: {
        graphqlPath: '/graphql',
        graphiqlPath: '/',
        graphiqlStaticPath: filesAt,
        parseAndValidateCacheSize: keptDocuments,
        maskError: (error) => (error instanceof GraphQLError ? hiddenError : error),
      },
    },
  })
  const identify = createIdentify({ secretKeys, trusted: config.graphql.trusted })
  app
    .route('/graphql')
    .all((request, response, next) => {
      if (request.method === 'POST') next()
      else sendRefusal(response, declined('method_not_allowed'))
    })
    .post(
      admitAnalysts(identify, limiter, () => schema.built() !== undefined),
      readBody,
      checkQueries(served),
    )
  app.get('/healthz', (_request, response) => send(response, 200, jsonType, '{"status":"ok"}'))
  app.get('/readyz', (_request, response) => {
    if (isReady()) send(response, 200, jsonType, '{"status":"ready"}')
    else sendRefusal(response, declined('unavailable'))
  })
  app.get('/', preparePage)
  app.get(`${filesAt}*file`, preparePage)
  // Grafserv answers what these routes let pass: the queries, the page and its files.
  void served.addTo(app, null, false)
  app.use((_request, response) => sendRefusal(response, declined('not_found')))
  answerErrors(app, log)

  const server = createServer(serverOptions, (request, response) => {
    request.url = normalizeTarget(request.url ?? '/')
    app(request, response)
  })
  const drain = hardenServer(server, { docsUrl: config.docsUrl, log, maxConnections: config.maxConnections })
  return {
    /** Prepared, but not yet listening. */
    server,
    pool,
    /** Whether the schema is built and the process keeps running. */
    isReady,
    /** Resolves once the schema is built. */
    ready: schema.done.then(ignore, ignore),
    /** Makes `/readyz` answer 503; everything else still works. */
    announce(): void {
      isStopping = true
    },
    async close(): Promise<void> {
      schema.stop()
      await drain(config.shutdownTimeoutMs)
      limiter.close()
      await pool.close()
    },
  }
}

const preparePage: RequestHandler = (request, response, next) => {
  setPageHeaders(response)
  // The image lacks the editor's source maps.
  if (request.path.endsWith('.map')) return sendRefusal(response, declined('not_found'))
  varyByEncoding(response)
  if (request.path !== '/') response.setHeader('Cache-Control', 'no-cache')
  next()
}

function answerErrors(app: Express, log: Logger): void {
  const logError = requestErrors(log)
  const answerError: ErrorRequestHandler = (error: unknown, _request, response, _next) => {
    const refusal = refusalOf(error)
    if (error !== refusal && refusal.answer.status >= 500) logError(idsOf(response), error, 'a request failed')
    if (response.headersSent) response.destroy()
    else sendRefusal(response, refusal)
  }
  app.use(answerError)
}

/** Tries until it succeeds. `done` rejects only when it was stopped before. */
function buildUntilDone(build: () => Promise<GraphQLSchema>, retryMs: number, log: Logger) {
  let built: GraphQLSchema | undefined
  const stopping = new AbortController()

  async function attempt(): Promise<GraphQLSchema> {
    try {
      built = await build()
      return built
    } catch (error) {
      stopping.signal.throwIfAborted()
      log.warn({ reason: messageOf(error) }, 'there is no GraphQL schema yet')
      await sleep(retryMs, undefined, { ref: false, signal: stopping.signal })
      return attempt()
    }
  }
  return { built: () => built, done: attempt(), stop: () => stopping.abort() }
}

function ignore(): void {}
