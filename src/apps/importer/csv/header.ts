import { probablyMeant } from '../../../domain/nearest.ts'
import type { Column, Kind } from '../kinds/index.ts'
import type { RowError } from '../row-error.ts'
import { cellsOf } from './records.ts'

export const delimiters = [',', ';', '\t'] as const

/** The columns of a file in their order; undefined for one that is not known. */
export type Header = { columns: (Column | undefined)[]; errors: RowError[] }

/** The delimiter with which the header has the most known columns, then the most columns. */
export function detectDelimiter(header: string, kind: Kind): string {
  const scores = delimiters.map((delimiter) => {
    const names = safely(header, delimiter)
    return { delimiter, known: names.filter((name) => columnOf(kind, name)).length, columns: names.length }
  })
  scores.sort((a, b) => b.known - a.known || b.columns - a.columns)
  return scores[0]?.delimiter ?? ','
}

/** The line by which a file tells Excel its delimiter: `sep=;`. */
export function separatorLine(line: string): string | undefined {
  return /^"?sep=(.)"?$/i.exec(line)?.[1]
}

/** Reads the header. Columns come in any order; each is known and appears once, and the key is among them. */
export function readHeader(line: number, names: readonly string[], kind: Kind): Header {
  const errors: RowError[] = []
  const columns = names.map((name, index) => {
    const column = columnOf(kind, name)
    if (column === undefined) errors.push(unknownColumn(line, name, index, kind))
    else if (names.findIndex((other) => columnOf(kind, other) === column) < index) {
      errors.push({
        line,
        column: column.name,
        value: name,
        problem: 'appears twice',
        remedy: 'remove one of the two',
      })
      return undefined
    }
    return column
  })
  if (!columns.some((column) => column?.name === kind.key)) {
    const problem = 'is missing, and it tells which row is which'
    errors.push({
      line,
      column: kind.key,
      value: null,
      problem,
      remedy: `the header begins, for example: ${kind.key},…`,
    })
  }
  return { columns, errors }
}

function columnOf(kind: Kind, name: string): Column | undefined {
  const wanted = name.trim().toLowerCase()
  return kind.columns.find((column) => column.name === wanted)
}

function unknownColumn(line: number, name: string, index: number, kind: Kind): RowError {
  const words = name
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_')
  const meant = probablyMeant(
    words,
    kind.columns.map((column) => column.name),
  )
  return {
    line,
    column: `column ${index + 1}`,
    value: name,
    problem: name.trim() === '' ? 'has no name' : `is not a column of ${kind.name}`,
    remedy:
      name.trim() === ''
        ? 'name it, or remove it'
        : meant === undefined
          ? 'rename it to what it is, or remove it'
          : `the nearest is ${meant}`,
  }
}

function safely(header: string, delimiter: string): string[] {
  try {
    return cellsOf(header, delimiter)
  } catch {
    return []
  }
}
