import type { Request, RequestHandler, Response } from 'express'
import type { LastAuthentication, Limiter } from '../auth/limiter.ts'
import { type PresentedToken, readCredentials } from '../auth/token.ts'
import type { OperationRow } from '../database/operation-row.ts'
import { type Client, clientOf } from '../http/address.ts'
import { occurrences, splitTarget } from '../http/message.ts'
import type { Problems } from '../http/problems.ts'
import type { RequestLocals } from '../http/request-log.ts'
import { removeRateLimitFields, sendNotModified, setRateLimitFields } from '../http/response.ts'
import { type BodyOptions, bodyOf, prefersCsv, sendBody } from './body.ts'
import { cacheKeyOf, queryKeyOf, type RequestKey } from './cache.ts'
import type { Cursors, ReadCursor } from './cursors.ts'
import { type EntityTags, matchesTag } from './etag.ts'
import type { Operation } from './operation.ts'
import { cursorError, readParameters, readUuid } from './parameters.ts'
import type { Reading } from './read.ts'

type HandlerOptions = BodyOptions & {
  reading: Reading
  limiter: Limiter
  tags: EntityTags
  problems: Problems
}

/** The sender of a request: token, address, and what the last request showed. */
type Caller = { token: PresentedToken; client: Client; remembered: LastAuthentication | undefined }

type Exchange = { request: Request; response: Response<unknown, RequestLocals> }

/** Serves an operation. A request passes the token's form (401) and the limits of address and
 * token (429). PostgreSQL then authenticates (401, 403) and reads (404), or confirms a cached or
 * the client's own answer (304). Only a valid token learns which parameters are invalid (400).
 * Serves: "The rate-limit check runs before any data query; a 429 means no data query was
 * made." */
export function handlerOf(operation: Operation, options: HandlerOptions): RequestHandler {
  const { limiter, reading, problems } = options
  return async (request, response: Response<unknown, RequestLocals>) => {
    response.setHeader('Vary', 'Accept-Encoding')
    const token = occurrences(request, 'authorization') === 1 ? readCredentials(request.headers.authorization) : null
    if (token === null) return problems.send(response, 'unauthenticated')

    const client = clientOf(request)
    const caller = { token, client, remembered: limiter.remembered(token.key, client.key) }
    if (caller.remembered !== undefined) return respond(operation, caller, { request, response }, options)

    // The token may be a guess. Refuses one that was issued for other addresses, too.
    const wasIssued = async () => !limiter.wasRefused(token.key, client.key) && (await reading.wasIssued(token.digest))
    const { retryAfterSeconds, takeBack } = await limiter.admitUnknown(client.key, wasIssued)
    if (retryAfterSeconds > 0) return refuse(response, problems, retryAfterSeconds)
    try {
      await respond(operation, caller, { request, response }, options)
    } finally {
      if (response.statusCode !== 401) takeBack()
    }
  }
}

