import type { Kind } from './kinds/kind.ts'

/** Live rows with an external key that the file does not have. Rows without a key were not imported and stay. */
const missing = `
  existing.studio_id = (select access.current_studio_id())
  and existing.archived_at is null and existing.external_key is not null
  and not exists (select from pg_temp.import_rows r where r.external_key = existing.external_key)`

/** Counts what the file no longer has. */
export function countMissing(kind: Kind): string {
  return `select count(*)::integer as rows from app.${kind.table} as existing where ${missing}`
}

/** Archives it, and counts it. */
export function archiveMissing(kind: Kind): string {
  return `
    with gone as (
      update app.${kind.table} as existing set archived_at = pg_catalog.now() where ${missing} returning 1
    )
    select count(*)::integer as rows from gone`
}
