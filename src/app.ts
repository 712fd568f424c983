import type { RequestListener } from 'node:http'
import { pipeline } from 'node:stream/promises'
import express, { type ErrorRequestHandler, type RequestHandler, type Router } from 'express'
import type { Limiter } from './access/limiter.ts'
import type { Activity } from './access/recorder.ts'
import type { Cache } from './api/cache.ts'
import { operations, prefix } from './api/operations.ts'
import { type Read, readFromPrimary } from './api/read.ts'
import { serve } from './api/serve.ts'
import type { Config } from './config.ts'
import { DatabaseUnavailable, Overloaded } from './database/errors.ts'
import { isFlooded, type Pool } from './database/pools.ts'
import type { GraphqlAddress } from './front/links.ts'
import { serveFront } from './front/serve.ts'
import { metaText } from './http/envelope.ts'
import { createFloodGate } from './http/flood.ts'
import { faultOf } from './http/message.ts'
import { type Measured, observe, type TraceRequest } from './http/observation.ts'
import { createProblems, type Problems } from './http/problems.ts'
import { type Readiness, sendReadiness } from './http/readiness.ts'
import { nameRequest, requestIdOf } from './http/request-id.ts'
import { jsonType, send, setStandingHeaders } from './http/response.ts'
import { mendTarget } from './http/target.ts'
import type { Logger } from './log.ts'
import { serveDescription } from './openapi/serve.ts'
import type { PhotoSigner } from './photos/signer.ts'
import { serveReference } from './reference/serve.ts'

export type { Readiness }

export type AppDependencies = {
  config: Pick<Config, 'publicUrl' | 'docsUrl' | 'rateLimits' | 'trustProxy'>
  log: Logger
  /** The pool of `studio_api`. */
  api: Pool
  /** How data are read, when not from that pool alone. */
  read?: Read | undefined
  /** Takes in one request of a known token; must not throw. */
  record(activity: Activity): void
  /** Takes in every request for the metrics; must not throw. */
  measure?: ((request: Measured) => void) | undefined
  /** Begins the trace of every request; must not throw. */
  trace?: TraceRequest | undefined
  limiter: Limiter
  cache: Cache
  signer: PhotoSigner
  ready(): Promise<Readiness>
  /** The console under `/console`; undefined when nobody could sign in. */
  console?: Router | undefined
  /** Where GraphQL answers; undefined while it is off, or nobody knows. */
  graphql?: (() => GraphqlAddress | undefined) | undefined
}

/**
 * Composes the app; to be read from top to bottom, as a request travels.
 *
 * @returns the listener for a server made with `serverOptions` and prepared by `hardenServer`
 */
export function createApp(dependencies: AppDependencies): RequestListener {
  const { config, log, api, record, limiter, cache, signer, ready } = dependencies
  const read = dependencies.read ?? readFromPrimary(api)
  const meta = metaText(config.docsUrl)
  const problems = createProblems(config.docsUrl)
  const reference = serveReference(config, problems)
  const description = serveDescription(config)
  const beside = () => ({ console: dependencies.console !== undefined, graphql: dependencies.graphql?.() })
  const front = serveFront(config, beside, problems)
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.enable('case sensitive routing')
  app.enable('strict routing')
  app.set('query parser', false)
  app.set('trust proxy', config.trustProxy)

  app.use((_request, response, next) => {
    nameRequest(response)
    setStandingHeaders(response)
    next()
  })
  app.use(observe(log, record, dependencies.measure, dependencies.trace))
  app.use((request, response, next) => {
    const fault = faultOf(request)
    if (fault === null) return next()
    response.setHeader('Connection', 'close')
    problems.send(response, fault)
  })

  const route = (path: string, handler: RequestHandler) => {
    app
      .route(path)
      .get(handler)
      .all((_request, response) => problems.send(response, 'method_not_allowed'))
  }
  route('/', front.door)
  route('/assets/:version/:file', front.asset)
  route('/healthz', (_request, response) => send(response, 200, jsonType, '{"status":"ok"}'))
  route('/readyz', (_request, response) => sendReadiness(response, ready))
  route('/photos/:token', servePhoto(signer, problems))
  route('/docs', reference.page)
  route('/docs/', reference.slash)
  route('/docs/assets/:version/:file', reference.asset)
  route('/openapi.json', description.json)
  route('/openapi.yaml', description.yaml)
  for (const operation of operations) {
    const path = prefix + operation.path.replace('{id}', ':id')
    route(path, serve(operation, { read, cache, limiter, signer, problems, meta, log }))
  }

  if (dependencies.console) app.use('/console', dependencies.console)

  app.use((_request, response) => problems.send(response, 'not_found'))
  app.use(answerError(problems, log))

  const { measure } = dependencies
  const refusedByFlood = createFloodGate({
    prefix: `${prefix}/`,
    flooded: () => isFlooded(api),
    problems,
    log,
    measure,
  })
  // Express reads the target before its first handler runs, so it is mended before Express sees it.
  return (request, response) => {
    if (refusedByFlood(request, response)) return
    request.url = mendTarget(request.url ?? '/')
    app(request, response)
  }
}

function servePhoto(signer: PhotoSigner, problems: Problems): RequestHandler {
  return async (request, response) => {
    const photo = await signer.open?.(String(request.params.token))
    if (!photo) return problems.send(response, 'not_found')
    response.setHeader('Content-Type', photo.contentType)
    response.setHeader('Content-Length', photo.bytes)
    if (request.method === 'HEAD') {
      photo.content.destroy()
      response.end()
      return
    }
    await pipeline(photo.content, response).catch((error: NodeJS.ErrnoException) => {
      // The client left; the log line of the request says so.
      if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error
    })
  }
}

/** Whatever went wrong: 503 for a database that cannot be used, 500 for the rest. The cause goes to the log alone. */
function answerError(problems: Problems, log: Logger): ErrorRequestHandler {
  return (error: unknown, _request, response, _next) => {
    const code = error instanceof DatabaseUnavailable ? 'unavailable' : 'internal_error'
    const reason = error instanceof Error ? error : new Error(String(error))
    // The request's own line says 503: a second one for each of a flood would only make it worse.
    if (!(error instanceof Overloaded))
      log.error({ request_id: requestIdOf(response), err: reason }, 'a request failed')
    if (response.headersSent) response.destroy()
    else problems.send(response, code)
  }
}