async function respond(
  operation: Operation,
  caller: Caller,
  { request, response }: Exchange,
  options: HandlerOptions,
): Promise<void> {
  const { limiter, problems, reading, tags } = options
  const { token, client, remembered } = caller
  Object.assign(response.locals, { record: reading.record, address: client.address })
  if (remembered) response.locals.tokenId = remembered.tokenId
  const quota = await limiter.admit(token.key)
  setRateLimitFields(response, quota.allowances)
  if (quota.retryAfterSeconds > 0) return refuse(response, problems, quota.retryAfterSeconds)

  const id = readUuid(request.params.id)
  const query = readQuery(operation, id, splitTarget(request.url).query, options.cursors)
  const { values, errors, position } = query
  response.locals.parameters = query.given
  if (query.ignored.length > 0) {
    response.locals.ignored = query.ignored
    response.setHeader('X-Ignored-Parameters', query.ignored.join(', '))
  }
  const passes = async (row: OperationRow) => {
    // Only the address was refused. The token may work elsewhere, so this request costs no quota.
    if (row.status === 401) quota.takeBack()
    await remember(row, caller, response, limiter)
    return !sendProblem(row, position, response, options)
  }
  if (errors.length > 0) {
    const isValid = await passes(await reading.authenticate(token.digest, client.address))
    return isValid ? problems.send(response, 'invalid_parameter', errors) : undefined
  }

  const format = prefersCsv(operation, request) ? 'csv' : 'json'
  const requestKey: RequestKey = { operation, values, id, format }
  const wanted = request.headers['if-none-match']
  const cached = remembered && reading.cache.find(remembered.studioId, requestKey)
  const versionOfClient = () =>
    remembered && wanted && !operation.photos
      ? tags.versionIn(wanted, cacheKeyOf(requestKey), remembered.studioId)
      : undefined
  const asked = { id, values, position, studioId: remembered?.studioId, digest: token.digest, address: client.address }
  const version = cached?.version ?? versionOfClient()
  const { row, isUnchanged } = await reading.read(operation, asked, version)

  response.locals.cached = isUnchanged
  if (!(await passes(row))) return

  // Each answer signs its photo URLs, so it never equals the client's.
  const isTagged = !operation.photos && row.version !== null
  const tag = isTagged
    ? (isUnchanged && cached?.headers.ETag) || tags.of(row.version, cacheKeyOf(requestKey))
    : undefined
  if (tag !== undefined) response.setHeader('ETag', tag)
  if (operation.envelope === 'list') {
    response.setHeader('Vary', 'Accept, Accept-Encoding')
    // PostgreSQL writes UTC's offset without minutes.
    const since = row.watermark && new Date(`${row.watermark}:00`)
    if (since) response.setHeader('Next-Updated-Since', since.toISOString())
    if (since) response.setHeader('Next-Updated-Since-Age', Math.max(0, Math.round((Date.now() - +since) / 1000)))
  }
  let content: ReturnType<typeof bodyOf> | undefined = isUnchanged ? cached : undefined
  if (isUnchanged && cached) reading.cache.hit()
  if (!isUnchanged) {
    content = bodyOf(requestKey, row, options)
    if (tag !== undefined) content.headers.ETag = tag
    reading.cache.store(requestKey, row, content)
  }
  // Link is left out, because the client has it.
  if (content === undefined || matchesTag(wanted, tag)) return sendNotModified(response)
  await sendBody(requestKey, content, { request, response }, options)
}

type Query = ReturnType<typeof readParameters> & { position: ReadCursor | null }

/** Reads an operation's parameters from a query, and a cursor's position and page number. */
function readQuery(operation: Operation, id: string | null, query: string, cursors: Cursors): Query {
  const read = { ...readParameters(operation.parameters, query), position: null }
  const { values, errors } = read
  if (errors.length > 0 || typeof values.cursor !== 'string') return read
  const position = cursors.read(values.cursor, queryKeyOf({ operation, values, id }))
  if (position === undefined) return { ...read, errors: [cursorError] }
  return { ...read, values: { ...values, page: position.page }, position }
}

/** Sends any answer other than 200. */
function sendProblem(
  { status, studio_id: studioId }: OperationRow,
  position: ReadCursor | null,
  response: Response,
  { problems, cursors }: HandlerOptions,
): boolean {
  if (status === 401 || studioId === null) problems.send(response, 'unauthenticated')
  else if (status === 403) problems.send(response, 'plan_required')
  else if (position && !cursors.isOf(position, studioId)) problems.send(response, 'invalid_parameter', [cursorError])
  else if (status === 404) problems.send(response, 'not_found')
  else if (status === 410) problems.send(response, 'removals_expired')
  else if (status !== 200) throw new Error(`the database answered with status ${status}`)
  else return false
  return true
}

function refuse(response: Response, problems: Problems, waitSeconds: number): void {
  response.setHeader('Retry-After', String(waitSeconds))
  problems.send(response, 'rate_limited')
}

/** Remembers the token's plan and studio for the next request. */
async function remember(
  { status, token_id: tokenId, studio_id: studioId, plan_tier: plan }: OperationRow,
  { token, client, remembered }: Caller,
  response: Response<unknown, RequestLocals>,
  limiter: Limiter,
): Promise<void> {
  if (status === 401 || tokenId === null || studioId === null) {
    // The row has a token if only its address was refused. The owner sees such requests.
    response.locals.tokenId = tokenId ?? undefined
    removeRateLimitFields(response)
    limiter.forget(token.key, client.key)
    // An unknown token's failure is already counted.
    if (remembered) await limiter.countFailure(client.key)
    return
  }
  response.locals.tokenId = tokenId
  limiter.remember(token.key, client.key, { tokenId, studioId, plan })
}
