import type { Socket } from 'node:net'
import { isUnavailable, sqlState } from '../database/errors.ts'
import type { Pool } from '../database/pool.ts'
import { messageOf } from '../domain/text.ts'

/** The verified identity of the reader: a studio, and a user id, an e-mail address that the
 * issuer verified, or an analyst's login and when its identity was issued. */
export type Analyst = {
  studioId: string
  userId: string | null
  email: string | null
  login?: { name: string; issued: Date }
}

/** The analyst's status now. 401: not a current member. 403: the plan includes no access. */
export type Admission = { status: 200 | 401 | 403; plan: string | null }

type Rows = { rows: unknown[]; rowCount: number | null }

/** Runs one statement after the previous ones. `asArrays`: rows are arrays in column order. */
export type RunStatement = (text: string, values?: readonly unknown[], asArrays?: boolean) => Promise<Rows>

/** Why a statement failed: bad value, time, size of the result, no database, or else. */
type FailureKind = 'value' | 'time' | 'size' | 'unavailable' | 'other'

/** The limits of a request: milliseconds of its transaction, and bytes from the database. */
type Limits = { timeMs: number; bytes: number }

/** An analyst's transaction failed. The message contains no value and no SQL. */
export class AnalysisFailed extends Error {
  override name = 'AnalysisFailed'
  readonly kind: FailureKind

  constructor(kind: FailureKind, message: string) {
    super(message)
    this.kind = kind
  }
}

/** Lends a connection for one request: a read-only transaction with one snapshot.
 * `access.open_analyst_session`, or `access.open_login_session` for a login, checks the analyst
 * and opens the studio's session. Any failure or timeout closes the connection. The
 * instrumentation sees one statement, named `graphql`.
 * @param pool the pool of studio_graphql
 * @param limits in addition to the server's limit for each statement
 * @param work runs when the status is 200
 * @throws AnalysisFailed */
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

  let last: Promise<unknown> = Promise.resolve()
  const run: RunStatement = (text, values = [], asArrays = false) => {
    const next = last.then(async () => {
      if (failure !== undefined) throw failure
      try {
        const query = { text, values: [...values], ...(asArrays && { rowMode: 'array' as const }) }
        const { rows, rowCount } = await client.query(query)
        return { rows: rows as unknown[], rowCount }
      } catch (error) {
        // The first failure is the cause of all that follow in the transaction.
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
    letGo(failure !== undefined)
  }
}

type PoolClient = Awaited<ReturnType<Pool['connect']>>

/** Counts the bytes that a connection receives. Rows fill memory before the result is there. The
 * socket is private: pg's option `stream` gives the one below TLS, which shows no data. */
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

const statementTimeout = '57014'

function failureOf(error: unknown): AnalysisFailed {
  const state = sqlState(error)
  const message = messageOf(error)
  if (state === statementTimeout || message === 'Query read timeout') {
    return new AnalysisFailed('time', 'a statement takes longer than it may')
  }
  if (isUnavailable(error)) return new AnalysisFailed('unavailable', `the database cannot be used: ${state ?? message}`)
  if (state?.startsWith('22')) return new AnalysisFailed('value', `SQLSTATE ${state}`)
  return new AnalysisFailed('other', `SQLSTATE ${state ?? 'none'}`)
}

function ignore(): void {}
