import { type Answer, queryAnswer } from '../database/answer.ts'
import type { Pool } from '../database/pool.ts'
import { createQueue } from '../database/queue.ts'
import type { Replicas } from '../database/replicas.ts'
import { type Authenticate, createAuthentication } from './authentication.ts'
import type { Operation } from './operation.ts'
import { operations } from './operations.ts'
import { type OperationStatement, type Request, statementOf } from './statements.ts'

/**
 * Authenticates a token and reads what its operation asks for.
 *
 * @throws DatabaseUnavailable, StatementFailed
 */
export type Read = (operation: Operation, request: Request) => Promise<Readonly<Answer>>

/**
 * One statement of the request's own authenticates and reads, on the primary: one round trip. Where the cache has an answer it is
 * likely that nothing is to be read: then the token and the validator are checked first, in a batch with others.
 */
export function readFromPrimary(primary: Pool, authenticate: Authenticate = createAuthentication(primary)): Read {
  const query = createQueries(primary)
  return (operation, request) => {
    const { digest, validator, address } = request
    if (validator === null) return query(operation, request)
    return authenticate(digest, validator, address).then((authenticated) =>
      authenticated.status === 200 ? query(operation, request) : authenticated,
    )
  }
}

/**
 * The primary authenticates, a replica reads. The primary tells the version of this moment with the authentication; an answer of
 * the replica counts only when it has that version, and so is what the primary would answer, however far the replica lags.
 * Whatever else a replica answers or fails with, the primary is queried as if there were none.
 */
export function readFromReplicas(
  primary: Pool,
  replicas: Pick<Replicas, 'query'>,
  authenticate: Authenticate = createAuthentication(primary),
): Read {
  const query = createQueries(primary)
  return async (operation, request) => {
    const authenticated = await authenticate(request.digest, request.validator, request.address)
    if (authenticated.status !== 200) return authenticated
    const { statement, values } = statementFor(operation)
    return replicas.query(
      statement,
      values(request),
      ({ status, version, token_id, plan_tier }) =>
        (status === 200 || status === 404) &&
        version !== null &&
        version === authenticated.version &&
        token_id === authenticated.token_id &&
        plan_tier === authenticated.plan_tier,
      () => query(operation, request),
    )
  }
}

/** Runs the statements of the operations, each with one token. One connection is left to authentication. */
function createQueries(primary: Pool): Read {
  const query = createQueue(primary, { concurrency: Math.max(1, primary.maxConcurrency - 1), maxPipelined: 4 })
  return (operation, request) => {
    const { statement, values } = statementFor(operation)
    return queryAnswer({ query }, statement, values(request))
  }
}

const statements = new Map(operations.map((operation) => [operation, statementOf(operation)]))

function statementFor(operation: Operation): OperationStatement {
  return statements.get(operation) ?? statementOf(operation)
}
