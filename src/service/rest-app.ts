import type { RequestListener } from 'node:http'
import { pipeline } from 'node:stream/promises'
import type { ErrorRequestHandler, RequestHandler, Router } from 'express'
import { createCursors } from '../api/cursors.ts'
import { createEntityTags } from '../api/etag.ts'
import { handlerOf } from '../api/handler.ts'
import { operations, prefix } from '../api/operations.ts'
import type { Reading } from '../api/read.ts'
import type { Limiter } from '../auth/limiter.ts'
import { type Config, manifest } from '../config/config.ts'
import { DatabaseUnavailable, Overloaded, ShareExceeded } from '../database/errors.ts'
import { type DemoReader, serveDescription, serveReference } from '../docs/routes.ts'
import type { SecretKeys } from '../domain/keys.ts'
import { serveFront } from '../front/routes.ts'
import { allowAnyOrigin, createExpress } from '../http/app.ts'
import { normalizeTarget, withoutPrefix } from '../http/message.ts'
import { createProblems, type Problems } from '../http/problems.ts'
import { idsOf, type Telemetry } from '../http/request-log.ts'
import { jsonType, metaText, type Readiness, send, sendReadiness } from '../http/response.ts'
import { type Logger, requestErrors } from '../log.ts'
import type { serveMcp } from '../mcp/http.ts'
import type { PhotoSigner } from '../photos/signer.ts'
import { baseOf, type GraphqlAddress, linksOf, sourceOf } from '../web/links.ts'

export type AppDependencies = Telemetry & {
  config: Pick<Config, 'publicUrl' | 'docsUrl' | 'rateLimits' | 'trustProxy' | 'cors'>
  log: Logger
  /** They sign the cursors of lists. */
  secretKeys: SecretKeys
  reading: Reading
  limiter: Limiter
  signer: PhotoSigner
  ready(): Promise<Readiness>
  /** The console under `/console`; undefined when nobody can sign in. */
  console?: Router | undefined
  /** The public address of GraphQL; undefined when it is off or unknown. */
  graphql?: GraphqlAddress | undefined
  /** The shell command that starts the command line on the same data, if not the usual one. */
  command?: string | undefined
  /** The token and ids to try the demo with. */
  demo?: DemoReader | undefined
  /** The Model Context Protocol at `/mcp`; undefined, and not loaded, when off. */
  mcp?: typeof serveMcp | undefined
}

/** Composes the app in the order in which it handles a request. */
export function createApp(dependencies: AppDependencies): RequestListener {
  const { config, log, reading, limiter, signer, ready } = dependencies
  const meta = metaText(config.docsUrl)
  const cursors = createCursors(dependencies.secretKeys)
  const tags = createEntityTags(meta)
  const baseUrl = config.publicUrl + prefix
  const problems = createProblems(config.docsUrl)
  const description = serveDescription(config)
  const enabled = {
    console: dependencies.console !== undefined,
    graphql: dependencies.graphql,
    mcp: dependencies.mcp !== undefined,
  }
  const { command, demo } = dependencies
  const links = linksOf(config, enabled)
  const reference = serveReference({ ...config, command, links, source: sourceOf(manifest) }, problems, demo)
  const front = serveFront(config, { enabled, ready }, problems)
  const { measure, trace } = dependencies
  const app = createExpress({ trustProxy: config.trustProxy, problems, log, measure, trace })
  // This comes before the limiter and needs no database. The console allows no other origin.
  if (config.cors) app.use([prefix, '/openapi.json', '/openapi.yaml'], allowAnyOrigin())

  const route = (path: string, handler: RequestHandler) => {
    app
      .route(path)
      .get(handler)
      .all((_request, response) => problems.send(response, 'method_not_allowed'))
  }
  // Express tries the routes in this order: the most requested first.
  for (const operation of operations) {
    const path = prefix + operation.path.replace('{id}', ':id')
    const parts = { reading, limiter, cursors, tags, signer, problems, meta, baseUrl, log }
    route(path, handlerOf(operation, parts))
  }
  route('/', front.door)
  route('/assets/:version/:file', front.asset)
  route('/favicon.ico', front.icon)
  route('/healthz', (_request, response) => send(response, 200, jsonType, '{"status":"ok"}'))
  route('/readyz', (_request, response) => sendReadiness(response, ready))
  route('/photos/:token', servePhoto(signer, problems))
  route('/docs', reference.page)
  route('/docs/', reference.slash)
  route('/docs/assets/:version/:file', reference.asset)
  route('/openapi.json', description.json)
  route('/openapi.yaml', description.yaml)
  if (dependencies.console) app.use('/console', dependencies.console)
  const { publicUrl } = config
  const handleInMemory: RequestListener = (request, response) => listener(request, response)
  if (dependencies.mcp) app.all('/mcp', dependencies.mcp({ app: handleInMemory, publicUrl, limiter, problems, log }))

  app.use((_request, response) => problems.send(response, 'not_found'))
  app.use(answerError(problems, log))

  const kept = keptPrefix(publicUrl)
  // Express reads the target before its first handler, so normalize it first.
  const listener: RequestListener = (request, response) => {
    request.url = normalizeTarget(withoutPrefix(request.url ?? '/', kept))
    app(request, response)
  }
  return listener
}

/** The first segments of this service's paths. */
const ownPlaces = /^\/(?:v1|docs|console|photos|assets|mcp|healthz|readyz|openapi\.json|openapi\.yaml)(?:\/|$)/

/** The path of PUBLIC_URL, unless the service has it, too: `/v1/items` is not `/items` in `/v1`. */
function keptPrefix(publicUrl: string): string {
  const base = baseOf(publicUrl)
  return ownPlaces.test(base) ? '' : base
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
      // The client left. The log line of the request says so.
      if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error
    })
  }
}

/** Answers any error: 429 beyond a studio's share, 503 for an unusable database, else 500. Only the log has the cause. */
function answerError(problems: Problems, log: Logger): ErrorRequestHandler {
  const logError = requestErrors(log)
  return (error: unknown, _request, response, _next) => {
    if (error instanceof ShareExceeded) {
      response.setHeader('Retry-After', '1')
      return problems.send(response, 'rate_limited')
    }
    const code = error instanceof DatabaseUnavailable ? 'unavailable' : 'internal_error'
    // The log line of the request says 503. A second line would make an overload worse.
    if (!(error instanceof Overloaded)) logError(idsOf(response), error, 'a request failed')
    if (response.headersSent) response.destroy()
    else problems.send(response, code)
  }
}
