import { type Authenticate, type Authenticated, createAuthentication } from '../auth/authentication.ts'
import { createGuessFilter } from '../auth/guess-filter.ts'
import { type OperationRow, queryOperation } from '../database/operation-row.ts'
import type { Pool } from '../database/pool.ts'
import type { Replicas } from '../database/replicas.ts'
import type { Activity } from '../http/request-log.ts'
import type { Cache } from './cache.ts'
import { type ListRequest, listStatement, type Prepared } from './list-statement.ts'
import type { ListSource, Operation } from './operation.ts'
import type { Values } from './parameters.ts'

/** A null address is unknown. `studioId` is that of the token's last authentication. */
type ReadRequest = Omit<ListRequest, 'session'> & {
  digest: Buffer
  address: string | null
  studioId?: string | undefined
}

/** The pools of studio_api, so that no request waits for work of another kind. */
type ReadPools = {
  api: Pool
  /** Authenticates, and reads no data. */
  authentication: Pool
  /** Computes something of every item of a studio. */
  allItems: Pool
}

/** Authenticates a token and reads, but reads nothing if `knownVersion`, that of the client or
 * the cache, is current.
 * @throws DatabaseUnavailable, StatementFailed */
type Read = (
  operation: Operation,
  request: ReadRequest,
  knownVersion: string | undefined,
) => Promise<{ row: Readonly<OperationRow>; isUnchanged: boolean }>

/** One statement on the primary authenticates and reads, in the turn of the token's studio. With a
 * known version, replicas or an unknown studio, it first authenticates, together with other
 * requests. A replica's answer counts only at the version that the primary has found, so it equals
 * the primary's. */
function createRead(
  { api, allItems }: Pick<ReadPools, 'api' | 'allItems'>,
  authenticate: Authenticate,
  replicas?: Pick<Replicas, 'query'>,
): Read {
  return async (operation, request, knownVersion) => {
    const isAtOnce = knownVersion === undefined && replicas === undefined && request.studioId !== undefined
    const authenticated = isAtOnce ? undefined : await authenticate(request.digest, request.address)
    const isUnchanged = authenticated?.status === 200 && authenticated.version === knownVersion
    if (authenticated && (isUnchanged || authenticated.status !== 200)) return { row: authenticated, isUnchanged }

    const { statement, values } = statementFor(operation, request)
    const { ofAllItems } = operation.list ? sourceOf(operation.list, request.values) : operation
    const primary = ofAllItems ? allItems : api
    const fromPrimary = () => queryOperation(primary, statement, values)
    if (!authenticated) return { row: await primary.inShare(String(request.studioId), fromPrimary), isUnchanged }
    const isCurrent = (row: OperationRow) => isOfState(row, authenticated)
    const fromReplica = () => replicas?.query(statement, values, isCurrent, fromPrimary) ?? fromPrimary()
    // A replica has less time for a statement than all items take.
    const row = await primary.inShare(String(authenticated.studio_id), ofAllItems ? fromPrimary : fromReplica)
    return { row, isUnchanged }
  }
}

function isOfState({ status, version, token_id, plan_tier }: OperationRow, authenticated: Authenticated): boolean {
  return (
    (status === 200 || status === 404) &&
    version !== null &&
    version === authenticated.version &&
    token_id === authenticated.token_id &&
    plan_tier === authenticated.plan_tier
  )
}

/** An operation's statement: a list's query, or a call of the function that reads a resource. */
export function statementFor(operation: Operation, request: ReadRequest): Prepared {
  const { id, list, path } = operation
  const values: unknown[] = [request.digest, request.address]
  const name = `api_v1.${id}`
  if (list !== undefined) {
    const session = { opens: 'access.open_session($1::bytea, $2::inet)', values }
    return listStatement(name, sourceOf(list, request.values), { ...request, session })
  }
  const token = 'token_digest => $1, client_address => $2'
  const given = Object.keys(operation.parameters).map(
    (parameter) => `"${parameter}" => $${values.push(request.values[parameter])}`,
  )
  if (path.includes('{id}')) given.push(`id => $${values.push(request.id)}`)
  return { statement: { name, text: `select * from ${name}(${[token, ...given].join(', ')})` }, values }
}

const sourceOf = (list: ListSource, values: Values) => (list.otherwise && values.on !== null ? list.otherwise : list)

export type Reading = ReturnType<typeof createReading>

/** The API's access to the database. `record` must not throw. */
export function createReading(given: {
  pools: ReadPools
  replicas?: Replicas | undefined
  cache: Cache
  record(activity: Activity): void
}) {
  const { pools, replicas, ...others } = given
  const authenticate = createAuthentication(pools.authentication)
  const wasIssued = createGuessFilter(pools.authentication)
  return { ...others, authenticate, read: createRead(pools, authenticate, replicas), wasIssued }
}
