import { StatementFailed } from './errors.ts'
import type { Pool } from './pool.ts'
import type { Statement } from './statement.ts'

/** The row of every operation (`sql/access/functions/answer.sql`). Lists have `total` (a
 * bigint), `has_more` and the last row's key; items have `photo_keys`. Times are PostgreSQL's. */
export type Answer = {
  status: number
  token_id: string | null
  studio_id: string | null
  plan_tier: string | null
  version: string | null
  watermark: string | null
  data?: string | null
  photo_keys?: string[] | null
  total?: string | null
  has_more?: boolean | null
  last_at?: string | null
  last_id?: string | null
}

/** Runs an operation's statement: one row. @throws DatabaseUnavailable, StatementFailed */
export async function queryAnswer(
  pool: Pick<Pool, 'query'>,
  statement: Statement,
  values: readonly unknown[],
): Promise<Answer> {
  const rows = await pool.query<Answer>(statement, values)
  const answer = rows[0]
  if (answer === undefined || rows.length > 1) {
    throw new StatementFailed(statement.name, undefined, `expected one row, got ${rows.length}`)
  }
  return answer
}
