import { sqlState } from '../database/errors.ts'
import { type FileLayout, inSessionStudio, type Kind, targetOf } from './kinds/kind.ts'
import { Refused } from './row-errors.ts'

/** Statements that write all changed rows, in this order. */
export type Writing = readonly string[]

export function writing(kind: Kind, layout: FileLayout, ids: readonly string[]): Writing {
  const changed = update(kind, layout)
  return [...(kind.release?.(layout) ?? []), insert(kind, layout, ids), ...(changed === undefined ? [] : [changed])]
}

/** The column `id`, and what fills it, if rows can name each other as parents or their ids are made from keys. */
export function idsOf(kind: Kind, layout: FileLayout, from: string | undefined) {
  const made = from !== undefined && kind.key === 'external_key'
  const parents = layout.columns.some((column) => column.refersTo === kind.table)
  const digest = `md5('${from} ${kind.name} ' || r.external_key)`
  const id = `overlay(overlay(${digest} placing '4' from 13) placing '8' from 17)::uuid`
  return {
    columns: made || parents ? ['id'] : [],
    resolving: made ? [`update pg_temp.import_rows as r set id = ${id}`] : [],
  }
}

function insert(kind: Kind, layout: FileLayout, ids: readonly string[]): string {
  const targets = [...ids, ...layout.columns.map(targetOf)]
  return `insert into app.${kind.table} (studio_id, ${targets.join(', ')})
    select (select access.current_studio_id()), ${targets.map((target) => `r.${target}`).join(', ')}
    from pg_temp.import_rows r where r.change = 'new' order by r.line`
}

function update(kind: Kind, layout: FileLayout): string | undefined {
  const targets = layout.columns.map(targetOf).filter((target) => target !== 'item_id' || kind.key !== 'item')
  if (targets.length === 0) return undefined
  const id = kind.key === 'item' ? 'item_id' : 'id'
  return `update app.${kind.table} as existing set ${targets.map((target) => `${target} = r.${target}`).join(', ')}
    from pg_temp.import_rows r where r.change = 'changed' and existing.${inSessionStudio} and existing.${id} = r.existing_id`
}

/** Live rows with an external key that the file lacks. Rows without a key were not imported. */
const missing = `
  existing.studio_id = (select access.current_studio_id())
  and existing.archived_at is null and existing.external_key is not null
  and not exists (select from pg_temp.import_rows r where r.external_key = existing.external_key)`

export function countMissing(kind: Kind): string {
  return `select count(*)::integer as rows from app.${kind.table} as existing where ${missing}`
}

export function archiveMissing(kind: Kind): string {
  return `
    with gone as (
      update app.${kind.table} as existing set archived_at = pg_catalog.now() where ${missing} returning 1
    )
    select count(*)::integer as rows from gone`
}

/** The database refused rows that had passed every check. */
class RowsRefused extends Refused {
  override name = 'RowsRefused'
}

/** Integrity constraint violations, and the rules of a studio's plan. */
const ofRows = /^(?:23|SI)/

/** Every rule is checked before writing, so a refusal means that somebody else changed the
 * studio's rows meanwhile. Returns other errors unchanged. */
export function refusedRows(error: unknown): unknown {
  const state = sqlState(error)
  if (state === undefined || !ofRows.test(state)) return error
  return new RowsRefused(
    `the rows do not fit what the studio has by now, and nothing was written (${(error as Error).message})`,
    'Somebody else may have changed it meanwhile: import the file again.',
  )
}
