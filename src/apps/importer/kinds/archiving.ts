import { yesNo } from '../cells.ts'
import type { Column, Layout } from './kind.ts'

/** The column by which rows are archived and brought back. */
export const archived: Column = {
  name: 'archived',
  cell: yesNo,
  target: 'archived_at',
  whenEmpty: 'false',
  description: 'Whether it is archived. Without the column rows stay as they are, archived or not.',
  example: 'no',
}

/** Turns yes and no into the moment of archiving: of a row that is archived already the one that it has. */
export function settleArchived(table: string, layout: Layout): string[] {
  if (!layout.has('archived')) return []
  return [
    `update pg_temp.import_rows as r set archived_at = coalesce(
       (select existing.archived_at from app.${table} as existing
        where existing.studio_id = (select access.current_studio_id()) and existing.id = r.existing_id),
       pg_catalog.now())
     where r.archived`,
  ]
}

/** Says how many rows of the file stay archived because it does not say otherwise. */
export function noteArchived(table: string, nouns: readonly [string, string], layout: Layout): string[] {
  if (layout.has('archived')) return []
  return [
    `select case count(*) when 1 then '1 ${nouns[0]} of the file is archived and stays so'
       else count(*) || ' ${nouns[1]} of the file are archived and stay so' end
       || ' (first: line ' || min(r.line) || '); to bring it back, add the column archived with "no"' as note
     from pg_temp.import_rows r
     join app.${table} as existing
       on existing.studio_id = (select access.current_studio_id()) and existing.id = r.existing_id
     where existing.archived_at is not null
     having count(*) > 0`,
  ]
}
