import type { Transaction } from '../database/session.ts'
import { type FileLayout, type Kind, rowsOf, targetOf } from './kinds/kind.ts'

/** A change by an import: a new row (column null), or a column of a row. PostgreSQL's values. */
export type Change = {
  line: number
  /** The key of the row, or of its item. */
  key: string
  column: string | null
  before: string | null
  after: string | null
}

/** How many changes to show. */
const shownChanges = 50

/** Reads the first changes of an import: new rows and changed columns, in the file's order. */
export function readChanges(transaction: Transaction, kind: Kind, layout: FileLayout): Promise<Change[]> {
  const name = layout.columns.find((column) => ['name', 'title'].includes(column.name))
  const columns = layout.columns
    .filter((column) => column.name !== kind.key)
    .map((column) => {
      const target = targetOf(column)
      // Shows references as the file writes them.
      const values = column.refersTo ? ['null', `r.${column.name}`] : [`existing.${target}::text`, `r.${target}::text`]
      return `('${column.name}', existing.${target}::text is distinct from r.${target}::text, ${values.join(', ')})`
    })
  const changed =
    columns.length === 0
      ? ''
      : `union all
         select r.line::integer, r.${kind.key}, d.name, d.before, d.after
         from ${rowsOf(kind)}
         cross join lateral (values ${columns.join(', ')}) as d (name, differs, before, after)
         where r.change = 'changed' and d.differs`
  return transaction.query<Change>(
    `select c.line, c.key, c."column", c.before, c.after from (
       select r.line::integer as line, r.${kind.key} as key, null as "column", null as before,
         ${name ? `r.${targetOf(name)}` : 'null'} as after
       from pg_temp.import_rows r where r.change = 'new'
       ${changed}
     ) as c
     order by c.line, c."column" nulls first limit ${shownChanges}`,
  )
}
