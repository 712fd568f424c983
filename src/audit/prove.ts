import { withClient } from '../database/client.ts'
import { sqlState } from '../database/errors.ts'
import { type Attempt, literal } from './attempts.ts'

/** An attempt and its outcome. */
export type AttemptResult = {
  login: string
  statement: string
  /** `succeeded` and `undecided` (neither refused nor empty) are findings. */
  outcome: 'denied' | 'impossible' | 'nothing' | 'succeeded' | 'undecided'
  /** The server's reply. */
  answer: string
}

/** insufficient_privilege */
const refusal = '42501'

/** Nobody has the object that the statement names, or nobody can write it, such as a generated
 * column. */
const impossibilities = ['42703', '42883', '42P01', '3F000', '0A000', '55000', '428C9']

/** The proof's plans take up to ten times as long to compile as to run. */
export const uncompiled = 'set jit = off'

/** Tries each statement and rolls back. An error counts as an answer. @throws as connecting */
export async function tryAll(url: string, login: string, attempts: readonly Attempt[]): Promise<AttemptResult[]> {
  return withClient(url, async (client) => {
    await client.query(`${uncompiled}; set lock_timeout = '1s'; set statement_timeout = '30s'`)
    const tried: AttemptResult[] = []
    for (const attempt of attempts) {
      await client.query(['begin read write', ...attempt.before].join(';'))
      const result = await client.query(attempt.statement).then(
        ({ rows }) => outcomeOf(attempt, rows.length),
        (error: Error) => explain(error),
      )
      await client.query('rollback')
      tried.push({ login, statement: [...attempt.before, attempt.statement].join('; '), ...result })
    }
    return tried
  })
}

function outcomeOf({ expected }: Attempt, rows: number): Pick<AttemptResult, 'outcome' | 'answer'> {
  if (expected === 'empty' && rows === 0) return { outcome: 'nothing', answer: '0 rows' }
  return { outcome: 'succeeded', answer: rows === 1 ? '1 row' : `${rows} rows` }
}

function explain(error: Error): Pick<AttemptResult, 'outcome' | 'answer'> {
  const state = sqlState(error)
  // The connection is lost, so there are no more answers.
  if (state === undefined) throw error
  const outcome = state === refusal ? 'denied' : impossibilities.includes(state) ? 'impossible' : 'undecided'
  return { outcome, answer: `${state} ${error.message}` }
}

/** The attempts that should have failed. */
export function failures(tried: readonly AttemptResult[]): AttemptResult[] {
  return tried.filter(({ outcome }) => outcome === 'succeeded' || outcome === 'undecided')
}

/** Whether a view shows an analyst who claims another studio other rows. Compares digests. */
export async function tryForgeries(
  url: string,
  login: string,
  views: readonly string[],
  studios: readonly string[],
): Promise<AttemptResult[]> {
  return withClient(url, async (client) => {
    await client.query(`${uncompiled}; set statement_timeout = '5min'`)
    const digest = async (view: string) => {
      const { rows } = await client.query<{ rows: string; digest: string }>(
        `select pg_catalog.count(*) as rows,
           pg_catalog.md5(coalesce(pg_catalog.string_agg(v::pg_catalog.text, ' ' order by v::pg_catalog.text), '')) as digest
         from ${view} v`,
      )
      return rows[0] ?? { rows: '?', digest: '?' }
    }
    // With a broken rule a view may see two studios where it expects one row, and fail.
    const compare = async (view: string, forgery: string): Promise<Pick<AttemptResult, 'outcome' | 'answer'>> => {
      const own = await digest(view)
      await client.query(`begin; ${forgery}`)
      const seen = await digest(view)
      return seen.digest === own.digest
        ? { outcome: 'nothing', answer: `the same ${own.rows} rows as without it` }
        : { outcome: 'succeeded', answer: `${seen.rows} rows, others than without it` }
    }
    const tried: AttemptResult[] = []
    for (const view of views) {
      for (const studio of studios) {
        const forgery = `set local studio.id = ${literal(studio)}`
        const result = await compare(view, forgery).catch(explain)
        await client.query('rollback')
        tried.push({ login, statement: `${forgery}; select * from ${view}`, ...result })
      }
    }
    return tried
  })
}
