import { type Mapping, sameName } from '../foreign/mapping.ts'
import { suggestions } from '../foreign/meanings.ts'
import type { Kind } from '../kinds/kind.ts'
import { UnreadableFile } from '../row-errors.ts'
import { columnOf } from './header.ts'
import { type Record, tryCells } from './records.ts'

const delimiters = [',', ';', '\t'] as const

/** The delimiter that gives the most known columns, then the most columns. */
export function detectDelimiter(header: string, kind: Kind, mapping?: Mapping): string {
  const scores = delimiters.map((delimiter) => {
    const names = tryCells(header, delimiter) ?? []
    const isKnown = (name: string) => columnOf(kind, name) !== undefined || isMapped(mapping, name)
    return { delimiter, known: names.filter(isKnown).length, columns: names.length }
  })
  scores.sort((a, b) => b.known - a.known || b.columns - a.columns)
  return scores[0]?.delimiter ?? ','
}

const isMapped = (mapping: Mapping | undefined, name: string) =>
  Object.values(mapping?.columns ?? {}).some(({ from }) => from.some((theirs) => sameName(theirs, name)))

/** The line that tells Excel the delimiter: `sep=;`. */
export function separatorLine(line: string): string | undefined {
  return /^"?sep=(.)"?$/i.exec(line)?.[1]
}

/** How many rows a title and remarks before the table may take. */
export const rowsBefore = 20

/** Finds the header below a title and remarks. @param rows the first rows that are not empty @returns its place
 * among them @throws UnreadableFile if the table has no header */
export function findHeader(rows: readonly Record[], kind: Kind): number {
  const ours = kind.columns.map(({ name }) => name)
  const isHeader = ({ cells }: Record) =>
    cells.filter((name) => name.trim() !== '').length > 2 &&
    suggestions(kind, cells, ours).length > 1 &&
    !cells.some(isValue)
  const [first] = rows
  if (first === undefined) return 0
  const filled = first.cells.filter((name) => name.trim() !== '')
  const found = rows.slice(0, rowsBefore + 1).findIndex(isHeader)
  if (found > 0 && (filled.length <= 2 || suggestions(kind, first.cells, ours).length === 0)) return found
  if (suggestions(kind, first.cells, ours).length === 0 && filled.some(isValue)) {
    const remedy = `write the names of the columns into a line above it, such as ${ours.slice(0, 4).join(',')}`
    throw new UnreadableFile(first.line, 'has no header: its first line seems to be a record', remedy)
  }
  return 0
}

/** Whether a cell has a number or a day, which is no name of a column. */
const isValue = (cell: string) => /^[^\p{L}]*\d[^\p{L}]*$/u.test(cell.trim())
