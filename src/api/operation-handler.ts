import type { Request, RequestHandler, Response } from 'express'
import { addressKey } from '../auth/address.ts'
import type { Limiter } from '../auth/limiter.ts'
import { type PresentedToken, readCredentials } from '../auth/token.ts'
import type { Answer } from '../database/answer.ts'
import { listEnvelope, singleEnvelope } from '../http/envelope.ts'
import { occurrences } from '../http/message.ts'
import type { Observed } from '../http/observation.ts'
import { type Parameters, readParameters, readUuid } from '../http/parameters.ts'
import type { Problems } from '../http/problems.ts'
import { removeRateLimitFields, setRateLimitFields } from '../http/rate-limit-fields.ts'
import { jsonType, send } from '../http/response.ts'
import { splitTarget } from '../http/target.ts'
import type { Logger } from '../observability/log.ts'
import type { Cache } from './cache.ts'
import { type Operation, parametersOf } from './operation.ts'
import { photoUrls, withPhotoUrls } from './photos/photo-urls.ts'
import type { PhotoSigner } from './photos/signer.ts'
import type { Read } from './read.ts'

export type HandlerDependencies = {
  read: Read
  cache: Cache
  limiter: Limiter
  signer: PhotoSigner
  problems: Problems
  /** The `_meta` object as JSON text. */
  meta: string
  log: Logger
}

/**
 * Makes the handler of an operation. A request passes, in this order: the token's shape (401), the guard of its address (429), the
 * token's rate limit (429), the parameters (400), and then the database, which authenticates the token and reads the data (401, 403, 404).
 * A cached body is sent when the database says, after the request came, that nothing has changed.
 *
 * Serves: "The rate-limit check runs before any data query; a 429 means no data query was made."
 *
 * @throws DatabaseUnavailable, StatementFailed
 */
export function createHandler(operation: Operation, dependencies: HandlerDependencies): RequestHandler {
  const { read, cache, limiter, problems } = dependencies
  const parameters = parametersOf(operation)

  return async (request, response: Response<unknown, Observed>) => {
    const token = presentedToken(request)
    if (token === null) return problems.send(response, 'unauthenticated')

    const remembered = limiter.remembered(token.key)
    if (remembered === undefined) {
      const wait = await limiter.waitOfAddress(addressKey(request.ip))
      if (wait > 0) return refuse(response, problems, wait)
    } else {
      response.locals.tokenId = remembered.tokenId
    }

    const { retryAfterSeconds, allowances } = await limiter.admit(token.key)
    setRateLimitFields(response, allowances)
    if (retryAfterSeconds > 0) return refuse(response, problems, retryAfterSeconds)

    const { given, values, errors } = readParameters(parameters, splitTarget(request.url).query)
    response.locals.parameters = given
    if (errors.length > 0) return problems.send(response, 'invalid_parameter', errors)

    const id = typeof request.params.id === 'string' ? readUuid(request.params.id) : null
    const question = { ...values, id }
    const cached = cache.get(remembered?.studioId, operation, question)
    const answer = await read(operation, { digest: token.digest, question, cached })
    await learn(answer, token, request, response, limiter)
    if (answer.status === 401) return problems.send(response, 'unauthenticated')
    if (answer.status === 403) return problems.send(response, 'plan_required')
    if (answer.status === 404) return problems.send(response, 'not_found')
    if (answer.status === 304 && cached.answer) {
      cache.revalidated(operation, question, cached.answer)
      return send(response, 200, jsonType, cached.answer.body)
    }
    if (answer.status !== 200) throw new Error(`${operation.id} answered with status ${answer.status}`)

    const body = Buffer.from(await bodyOf(operation, answer, values, dependencies))
    cache.set(operation, question, answer, body)
    send(response, 200, jsonType, body)
  }
}

/** Exactly one `Authorization` header with a well-formed token, else null. */
function presentedToken(request: Request): PresentedToken | null {
  return occurrences(request, 'authorization') === 1 ? readCredentials(request.headers.authorization) : null
}

function refuse(response: Response, problems: Problems, waitSeconds: number): void {
  response.setHeader('Retry-After', String(waitSeconds))
  problems.send(response, 'rate_limited')
}

/** Remembers what the statement said of the token: the quota of the next request, and whose activity this one is. */
async function learn(
  answer: Answer,
  token: PresentedToken,
  request: Request,
  response: Response<unknown, Observed>,
  limiter: Limiter,
): Promise<void> {
  if (answer.status === 401 || answer.token_id === null || answer.studio_id === null) {
    delete response.locals.tokenId
    removeRateLimitFields(response)
    limiter.forget(token.key)
    await limiter.countFailure(addressKey(request.ip))
    return
  }
  response.locals.tokenId = answer.token_id
  limiter.remember(token.key, {
    tokenId: answer.token_id,
    studioId: answer.studio_id,
    plan: answer.plan_tier,
  })
}

async function bodyOf(
  operation: Operation,
  answer: Answer,
  { page, per_page }: Readonly<Parameters>,
  { signer, meta, log }: HandlerDependencies,
): Promise<string> {
  const data = answer.data ?? ''
  if (operation.envelope === 'list') return listEnvelope(data, page, per_page, Number(answer.total), meta)
  if (operation.envelope === 'array') return singleEnvelope(`[${data}]`, meta)
  if (operation.photos === undefined) return singleEnvelope(data, meta)
  return singleEnvelope(withPhotoUrls(data, await photoUrls(signer, answer.photo_keys ?? [], log)), meta)
}
