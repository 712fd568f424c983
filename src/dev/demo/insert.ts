import type { Transaction } from '../../database/session.ts'

/** The columns of a table that are written, with their types. */
export type Columns = Readonly<Record<string, string>>

/**
 * Inserts all rows of one studio into a table by one statement. A row's further properties are ignored, and the studio's
 * id is added. Table and columns come from this program, never from outside.
 */
export async function insertRows(
  transaction: Transaction,
  table: string,
  columns: Columns,
  studioId: string,
  rows: readonly object[],
): Promise<void> {
  if (rows.length === 0) return
  const names = Object.keys(columns).join(', ')
  const types = Object.entries(columns).map(([name, type]) => `${name} ${type}`)
  await transaction.query(
    `insert into ${table} (studio_id, ${names})
     select $1, ${names} from pg_catalog.json_to_recordset($2::json) as row (${types.join(', ')})`,
    [studioId, JSON.stringify(rows)],
  )
}
