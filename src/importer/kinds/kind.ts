import { type Cell, day, key, yesNo } from '../cells.ts'

/** The condition of a row of the session's studio. */
export const own = 'studio_id = (select access.current_studio_id())'

/** A column of a kind of file. */
export type Column = {
  /** Its name in the header, which is the name of the field in the API. */
  name: string
  cell: Cell
  /** The column of the table that it ends up in, when that has another name. */
  target?: string
  /** A new row needs it, and its cell is never empty. */
  required?: true
  /** What an empty cell stands for, as PostgreSQL reads it; without it null. */
  whenEmpty?: string
  /** The table whose rows it names, by external key or id; of locations also by name. */
  refersTo?: 'locations' | 'items' | 'policies'
  /** For the reference. */
  description: string
  example: string
}

/** What the rules need to know of a file: which columns it has. */
export type Layout = {
  has(column: string): boolean
  /** An SQL expression for the value that a row will have: `r` of the file, else
   * `existing` of the table. Null for a column that a new row does not have. */
  final(column: string): string
}

/** A rule of the database, checked before anything is written. */
export type Rule = {
  /** It is checked when the file has one of these columns, for rows in which all of them could be read. */
  reads: readonly string[]
  /** A select of (line, column_name, value, problem, remedy) from `rowsOf`: `r` of the file, `existing` of the table. */
  errors(layout: Layout): string
}

export type Kind = {
  name: 'items' | 'locations' | 'policies' | 'assignments' | 'maintenance' | 'market-values'
  /** The table of schema app. */
  table: string
  /** One and many of its rows, as a person calls them. */
  nouns: readonly [string, string]
  /** The column that identifies a row: the same key again means the same row. */
  key: 'external_key' | 'item'
  /** Columns that may tell the rows of a file apart, if each row has its own. */
  otherKeys?: readonly string[]
  columns: readonly Column[]
  /** Its rows can be archived, so --archive-missing works. */
  archivable: boolean
  rules: readonly Rule[]
  /** Statements particular to this kind, run once the existing rows have been found. */
  settle?(layout: Layout): string[]
  /** Statements run before anything is written: they clear what only one row may have, on rows that lose it. */
  release?(layout: Layout): string[]
  /** Selects of one text each: what the user should know although nothing is wrong. */
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

/** The column of the staging table that a cell is copied to. */
export const stagedAs = (column: Column): string =>
  column.refersTo || column.name === 'archived' ? column.name : targetOf(column)

export const targetOf = (column: Column): string => column.target ?? column.name

/** The rows of the file joined with the existing rows: what the rules select from. */
export function rowsOf(kind: Pick<Kind, 'table' | 'key'>, reads: readonly string[] = []): string {
  const readable = reads.map((column) => `'${column}'`).join(', ')
  return `(
    select * from pg_temp.import_rows x${reads.length > 0 ? ` where not coalesce(x.invalid_columns && array[${readable}], false)` : ''}
  ) as r left join app.${kind.table} as existing
    on existing.studio_id = (select access.current_studio_id())
      and existing.${kind.key === 'item' ? 'item_id' : 'id'} = r.existing_id`
}

/** What the statements need to know of a file. */
export type FileLayout = Layout & { columns: readonly Column[] }

/** The layout of a file of a kind, by the columns of its header that are known. */
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

/** The two columns of a window of time; either end may be open. */
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
