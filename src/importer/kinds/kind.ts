import { type Cell, day, key, yesNo } from '../cells.ts'

/** Selects the session's studio. */
export const inSessionStudio = 'studio_id = (select access.current_studio_id())'

export type Column = {
  /** The header's name, which is also the API's. */
  name: string
  cell: Cell
  /** The table's column, if its name differs. */
  target?: string
  /** A new row needs it, and its cell must not be empty. */
  required?: true
  /** PostgreSQL's text for an empty cell. Default: null. */
  whenEmpty?: string
  /** The table that it refers to, by external key or id; locations also by name. */
  refersTo?: 'locations' | 'items' | 'policies'
  /** A day that cannot be after today. */
  isPast?: true
  /** An empty cell has this value if the other column's cell of the row is filled. */
  impliedBy?: { column: string; value: string }
  description: string
  example: string
}

/** Which columns a file has, for the rules. */
export type Layout = {
  has(column: string): boolean
  /** A row's future value in SQL: of `r` (the file), else of `existing`. Null if missing. */
  final(column: string): string
}

/** A rule of the database, checked before writing. */
export type Rule = {
  /** Checked if the file has one of these columns, for rows where all of them are readable. */
  reads: readonly string[]
  /** Selects (line, column_name, value, problem, remedy) from `rowsOf`, with `r` and `existing`. */
  errors(layout: Layout): string
}

export type Kind = {
  name: 'items' | 'locations' | 'policies' | 'assignments' | 'maintenance' | 'market-values' | 'depreciation-changes'
  table: string
  /** The singular and plural of its rows. */
  nouns: readonly [string, string]
  /** The column that identifies a row: an equal key means the same row. */
  key: 'external_key' | 'item'
  /** Columns that may tell the rows of a file apart, if each row has its own. */
  otherKeys?: readonly string[]
  columns: readonly Column[]
  /** Whether rows can be archived, for --archive-missing. */
  archivable: boolean
  rules: readonly Rule[]
  /** Statements of this kind that run after the existing rows are found. */
  settle?(layout: Layout): string[]
  /** Statements before writing that clear a unique place on rows that lose it. */
  release?(layout: Layout): string[]
  /** Statements that select notes for the user of a file without errors. */
  notes?(layout: Layout): string[]
}

export const externalKey: Column = {
  name: 'external_key',
  cell: key,
  required: true,
  description: 'Your own key of the row. The same key again means the same row, so it must not change.',
  example: '',
}

export const itemColumn: Column = {
  name: 'item',
  cell: key,
  target: 'item_id',
  required: true,
  refersTo: 'items',
  description: 'The item: its external key or id.',
  example: 'MIC-001',
}

/** The staging table's column for a cell. */
export const stagedAs = (column: Column): string =>
  column.refersTo || column.name === 'archived' ? column.name : targetOf(column)

export const targetOf = (column: Column): string => column.target ?? column.name

/** The file's rows joined with existing rows, from which rules select. */
export function rowsOf(kind: Pick<Kind, 'table' | 'key'>, reads: readonly string[] = []): string {
  const readable = reads.map((column) => `'${column}'`).join(', ')
  return `(
    select * from pg_temp.import_rows x${reads.length > 0 ? ` where not coalesce(x.invalid_columns && array[${readable}], false)` : ''}
  ) as r left join app.${kind.table} as existing
    on existing.studio_id = (select access.current_studio_id())
      and existing.${kind.key === 'item' ? 'item_id' : 'id'} = r.existing_id`
}

/** A file's layout, for statements. */
export type FileLayout = Layout & { columns: readonly Column[] }

/** A file's layout, from its known columns. */
export function layoutOf(kind: Kind, header: readonly (Column | undefined)[]): FileLayout {
  const columns = header.filter((column) => column !== undefined)
  const has = (name: string) => columns.some((column) => column.name === name)
  return {
    columns,
    has,
    final: (name) => {
      const column = kind.columns.find((other) => other.name === name)
      if (column === undefined) throw new Error(`${kind.name} has no column ${name}`)
      return `${has(name) ? 'r' : 'existing'}.${targetOf(column)}`
    },
  }
}

/** The column that archives and restores rows. */
export const archived: Column = {
  name: 'archived',
  cell: yesNo,
  target: 'archived_at',
  whenEmpty: 'false',
  description: 'Whether it is archived. Without this column, the import leaves that unchanged.',
  example: 'no',
}

/** Turns yes and no into the time of archiving. A row that is archived keeps its time, and a row
 * about which the file says nothing (null) stays as it is. */
export function settleArchived(table: string, layout: Layout): string[] {
  if (!layout.has('archived')) return []
  const before = `(select existing.archived_at from app.${table} as existing
    where existing.studio_id = (select access.current_studio_id()) and existing.id = r.existing_id)`
  return [
    `update pg_temp.import_rows as r
     set archived_at = case when r.archived then coalesce(${before}, pg_catalog.now()) else ${before} end
     where r.archived is distinct from false`,
  ]
}

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

/** The two columns of a period. Either end may be open. */
export function windowColumns(what: string): [Column, Column] {
  return [
    { name: 'effective_start', cell: day, description: `First day of ${what}.`, example: '2024-01-01' },
    { name: 'effective_end', cell: day, description: 'Last day; empty when it is open-ended.', example: '2026-12-31' },
  ]
}

export function windowRule(kind: Pick<Kind, 'table' | 'key'>): Rule {
  const reads = ['effective_start', 'effective_end']
  return {
    reads,
    errors: ({ final }) => `
      select r.line, 'effective_end', ${final('effective_end')}::text,
        'is before effective_start, ' || ${final('effective_start')}, 'correct one of the two'
      from ${rowsOf(kind, reads)}
      where ${final('effective_end')} < ${final('effective_start')}`,
  }
}
