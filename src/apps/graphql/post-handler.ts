import type { RequestHandler, Response } from 'express'
import { addressKey } from '../../auth/address.ts'
import type { Limiter } from '../../auth/limiter.ts'
import { type Analyst, withAnalyst } from '../../database/analyst-transaction.ts'
import type { Pool } from '../../database/pool.ts'
import { occurrences } from '../../http/message.ts'
import { removeRateLimitFields, setRateLimitFields } from '../../http/rate-limit-fields.ts'
import { requestIdOf } from '../../http/response.ts'
import type { Logger } from '../../observability/log.ts'
import { Refused, refusalOf } from './errors.ts'
import { checkAnswer, executePrepared, prepare, readRequest } from './execute.ts'
import type { Identify } from './identity.ts'
import { limits } from './limits.ts'
import { BodyRefused, readBody, sendAnswer, sendRefusal, sendResult } from './responses.ts'
import type { BuiltSchema } from './schema.ts'
import { Abandoned, Busy, type Shares } from './shares.ts'

export type ServeDependencies = {
  /** The pool of studio_graphql. */
  pool: Pool
  identify: Identify
  limiter: Limiter
  /** The schema, once it could be built. */
  built(): BuiltSchema | undefined
  /** How long one request may keep its connection, in milliseconds. */
  timeLimitMs: number
  /** Shares the connections and the memory between persons. */
  shares: Shares
  log: Logger
}

/**
 * Makes the handler of `POST /graphql`. A request passes, in this order: the identity (401; 429 when its address failed too
 * often), the rate limit of its person (429), the body (413, 415, 400), its turn (503), the limits and the schema (400), and then one
 * transaction that checks membership and plan (401, 403) and reads the data.
 *
 * Serves: "The studio comes from the verified identity alone; headers, variables and settings change nothing."
 *
 * @throws AnalysisFailed, IssuerUnavailable and whatever is our fault
 */
export function serveGraphql(dependencies: ServeDependencies): RequestHandler {
  const { pool, identify, limiter, built, timeLimitMs, shares, log } = dependencies

  return async (request, response) => {
    const analyst = occurrences(request, 'authorization') === 1 ? await identify(request.headers.authorization) : null
    const from = addressKey(request.ip)
    // A verified identity is no guess: what others try from the same address is no reason to refuse it.
    if (analyst === null) {
      const { retryAfterSeconds } = await limiter.guess(from, async () => false)
      return retryAfterSeconds > 0 ? refuseForNow(response, retryAfterSeconds) : unauthenticated(response)
    }
    const key = keyOf(analyst)
    const { retryAfterSeconds, allowances } = await limiter.admit(key)
    setRateLimitFields(response, allowances)
    if (retryAfterSeconds > 0) return refuseForNow(response, retryAfterSeconds)

    const schema = built()
    if (schema === undefined) return sendRefusal(response, 'unavailable')

    let endTurn = () => {}
    try {
      const given = readRequest(jsonOf(await readBody(request)))
      endTurn = await shares.enter(key, signalOf(response))
      const prepared = prepare(schema, given)
      const hidden = (cause: unknown) =>
        log.error({ request_id: requestIdOf(response), reason: String(cause) }, 'an error was not shown')
      const limit = { timeMs: timeLimitMs, bytes: limits.answerBytes }
      const { admission, result } = await withAnalyst(pool, analyst, limit, (run) =>
        executePrepared(schema, prepared, run, hidden),
      )
      if (admission.status === 401) {
        limiter.forget(key, from)
        return unauthenticated(response)
      }
      limiter.remember(key, from, { tokenId: '', studioId: analyst.studioId, plan: admission.plan })
      if (result === undefined) return sendRefusal(response, 'plan_required')
      if (result instanceof Refused) throw result
      checkAnswer(prepared, result)
      await sendResult(response, result)
    } catch (error) {
      if (error instanceof BodyRefused) return refuseBody(response, error)
      if (error instanceof Abandoned) return
      if (error instanceof Busy) return sendRefusal(response, 'busy')
      const refused = refusalOf(error)
      if (refused === undefined) throw error
      sendRefused(response, refused)
    } finally {
      // An answer is in memory until its client has read it.
      if (response.writableEnded && !response.writableFinished && !response.closed) response.once('close', endTurn)
      else endTurn()
    }
  }
}

/** One person in one studio, for counting. */
function keyOf({ studioId, userId, email, login }: Analyst): string {
  return `graphql:${studioId}:${login?.name ?? userId ?? email?.toLowerCase()}`
}

function unauthenticated(response: Response): void {
  removeRateLimitFields(response)
  sendRefusal(response, 'unauthenticated')
}

function refuseForNow(response: Response, waitSeconds: number): void {
  response.setHeader('Retry-After', String(waitSeconds))
  sendRefusal(response, 'rate_limited')
}

/** Aborts when a response is closed: before it was answered, because its client left. */
function signalOf(response: Response): AbortSignal {
  const left = new AbortController()
  if (response.closed) left.abort()
  else response.once('close', () => left.abort())
  return left.signal
}

/** What is left of a body that is not taken is not waited for. */
function refuseBody(response: Response, { code }: BodyRefused): void {
  response.setHeader('Connection', 'close')
  sendRefusal(response, code)
}

function sendRefused(response: Response, { status, errors }: Refused): void {
  sendAnswer(response, status, { errors })
}

/** Undefined for what is no JSON: `readRequest` says what is expected. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
