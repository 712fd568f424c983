import type { Socket } from 'node:net'
import { isUnavailable as isUnavailableNow, sqlState } from '../database/errors.ts'
import type { Pool } from '../database/pool.ts'
import { messageOf } from '../domain/text.ts'

/** The verified identity of the reader: a studio, and the user's id, the e-mail verified by the issuer, or an
 * analyst's login with the moment at which its identity was issued. */
export type Analyst = {
  studioId: string
  userId: string | null
  email: string | null
  login?: { name: string; issued: Date }
}

/** The analyst's current status in the database. 401: not a current member. 403: the plan includes no access. */
export type Admission = { status: 200 | 401 | 403; plan: string | null }

export type Rows = { rows: unknown[]; rowCount: number | null }

/** Runs one statement and waits for those before it. With `asArrays` rows are arrays in the order of the columns. */
export type RunStatement = (text: string, values?: readonly unknown[], asArrays?: boolean) => Promise<Rows>

/** Why statements failed: the value was not usable, it took too long, it returned too much, the database cannot be used, or something else. */
export type FailureKind = 'value' | 'time' | 'size' | 'unavailable' | 'other'

/** What one request may take: milliseconds for the whole transaction, and bytes that the database returns. */
export type Limits = { timeMs: number; bytes: number }

/** The transaction of an analyst failed. The message contains no value and no SQL. */
export class AnalysisFailed extends Error {
  override name = 'AnalysisFailed'
  readonly kind: FailureKind

  constructor(kind: FailureKind, message: string) {
    super(message)
    this.kind = kind
  }
}

/** Whether the database could not be used for the transaction of an analyst. */
export function isUnavailable(error: unknown): boolean {
  return error instanceof AnalysisFailed && error.kind === 'unavailable'
}

/** Lends a connection for one request of an analyst: one read-only transaction with one snapshot, in which
 * `access.open_analyst_session` (of a login: `access.open_login_session`) has checked the analyst and opened the
 * session of the studio. The connection goes back to the pool clean; after any failure, and on a timeout, it is
 * closed. The instrumentation sees one statement, named `graphql`: those in it have no names of their own. @param
 * pool the pool of studio_graphql @param limits in addition to the limit that the server enforces for each statement @param
 * work runs when the status is 200 @throws AnalysisFailed */
export function withAnalyst<Result>(
  pool: Pool,
  analyst: Analyst,
  limits: Limits,
  work: (run: RunStatement) => Promise<Result>,
): Promise<Analysed<Result>> {
  return pool.instrumented('graphql', () => lendTo(pool, analyst, limits, work))
}

type Analysed<Result> = { admission: Admission; result: Result | undefined }

async function lendTo<Result>(
  pool: Pool,
  analyst: Analyst,
  limits: Limits,
  work: (run: RunStatement) => Promise<Result>,
): Promise<Analysed<Result>> {
  const client = await pool.connect().catch((error: unknown) => {
    throw failureOf(error)
  })
  let failure: AnalysisFailed | undefined
  let released = false
  const letGo = (broken: boolean) => {
    if (!released) client.release(broken)
    released = true
  }
  const cut = (kind: FailureKind, message: string) => {
    failure ??= new AnalysisFailed(kind, message)
    letGo(true)
  }
  const timer = setTimeout(() => cut('time', 'the request takes longer than it may'), limits.timeMs)
  const stopCounting = countBytes(client, limits.bytes, () => cut('size', 'the request returns more than it may'))
  client.on('error', ignore)

  let last: Promise<unknown> = Promise.resolve()
  const run: RunStatement = (text, values = [], asArrays = false) => {
    const next = last.then(async () => {
      if (failure !== undefined) throw failure
      try {
        const query = { text, values: [...values], ...(asArrays && { rowMode: 'array' as const }) }
        const { rows, rowCount } = await client.query(query)
        return { rows: rows as unknown[], rowCount }
      } catch (error) {
        // The first failure is the cause; what follows in a broken transaction is not.
        failure ??= failureOf(error)
        throw failure
      }
    })
    last = next.catch(ignore)
    return next
  }

  try {
    await run('begin transaction isolation level repeatable read read only')
    const admission = await admit(run, analyst)
    const result = admission.status === 200 ? await work(run) : undefined
    await last
    if (failure !== undefined) throw failure
    await run('commit')
    return { admission, result }
  } catch (error) {
    failure ??= new AnalysisFailed('other', messageOf(error))
    throw failure
  } finally {
    clearTimeout(timer)
    stopCounting()
    client.off('error', ignore)
    letGo(failure !== undefined)
  }
}

type PoolClient = Awaited<ReturnType<Pool['connect']>>

/** Watches what a connection receives. Rows are in memory as they come, so the limit applies before there is a result. */
function countBytes(client: PoolClient, most: number, exceeded: () => void): () => void {
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection
  let bytes = 0
  const count = (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > most) exceeded()
  }
  stream.on('data', count)
  return () => stream.off('data', count)
}

async function admit(run: RunStatement, { studioId, userId, email, login }: Analyst): Promise<Admission> {
  const { rows } = login
    ? await run('select status, plan_tier as plan from access.open_login_session($1, $2, $3)', [
        studioId,
        login.name,
        login.issued,
      ])
    : await run('select status, plan_tier as plan from access.open_analyst_session($1, $2, $3)', [
        studioId,
        userId,
        email,
      ])
  return rows[0] as Admission
}

/** Lends a connection for reading the catalog, without any studio: no row is seen through it. */
export async function readCatalog<Result>(pool: Pool, work: (run: RunStatement) => Promise<Result>): Promise<Result> {
  const client = await pool.connect()
  let broken = true
  client.on('error', ignore)
  try {
    const result = await work(async (text, values = [], asArrays = false) => {
      const query = { text, values: [...values], ...(asArrays && { rowMode: 'array' as const }) }
      const { rows, rowCount } = await client.query(query)
      return { rows: rows as unknown[], rowCount }
    })
    broken = false
    return result
  } finally {
    client.off('error', ignore)
    client.release(broken)
  }
}

const statementTimeout = '57014'

function failureOf(error: unknown): AnalysisFailed {
  const state = sqlState(error)
  const message = messageOf(error)
  if (state === statementTimeout || message === 'Query read timeout') {
    return new AnalysisFailed('time', 'a statement takes longer than it may')
  }
  if (isUnavailableNow(error))
    return new AnalysisFailed('unavailable', `the database cannot be used: ${state ?? message}`)
  if (state?.startsWith('22')) return new AnalysisFailed('value', `SQLSTATE ${state}`)
  return new AnalysisFailed('other', `SQLSTATE ${state ?? 'none'}`)
}

function ignore(): void {}
