import { type Column, type Kind, type Layout, targetOf } from './kinds/kind.ts'

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
