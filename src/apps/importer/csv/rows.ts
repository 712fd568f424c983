import { type Column, stagedAs } from '../kinds/kind.ts'
import type { RowError } from '../row-error.ts'
import type { Record } from './records.ts'

/** A row for the staging table: its values in the order of `columns`, and the names of the cells that could not be read. */
export type StagedRow = { line: number; invalid: string[]; values: (string | null)[] }

/** Reads the cells of rows by the columns of the header. */
export function rowReader(header: readonly (Column | undefined)[]) {
  const places = header.flatMap((column, index) => (column ? [{ column, index }] : []))

  return {
    columns: places.map(({ column }) => stagedAs(column)),
    /** Null when the row has another number of cells than the header, so cells cannot be matched with columns. */
    read({ line, cells }: Record, errors: RowError[]): StagedRow | null {
      if (cells.length !== header.length) {
        errors.push(wrongCount(line, cells.length, header.length))
        return null
      }
      const invalid: string[] = []
      const values = places.map(({ column, index }) => {
        const text = cells[index] ?? ''
        if (text === '' || (text.trim() === '' && !column.cell.keepsBlanks)) {
          if (!column.required) return column.whenEmpty ?? null
          errors.push({
            line,
            column: column.name,
            value: null,
            problem: 'is empty',
            remedy: `write a value such as ${column.example}`,
          })
        } else {
          const read = column.cell.schema.safeParse(text)
          if (read.success) return read.data
          const [issue] = read.error.issues
          const remedy: unknown = issue?.code === 'custom' ? issue.params?.remedy : undefined
          errors.push({
            line,
            column: column.name,
            value: text,
            problem: issue?.message ?? 'cannot be read',
            remedy: typeof remedy === 'string' ? remedy : null,
          })
        }
        invalid.push(column.name)
        return null
      })
      return { line, invalid, values }
    },
  }
}

function wrongCount(line: number, found: number, wanted: number): RowError {
  const cells = (count: number) => (count === 1 ? '1 cell' : `${count} cells`)
  return {
    line,
    column: null,
    value: null,
    problem: `has ${cells(found)}, but the header has ${wanted}`,
    remedy:
      found > wanted
        ? 'put a cell that contains the delimiter in quotation marks'
        : 'end the line with a delimiter for each empty cell',
  }
}
