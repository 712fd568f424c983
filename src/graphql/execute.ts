import { finished } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Response } from 'express'
import type { PgClient } from 'postgraphile/@dataplan/pg'
import { type DocumentNode, type ExecutionResult, type GraphQLError, getOperationAST } from 'postgraphile/graphql'
import type { Limiter } from '../auth/limiter.ts'
import { createShares, type Pool } from '../database/pool.ts'
import { addressKey } from '../http/address.ts'
import { acceptedEncoding, createBody, smallestCompressed, varyByEncoding } from '../http/compression.ts'
import { idsOf } from '../http/request-log.ts'
import type { Logger } from '../log.ts'
import { type Admission, type Analyst, type RunStatement, withAnalyst } from './analyst-transaction.ts'
import { declined, maskedError, Refused } from './answers.ts'
import { keyOf, type Locals } from './identity.ts'
import { checkGroups, checkSize, fragmentsOf, limits } from './limits.ts'

type ExecutionOptions = {
  pool: Pool
  limiter: Limiter
  /** How long a request may keep its connection, in milliseconds. */
  timeLimitMs: number
  log: Logger
}

/** How many requests of a person, and of a studio, may wait, and for how many milliseconds. */
const [waiting, waitMs] = [20, 10_000]

/** A plan that took longer than this, in milliseconds, makes its turn last so many times as long again. */
const [longPlanMs, restTimes] = [50, 4]

/** Executes a checked query in the person's turn (429) and in one transaction, which checks
 * membership and plan (401, 403) before it reads the data. Grafserv would answer a failure with
 * its message and no status of ours, so the failure waits in `response.locals` until Grafserv has
 * its result, and Express's error handler then answers instead. */
export function executionPlugin({ pool, limiter, timeLimitMs, log }: ExecutionOptions): GraphileConfig.Plugin {
  const inTurn = createTurns(pool)
  const most = { timeMs: timeLimitMs, bytes: limits.answerBytes }
  return {
    name: 'StudioInventoryExecution',
    version: '1.0.0',
    grafast: {
      middleware: {
        async execute(next, { args: { requestContext, contextValue, document, operationName } }) {
          const response = responseOf(requestContext)
          const { analyst } = response.locals
          try {
            const { admission, result } = await inTurn(analyst, response, () =>
              withAnalyst(pool, analyst, most, (run) => {
                Object.assign(contextValue as object, contextOf(run))
                const began = performance.now()
                const result = next() as Promise<ExecutionResult>
                // Grafast has planned the query now.
                response.locals.planMs = performance.now() - began
                return result
              }),
            )
            remember(limiter, response, admission)
            if (result === undefined) throw declined('plan_required')
            const hidden = (cause: unknown) =>
              log.error({ ...idsOf(response), reason: String(cause) }, 'an error was not shown')
            const errors = result.errors?.map((error) => maskedError(error, hidden))
            if (result.data === undefined) throw new Refused(errors ?? [])
            checkAnswer(document, operationName, result.data)
            // Grafserv sends these errors as they are.
            return { ...result, ...(errors && { errors: errors as object as GraphQLError[] }) }
          } catch (failure) {
            response.locals.failure = failure
            return { errors: [] }
          }
        },
      },
    },
    grafserv: {
      middleware: {
        async processRequest(next, { requestDigest: { path, requestContext } }) {
          const result = await next()
          if (path !== '/graphql' || result?.type !== 'buffer') return result
          const response = responseOf(requestContext)
          const { failure } = response.locals
          if (failure !== undefined) return { type: 'error', statusCode: 500, headers: {}, error: failure as Error }
          varyByEncoding(response)
          const { encoding, plain } = acceptedEncoding(response.req)
          if (encoding === null || (plain && result.buffer.length < smallestCompressed)) return result
          const buffer = await createBody(result.buffer).encoded(encoding)
          const headers = { 'content-encoding': encoding, 'content-length': String(buffer.length) }
          return { ...result, buffer, headers: { ...result.headers, ...headers } }
        },
      },
    },
  }
}

function responseOf(context: Partial<Grafast.RequestContext> | undefined): Response<unknown, Locals> {
  if (context?.expressv4 === undefined) throw new Error('a query came without its request')
  return context.expressv4.res as Response<unknown, Locals>
}

/** Tells the limiter the plan of the analyst's studio. @throws Refused */
function remember(limiter: Limiter, { locals, req }: Response<unknown, Locals>, { status, plan }: Admission): void {
  const [key, from] = [keyOf(locals.analyst), addressKey(req.ip)]
  if (status === 401) {
    limiter.forget(key, from)
    throw declined('unauthenticated')
  }
  limiter.remember(key, from, { tokenId: '', studioId: locals.analyst.studioId, plan })
}

/** Limits how many requests of one studio run at a time, so that the others find connections, and of
 * one person, so that colleagues do. The rest wait. A turn lasts until the client has read the
 * answer, which stays in memory as long. Nobody else is answered during a plan, so a studio whose
 * queries take long to plan rests between them.
 * @throws ShareExceeded when too many wait */
function createTurns({ maxConcurrency: connections, observer }: Pool) {
  const half = (of: number) => Math.max(1, Math.floor(of / 2))
  const refused = (studioId: string) => observer.refused(studioId)
  const studios = createShares({ running: half(connections), waiting, waitMs }, refused)
  const people = createShares({ running: half(half(connections)), waiting, waitMs }, refused)
  return <Result>(
    analyst: Analyst,
    response: Response<unknown, Locals>,
    work: () => Promise<Result>,
  ): Promise<Result> =>
    new Promise((resolve, reject) => {
      const turn = async () => {
        // A client that has left while it waited gets no answer.
        if (response.closed) throw declined('busy')
        await work().then(resolve, reject)
        await finished(response).catch(() => undefined)
        const { planMs = 0 } = response.locals
        if (planMs > longPlanMs) await sleep(restTimes * planMs, undefined, { ref: false })
      }
      const { studioId } = analyst
      people(studioId, () => studios(studioId, turn), keyOf(analyst)).catch(reject)
    })
}

/** The context of a request's plans: every statement runs in the request's one transaction. It
 * has set the studio, so a plan's settings are ignored. */
function contextOf(run: RunStatement) {
  const client: PgClient = {
    query: async <Data>({ text, values, arrayMode }: { text: string; values?: unknown[]; arrayMode?: boolean }) => {
      const { rows, rowCount } = await run(text, values, arrayMode)
      return { rows: rows as Data[], rowCount }
    },
    withTransaction: () => Promise.reject(new Error('there is one transaction for each request')),
  }
  const withPgClient = async (_settings: unknown, work: (client: PgClient) => unknown) => work(client)
  return { pgSettings: {}, withPgClient }
}

/** Refuses too large an answer. Its transaction has ended, so none waits. @throws TooMuch */
function checkAnswer(document: DocumentNode, operationName: string | null | undefined, data: unknown): void {
  const operation = getOperationAST(document, operationName)
  if (data === null || !operation) return
  checkGroups(fragmentsOf(document), operation.selectionSet, data)
  checkSize(data)
}
