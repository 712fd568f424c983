import type { Column } from './table.ts'

/** What was done in a cell; `cell` is undefined where there is one database. */
type Done<Result> = { cell: string | undefined; result: Result }

/** The JSON of what was done in several cells, each with its name; of one database what was done there. */
export function together<Result extends object>(done: readonly Done<Result>[]): object {
  const [first] = done
  if (first !== undefined && first.cell === undefined) return first.result
  return { cells: done.map(({ cell, result }) => ({ cell, ...result })) }
}

/** One list of what several cells have, in order, each with the name of its cell; of one database its list as it is. */
export function merged<Row extends object>(
  done: readonly Done<readonly Row[]>[],
  order: (one: Row, other: Row) => number,
): (Row & { cell?: string })[] {
  const [first] = done
  if (first !== undefined && first.cell === undefined) return [...first.result]
  return done
    .flatMap(({ cell, result }) => result.map((row) => ({ ...row, ...(cell !== undefined && { cell }) })))
    .sort(order)
}

/** The column with the names of the cells, where there are some. */
export function cellColumn(rows: readonly { cell?: string }[]): Record<string, Column> {
  return rows.some(({ cell }) => cell !== undefined) ? { cell: { heading: 'CELL' } } : {}
}
