import type { Request, RequestHandler, Response } from 'express'
import { type Client, clientOf } from '../auth/address.ts'
import type { Limiter, Remembered } from '../auth/limiter.ts'
import { type PresentedToken, readCredentials } from '../auth/token.ts'
import type { Answer } from '../database/answer.ts'
import { varyByEncoding } from '../http/compression.ts'
import { occurrences } from '../http/message.ts'
import type { Observed } from '../http/observation.ts'
import { cursorError, type Parameters, readUuid } from '../http/parameters.ts'
import type { Problems } from '../http/problems.ts'
import { removeRateLimitFields, setRateLimitFields } from '../http/rate-limit-fields.ts'
import { sendNotModified } from '../http/response.ts'
import { splitTarget } from '../http/target.ts'
import type { Logger } from '../observability/log.ts'
import { contentOf, sendContent } from './content.ts'
import { prefersCsv } from './csv.ts'
import type { Cursors } from './cursors.ts'
import type { EntityTags } from './etag.ts'
import { linkTo, questionOf, setNextUpdatedSince } from './list-headers.ts'
import type { Operation } from './operation.ts'
import type { PhotoSigner } from './photos/signer.ts'
import { readQuestion } from './question.ts'
import type { Reading } from './reading.ts'

export type HandlerDependencies = {
  /** Where tokens are authenticated and data is read. */
  reading: Reading
  limiter: Limiter
  cursors: Cursors
  tags: EntityTags
  signer: PhotoSigner
  problems: Problems
  /** The `_meta` object as JSON text. */
  meta: string
  /** The address that clients use, with `/v1`. */
  baseUrl: string
  log: Logger
}

/**
 * Makes the handler of an operation. A request passes, in this order: the token's shape (401), the guard of its address (429), the
 * token's rate limit (429), the parameters (400), and then the database, which authenticates the token and reads the data (401, 403, 404).
 * A cached body is sent only when the database, after the request arrived, finds it current; none when the client has it too (304).
 *
 * Serves: "The rate-limit check runs before any data query; a 429 means no data query was made."
 *
 * @throws DatabaseUnavailable, StatementFailed
 */
export function createHandler(operation: Operation, dependencies: HandlerDependencies): RequestHandler {
  const { reading, limiter, problems, cursors, tags } = dependencies
  const { cache } = reading

  return (request, response: Response<unknown, Observed>) => {
    varyByEncoding(response)
    const token = presentedToken(request)
    if (token === null) return problems.send(response, 'unauthenticated')

    const client = clientOf(request)
    const from = client.key
    const remembered = limiter.remembered(token.key, from)
    if (remembered !== undefined) {
      response.locals.tokenId = remembered.tokenId
      response.locals.record = reading.record
      return serve(request, response, token, client, remembered)
    }
    return serveGuess(request, response, token, client)
  }

  /** Serves a request whose token may not be one. */
  async function serveGuess(
    request: Request,
    response: Response<unknown, Observed>,
    token: PresentedToken,
    client: Client,
  ): Promise<void> {
    const from = client.key
    // A token that is limited to other addresses is known, and refused here all the same: it must not use up its quota for nothing.
    const isGood = async () => !limiter.wasRefused(token.key, from) && (await reading.known.has(token.digest))
    const guess = await limiter.guess(from, isGood)
    if (guess.retryAfterSeconds > 0) return refuse(response, problems, guess.retryAfterSeconds)
    let failed = false
    try {
      await serve(request, response, token, client, undefined)
      failed = response.statusCode === 401
    } finally {
      if (!failed) guess.takeBack()
    }
  }

  async function serve(
    request: Request,
    response: Response<unknown, Observed>,
    token: PresentedToken,
    client: Client,
    remembered: Remembered | undefined,
  ): Promise<void> {
    const { retryAfterSeconds, allowances, takeBack } = await limiter.admit(token.key, remembered)
    setRateLimitFields(response, allowances)
    if (retryAfterSeconds > 0) return refuse(response, problems, retryAfterSeconds)

    const read = readQuestion(operation, splitTarget(request.url).query, cursors)
    response.locals.parameters = read.given
    if (read.errors.length > 0) return problems.send(response, 'invalid_parameter', read.errors)

    const { values, position } = read
    const id = typeof request.params.id === 'string' ? readUuid(request.params.id) : null
    const question = { ...values, id }
    const studioId = remembered?.studioId
    const wanted = request.headers['if-none-match']
    const asCsv = prefersCsv(operation, request)
    // Photo URLs are signed for each answer, so that it is never the one that the client has.
    const isTagged = !operation.photos
    const tagged = () => `${questionOf(operation, values)} ${id} ${values.cursor ?? values.page}${asCsv ? ' csv' : ''}`
    const known =
      !isTagged || wanted === undefined || studioId === undefined ? null : tags.versionIn(wanted, tagged(), studioId)
    const { address } = client
    const cached = cache.get(studioId, operation, question)
    const validator = cached.answer?.version ?? known
    const asked = { digest: token.digest, question, cached, position, validator, address }
    const answer = await reading.read(operation, asked)
    // Counted as a failure of its address. A token that does not work from here may work from elsewhere: its quota is for that.
    if (answer.status === 401) takeBack()
    response.locals.record = reading.record
    const failure = learn(answer, token, client.key, response, limiter, remembered)
    if (failure !== undefined) await failure
    if (answer.status === 401) return problems.send(response, 'unauthenticated')
    if (answer.status === 403) return problems.send(response, 'plan_required')
    if (answer.studio_id === null) throw new Error(`${operation.id} answered without a studio`)
    if (position && !cursors.isOf(position, answer.studio_id)) {
      return problems.send(response, 'invalid_parameter', [cursorError])
    }
    if (answer.status === 404) return problems.send(response, 'not_found')
    if (answer.status === 410) return problems.send(response, 'removals_expired')

    const fresh = answer.status === 304 ? cached.answer : undefined
    const tag =
      answer.version === null || !isTagged
        ? undefined
        : ((asCsv ? undefined : fresh?.headers.etag) ?? tags.of(answer.version, tagged()))
    if (tag !== undefined) response.setHeader('ETag', tag)
    if (operation.envelope === 'list') {
      setNextUpdatedSince(response, answer.watermark)
      response.setHeader('Vary', 'Accept, Accept-Encoding')
    }
    const isKnown = tag !== undefined && tags.matches(wanted, tag)
    if (answer.status === 304) {
      if (fresh) cache.revalidated(operation, question, fresh)
      // Without Link: the client has it, and this process may not.
      if (isKnown) return sendNotModified(response)
      if (fresh?.headers.link) response.setHeader('Link', fresh.headers.link)
      if (fresh) return sendContent(operation, request, response, fresh.content, dependencies)
    }
    if (answer.status !== 200) throw new Error(`${operation.id} answered with status ${answer.status}`)

    const link = linkOf(operation, answer, values, dependencies)
    const content = contentOf(operation, answer, values, dependencies.meta)
    cache.set(operation, question, answer, content, { etag: asCsv ? undefined : tag, link })
    if (isKnown) return sendNotModified(response)
    if (link !== undefined) response.setHeader('Link', link)
    await sendContent(operation, request, response, content, dependencies)
  }
}

