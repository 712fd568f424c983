import { StatementFailed } from './errors.ts'
import type { Pool } from './pool.ts'
import type { Statement } from './statement.ts'

/** The row of every operation (`sql/access/functions/operation_row.sql`). Lists have `total` (a
 * bigint), `has_more` and the last row's key; items have `photo_keys`. Times are PostgreSQL's. */
export type OperationRow = {
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
export async function queryOperation(
  pool: Pick<Pool, 'query'>,
  statement: Statement,
  values: readonly unknown[],
): Promise<OperationRow> {
  const rows = await pool.query<OperationRow>(statement, values)
  const row = rows[0]
  if (row === undefined || rows.length > 1) {
    throw new StatementFailed(statement.name, undefined, `expected one row, got ${rows.length}`)
  }
  return row
}
