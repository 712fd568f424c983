import { csvLine } from '../row-errors.ts'
import { assignments, policies } from './insurance.ts'
import { depreciationChanges, items, marketValues } from './items.ts'
import type { Kind } from './kind.ts'
import { locations } from './locations.ts'
import { maintenance } from './maintenance.ts'

/** Every kind of CSV file. Later kinds refer to earlier ones. */
export const kinds: readonly Kind[] = [
  locations,
  items,
  policies,
  assignments,
  maintenance,
  marketValues,
  depreciationChanges,
]

export function templateOf(kind: Kind): string {
  return kind.columns.map((column) => column.name).join(',')
}

/** The header of a kind of file, and a row as an example of it. */
export const exampleOf = (kind: Kind): string =>
  `${templateOf(kind)}\r\n${csvLine(kind.columns.map(({ example }) => example))}`

export function columnsOf(kind: Kind): { name: string; required: boolean; accepts: string; description: string }[] {
  return kind.columns.map(({ name, required = false, cell, description }) => ({
    name,
    required,
    accepts: cell.accepts,
    description,
  }))
}