/** The `Link` of a list that has a next page. */
function linkOf(
  operation: Operation,
  { has_more, last_at: at, last_id: id, studio_id: studioId }: Answer,
  values: Readonly<Parameters>,
  { cursors, baseUrl }: HandlerDependencies,
): string | undefined {
  if (operation.envelope !== 'list' || !has_more || at === null || id === null || studioId === null) return undefined
  const next = { page: values.page + 1, at, id }
  return linkTo(next, cursors, { operation, url: baseUrl + operation.path, values, studioId })
}

/** Exactly one `Authorization` header with a well-formed token, else null. */
function presentedToken(request: Request): PresentedToken | null {
  return occurrences(request, 'authorization') === 1 ? readCredentials(request.headers.authorization) : null
}

function refuse(response: Response, problems: Problems, waitSeconds: number): void {
  response.setHeader('Retry-After', String(waitSeconds))
  problems.send(response, 'rate_limited')
}

/**
 * Stores what the statement returned about the token: the quota of the next request, and whose activity this one is.
 *
 * @param from the key of the client's address
 * @param remembered what was known of it, if its last request was authenticated: otherwise its failure is counted already
 * @returns what is to be waited for, if anything
 */
function learn(
  answer: Answer,
  token: PresentedToken,
  from: string,
  response: Response<unknown, Observed>,
  limiter: Limiter,
  remembered: Remembered | undefined,
): Promise<void> | undefined {
  if (answer.status === 401 || answer.token_id === null || answer.studio_id === null) {
    delete response.locals.tokenId
    removeRateLimitFields(response)
    limiter.forget(token.key, from)
    return remembered ? limiter.countFailure(from) : undefined
  }
  const { token_id: tokenId, studio_id: studioId, plan_tier: plan } = answer
  response.locals.tokenId = tokenId
  // With most requests nothing is new. Another request of the token may have been refused meanwhile.
  const isSame = remembered?.tokenId === tokenId && remembered.studioId === studioId && remembered.plan === plan
  if (isSame && limiter.remembered(token.key, from) === remembered) return undefined
  limiter.remember(token.key, from, { tokenId, studioId, plan })
  return undefined
}
