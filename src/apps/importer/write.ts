import { type Kind, targetOf } from './kinds/kind.ts'
import type { FileLayout } from './layout.ts'

const own = 'studio_id = (select access.current_studio_id())'

/** The statements that write the rows of the staging table: all new ones at once, then all changed ones at once. */
export function writing(kind: Kind, layout: FileLayout): string[] {
  return [...(kind.release?.(layout) ?? []), insert(kind, layout), update(kind, layout)]
}

function insert(kind: Kind, layout: FileLayout): string {
  // Rows of a file can name each other as parents: they bring their ids.
  const ids = layout.columns.some((column) => column.refersTo === kind.table) ? ['id'] : []
  const targets = [...ids, ...layout.columns.map(targetOf)]
  return `insert into app.${kind.table} (studio_id, ${targets.join(', ')})
    select (select access.current_studio_id()), ${targets.map((target) => `r.${target}`).join(', ')}
    from pg_temp.import_rows r where r.change = 'new' order by r.line`
}

function update(kind: Kind, layout: FileLayout): string {
  const targets = layout.columns.map(targetOf).filter((target) => target !== 'item_id' || kind.key !== 'item')
  if (targets.length === 0) return 'select'
  const id = kind.key === 'item' ? 'item_id' : 'id'
  return `update app.${kind.table} as existing set ${targets.map((target) => `${target} = r.${target}`).join(', ')}
    from pg_temp.import_rows r where r.change = 'changed' and existing.${own} and existing.${id} = r.existing_id`
}
