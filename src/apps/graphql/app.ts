import type { RequestListener } from 'node:http'
import type { ErrorRequestHandler } from 'express'
import { IssuerUnavailable } from '../../auth/identity/keys.ts'
import type { Config } from '../../config/config.ts'
import { isUnavailable } from '../../database/analyst-transaction.ts'
import { DatabaseUnavailable } from '../../database/errors.ts'
import { createExpress } from '../../http/app.ts'
import type { Measured, TraceRequest } from '../../http/observation.ts'
import { createProblems } from '../../http/problems.ts'
import { jsonType, requestIdOf, send } from '../../http/response.ts'
import { normalizeTarget } from '../../http/target.ts'
import type { GraphqlPage } from './page/routes.ts'
import { type ServeDependencies, serveGraphql } from './post-handler.ts'
import { sendRefusal } from './responses.ts'

export type GraphqlAppDependencies = ServeDependencies & {
  config: Pick<Config, 'docsUrl' | 'trustProxy'>
  /** Counts every request in the metrics. */
  measure?: ((request: Measured) => void) | undefined
  /** Starts the trace of every request. */
  trace?: TraceRequest | undefined
  /** The page to write queries in. */
  page: GraphqlPage
}

/** Composes the app of the GraphQL listener, in the order in which a request passes through it. */
export function createGraphqlApp({
  config,
  page,
  measure,
  trace,
  ...dependencies
}: GraphqlAppDependencies): RequestListener {
  const { log, built } = dependencies
  const problems = createProblems(config.docsUrl)
  // Only requests with API tokens have activity.
  const app = createExpress({ trustProxy: config.trustProxy, problems, log, measure, trace })

  app
    .route('/graphql')
    .post(serveGraphql(dependencies))
    .all((_request, response) => sendRefusal(response, 'method_not_allowed'))
  app.get('/healthz', (_request, response) => send(response, 200, jsonType, '{"status":"ok"}'))
  app.get('/readyz', (_request, response) => {
    if (built()) send(response, 200, jsonType, '{"status":"ready"}')
    else sendRefusal(response, 'unavailable')
  })
  app.get('/', page.page)
  app.get('/assets/:version/:file', page.asset)
  app.get('/favicon.ico', page.icon)
  if (page.demoIdentity) app.post('/demo-identity', page.demoIdentity)

  app.use((_request, response) => sendRefusal(response, 'not_found'))
  const answerError: ErrorRequestHandler = (error: unknown, _request, response, _next) => {
    const unavailable =
      error instanceof IssuerUnavailable || error instanceof DatabaseUnavailable || isUnavailable(error)
    const reason = error instanceof Error ? error : new Error(String(error))
    log.error({ request_id: requestIdOf(response), err: reason }, 'a request failed')
    if (response.headersSent) response.destroy()
    else sendRefusal(response, unavailable ? 'unavailable' : 'internal_error')
  }
  app.use(answerError)

  return (request, response) => {
    request.url = normalizeTarget(request.url ?? '/')
    app(request, response)
  }
}
