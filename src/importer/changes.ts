import type { Transaction } from '../database/session.ts'
import { type FileLayout, type Kind, rowsOf, targetOf } from './kinds/kind.ts'

/** One thing that an import would change: a new row (column null), or a column of an existing one. Values are as PostgreSQL writes them. */
export type Change = {
  line: number
  /** The key of the row: its external key, or that of its item. */
  key: string
  column: string | null
  before: string | null
  after: string | null
}

/** So many changes are shown. */
const shownChanges = 50

/** Reads the first changes of an import, new rows and changed columns, in the order of the file. */
export function readChanges(transaction: Transaction, kind: Kind, layout: FileLayout): Promise<Change[]> {
  const name = layout.columns.find((column) => ['name', 'title'].includes(column.name))
  const columns = layout.columns
    .filter((column) => column.name !== kind.key)
    .map((column) => {
      const target = targetOf(column)
      // What is referred to is shown as it is written in the file.
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
