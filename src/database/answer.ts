import { StatementFailed } from './errors.ts'
import type { Send, Statement } from './statement.ts'

/**
 * The row of type access.answer that every operation returns (`sql/access/functions/answer.sql` says what each field is).
 * `data` is JSON text, a Buffer when it is long; `total` a bigint as text; `last_at` and `watermark` are as PostgreSQL writes them.
 */
export type Answer = {
  status: number
  token_id: string | null
  plan_tier: string | null
  total: string | null
  data: string | Buffer | null
  photo_keys: string[] | null
  studio_id: string | null
  version: string | null
  last_at: string | null
  last_id: string | null
  has_more: boolean | null
  watermark: string | null
}

/**
 * Runs the one statement of an operation and returns its one row. The values are sent as parameters, never in the text.
 *
 * @throws DatabaseUnavailable when the database cannot be used (503), StatementFailed for anything else (500).
 */
export async function queryAnswer(
  pool: { query: Send },
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
