import type { Request, RequestHandler, Response } from 'express'
import { addressKey } from '../../auth/address.ts'
import type { Limiter } from '../../auth/limiter.ts'
import { type Analyst, withAnalyst } from '../../database/analyst-transaction.ts'
import type { Pool } from '../../database/pool.ts'
import { occurrences } from '../../http/message.ts'
import { removeRateLimitFields, setRateLimitFields } from '../../http/rate-limit-fields.ts'
import { requestIdOf } from '../../http/request-id.ts'
import type { Logger } from '../../observability/log.ts'
import { type Refused, refusalOf } from './errors.ts'
import { executePrepared, prepare, readRequest } from './execute.ts'
import type { Identify } from './identity.ts'
import { BodyRefused, readBody, sendAnswer, sendRefusal, sendResult } from './responses.ts'
import type { BuiltSchema } from './schema.ts'

export type ServeDependencies = {
  /** The pool of studio_graphql. */
  pool: Pool
  identify: Identify
  limiter: Limiter
  /** The schema, once it could be built. */
  built(): BuiltSchema | undefined
  /** How long one request may keep its connection, in milliseconds. */
  timeLimitMs: number
  log: Logger
}

/**
 * Makes the handler of `POST /graphql`. A request passes, in this order: the identity (401), the guard of its address
 * (429), the rate limit of its person (429), the body (413, 415, 400), the limits and the schema (400), and then one
 * transaction that checks membership and plan (401, 403) and reads the data.
 *
 * Serves: "The studio comes from the verified identity alone; headers, variables and settings change nothing."
 *
 * @throws AnalysisFailed, IssuerUnavailable and whatever is our fault
 */
export function serveGraphql(dependencies: ServeDependencies): RequestHandler {
  const { pool, identify, limiter, built, timeLimitMs, log } = dependencies

  return async (request, response) => {
    const analyst = occurrences(request, 'authorization') === 1 ? await identify(request.headers.authorization) : null
    const key = analyst && keyOf(analyst)
    const from = addressKey(request.ip)
    if (key === null || limiter.remembered(key, from) === undefined) {
      const wait = await limiter.waitOfAddress(from)
      if (wait > 0) return refuseForNow(response, wait)
    }
    if (analyst === null || key === null) return unauthenticated(request, response, limiter)

    const { retryAfterSeconds, allowances } = await limiter.admit(key)
    setRateLimitFields(response, allowances)
    if (retryAfterSeconds > 0) return refuseForNow(response, retryAfterSeconds)

    const schema = built()
    if (schema === undefined) return sendRefusal(response, 'unavailable')

    try {
      const prepared = prepare(schema, readRequest(jsonOf(await readBody(request))))
      const hidden = (cause: unknown) =>
        log.error({ request_id: requestIdOf(response), reason: String(cause) }, 'an error was not shown')
      const { admission, result } = await withAnalyst(pool, analyst, timeLimitMs, (run) =>
        executePrepared(schema, prepared, run, hidden),
      )
      if (admission.status === 401) {
        limiter.forget(key, from)
        return await unauthenticated(request, response, limiter)
      }
      limiter.remember(key, from, { tokenId: '', studioId: analyst.studioId, plan: admission.plan })
      if (result === undefined) return sendRefusal(response, 'plan_required')
      await sendResult(response, result)
    } catch (error) {
      if (error instanceof BodyRefused) return refuseBody(response, error)
      const refused = refusalOf(error)
      if (refused === undefined) throw error
      sendRefused(response, refused)
    }
  }
}

/** One person in one studio, for counting. */
function keyOf({ studioId, userId, email }: Analyst): string {
  return `graphql:${studioId}:${userId ?? email?.toLowerCase()}`
}

async function unauthenticated(request: Request, response: Response, limiter: Limiter): Promise<void> {
  removeRateLimitFields(response)
  await limiter.countFailure(addressKey(request.ip))
  sendRefusal(response, 'unauthenticated')
}

function refuseForNow(response: Response, waitSeconds: number): void {
  response.setHeader('Retry-After', String(waitSeconds))
  sendRefusal(response, 'rate_limited')
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
