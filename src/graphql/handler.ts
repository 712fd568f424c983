import { finished } from 'node:stream/promises'
import type { RequestHandler, Response } from 'express'
import { LRUCache } from 'lru-cache'
import pLimit, { type LimitFunction } from 'p-limit'
import type { Limiter } from '../auth/limiter.ts'
import type { Pool } from '../database/pool.ts'
import { addressKey } from '../http/address.ts'
import { occurrences } from '../http/message.ts'
import { idsOf } from '../http/request-log.ts'
import { removeRateLimitFields, setRateLimitFields } from '../http/response.ts'
import type { Logger } from '../log.ts'
import { type Analyst, withAnalyst } from './analyst-transaction.ts'
import { Declined, Refused, readBody, refusalOf, sendErrors, sendRefusal, sendResult } from './answers.ts'
import { checkAnswer, executePrepared, prepare, readRequest } from './execute.ts'
import type { Identify } from './identity.ts'
import { limits } from './limits.ts'
import type { BuiltSchema } from './schema.ts'

export type HandlerDependencies = {
  pool: Pool
  identify: Identify
  limiter: Limiter
  /** The schema, or undefined until it is built. */
  built(): BuiltSchema | undefined
  /** How long a request may keep its connection, in milliseconds. */
  timeLimitMs: number
  log: Logger
}

/** How many requests of a person may wait. */
const maxWaiting = 20

/** How many persons to count. */
const maxPersons = 10_000

/** Makes the handler of `POST /graphql`. It checks, in this order: identity (401; 429 after too
 * many failures from the address), rate limit (429), body (413, 415, 400), turn (503), limits
 * and schema (400). One transaction then checks membership and plan (401, 403) and reads the
 * data.
 * Serves: "The studio comes from the verified identity alone; headers, variables and settings
 * change nothing."
 * @throws AnalysisFailed, IssuerUnavailable and errors of the service */
export function answerQueries(dependencies: HandlerDependencies): RequestHandler {
  const { pool, identify, limiter, built, timeLimitMs, log } = dependencies
  const turnOf = createTurns(Math.max(1, Math.floor(pool.maxConcurrency / 2)))

  async function answer(response: Response, schema: BuiltSchema, analyst: Analyst, body: unknown): Promise<void> {
    const prepared = prepare(schema, readRequest(body))
    const hidden = (cause: unknown) =>
      log.error({ ...idsOf(response), reason: String(cause) }, 'an error was not shown')
    const most = { timeMs: timeLimitMs, bytes: limits.answerBytes }
    const { admission, result } = await withAnalyst(pool, analyst, most, (run) =>
      executePrepared(schema, prepared, run, hidden),
    )
    const [key, from] = [keyOf(analyst), addressKey(response.req.ip)]
    if (admission.status === 401) {
      limiter.forget(key, from)
      return unauthenticated(response)
    }
    limiter.remember(key, from, { tokenId: '', studioId: analyst.studioId, plan: admission.plan })
    if (result === undefined) return sendRefusal(response, 'plan_required')
    if (result instanceof Refused) throw result
    checkAnswer(prepared, result)
    await sendResult(response, result)
  }

  return async (request, response) => {
    const analyst = occurrences(request, 'authorization') === 1 ? await identify(request.headers.authorization) : null
    // Nobody guesses a verified identity, so others' failures at its address do not count.
    if (analyst === null) {
      const { retryAfterSeconds } = await limiter.admitUnknown(addressKey(request.ip), async () => false)
      if (retryAfterSeconds > 0) return refuseForNow(response, retryAfterSeconds)
      const isApiToken = /^bearer +svc_/i.test(request.headers.authorization ?? '')
      return isApiToken ? sendRefusal(response, 'api_token') : unauthenticated(response)
    }
    const key = keyOf(analyst)
    const { retryAfterSeconds, allowances } = await limiter.admit(key)
    setRateLimitFields(response, allowances)
    if (retryAfterSeconds > 0) return refuseForNow(response, retryAfterSeconds)
    const schema = built()
    if (schema === undefined) return sendRefusal(response, 'unavailable')

    try {
      const body = jsonOf(await readBody(request))
      await turnOf(key, async () => {
        if (response.closed) return
        await answer(response, schema, analyst, body)
        // The answer stays in memory until the client has read it.
        await finished(response).catch(() => undefined)
      })
    } catch (error) {
      if (error instanceof Declined) return sendRefusal(response, error.code)
      const refused = refusalOf(error)
      if (refused === undefined) throw error
      sendErrors(response, 400, refused.errors)
    }
  }
}

/** Limits how many requests of one person run at a time, so that others find connections. The
 * rest wait.
 * @throws Declined when too many wait */
function createTurns(perPerson: number): (person: string, work: () => Promise<void>) => Promise<void> {
  const persons = new LRUCache<string, LimitFunction>({ max: maxPersons })
  return (person, work) => {
    const turns = persons.get(person) ?? pLimit(perPerson)
    persons.set(person, turns)
    if (turns.pendingCount >= maxWaiting) throw new Declined('busy')
    return turns(work)
  }
}

/** Counts by person and studio. */
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

/** Undefined for invalid JSON: `readRequest` reports what is expected. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
