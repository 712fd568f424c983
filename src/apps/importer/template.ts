import type { Kind } from './kinds/index.ts'

/** The header line of a kind of file, with every column. */
export function templateOf(kind: Kind): string {
  return kind.columns.map((column) => column.name).join(',')
}

/** What a program has to know of the columns of a kind of file. */
export function columnsOf(kind: Kind): { name: string; required: boolean; accepts: string; description: string }[] {
  return kind.columns.map(({ name, required = false, cell, description }) => ({
    name,
    required,
    accepts: cell.accepts,
    description,
  }))
}
