import type { Answer } from '../database/answer.ts'
import { createBatch, type Send } from '../database/batch.ts'
import type { Pool } from '../database/pool.ts'
import type { Replicas } from '../database/replicas.ts'
import type { Operation } from './operation.ts'
import { operations } from './operations.ts'
import { type Request, type Statements, statementsOf } from './statements.ts'

/**
 * Authenticates a token and reads what its operation asks for.
 *
 * @throws DatabaseUnavailable, StatementFailed
 */
export type Read = (operation: Operation, request: Request) => Promise<Answer>

/**
 * One statement on the primary authenticates and reads; under load it does so for a batch of requests. Where the cache has an
 * answer it is likely that nothing is to be read: then the token and the validator are checked first, in a batch of their own.
 */
export function readFromPrimary(primary: Pool): Read {
  const authenticate = createAuthentication(primary)
  const query = createQueries(primary)
  return async (operation, request) => {
    if (request.validator !== null) {
      const authenticated = await authenticate(request.digest, request.validator)
      if (authenticated.status !== 200) return authenticated
    }
    return query(operation, request)
  }
}

/**
 * The primary authenticates, a replica reads. The primary tells the version of this moment with the authentication; an answer of
 * the replica counts only when it has that version, and so is what the primary would answer, however far the replica lags.
 * Whatever else a replica answers or fails with, the primary is queried as if there were none.
 */
export function readFromReplicas(primary: Pool, replicas: Pick<Replicas, 'query'>): Read {
  const authenticate = createAuthentication(primary)
  const query = createQueries(primary)
  return async (operation, request) => {
    const authenticated = await authenticate(request.digest, request.validator)
    if (authenticated.status !== 200) return authenticated
    const { one, values } = statementsFor(operation)
    const answer = await replicas.query(
      one,
      values(request),
      ({ status, version, token_id, plan_tier }) =>
        (status === 200 || status === 404) &&
        version !== null &&
        version === authenticated.version &&
        token_id === authenticated.token_id &&
        plan_tier === authenticated.plan_tier,
    )
    return answer ?? query(operation, request)
  }
}

/**
 * Authenticates tokens, each with the version that the cache has of its studio: status 200, 304, 401 or 403, and no data. One
 * statement at a time takes all requests that came meanwhile; two would each take fewer, for the same price.
 */
function createAuthentication(primary: Pool): Send<Answer> {
  const many = { name: 'access.authenticate_tokens', text: 'select * from access.authenticate_tokens($1, $2)' }
  return createBatch(primary, { name: many.name, many, concurrency: 1, maxSize: 100 })
}

/**
 * Runs the statements of the operations. A few requests share one, and one connection is left to the others: what takes long
 * holds up no more than those.
 */
function createQueries(primary: Pool): Read {
  const concurrency = Math.max(1, primary.maxConcurrency - 1)
  const batches = new Map<Operation, Send<Answer>>()
  for (const operation of operations) {
    const { one, many } = statementsFor(operation)
    batches.set(operation, createBatch(primary, { name: one.name, one, many, concurrency, maxSize: 4 }))
  }
  return (operation, request) => {
    const send = batches.get(operation)
    if (send === undefined) throw new Error(`${operation.id} is no operation of the API`)
    return send(...statementsFor(operation).values(request))
  }
}

const statements = new Map(operations.map((operation) => [operation, statementsOf(operation)]))

function statementsFor(operation: Operation): Statements {
  return statements.get(operation) ?? statementsOf(operation)
}
