import type { Kind } from './kinds/index.ts'

/** The header line of a kind of file, with every column. */
export function templateOf(kind: Kind): string {
  return kind.columns.map((column) => column.name).join(',')
}
