import { canonical, type Formats } from '../foreign/formats.ts'
import { sameName } from '../foreign/mapping.ts'
import type { Hint } from '../hints.ts'
import { type Column, stagedAs } from '../kinds/kind.ts'
import type { RowError } from '../row-error.ts'
import type { Header, Place } from './header.ts'
import type { Record } from './records.ts'

/** A row for the staging table: its values in the order of `columns`, and the names of the cells that could not be read. */
export type StagedRow = { line: number; invalid: string[]; values: (string | null)[] }

/** How the cells of a file are written, beyond what the importer takes everywhere. */
export type Reading = Formats & {
  /** Translates a category of theirs. */
  category?: (text: string) => string | Hint
}

/** What was left out or simplified, by the number of rows. */
export type Tally = { otherRows: number; severalPieces: number }

/** Reads the cells of rows by the columns of the header. */
export function rowReader(header: Header, reading: Reading = {}) {
  const tally: Tally = { otherRows: 0, severalPieces: 0 }
  return {
    columns: header.places.map(({ column }) => stagedAs(column)),
    tally,
    /** Null for a row that is left out, and one with another number of cells than the header: they cannot be matched. */
    read(record: Record, errors: RowError[]): StagedRow | null {
      const { line, cells } = record
      if (cells.length !== header.width) {
        errors.push(wrongCount(record, header.width))
        return null
      }
      if (header.only && !header.only.values.some((value) => sameName(value, cells[header.only?.index ?? 0] ?? ''))) {
        tally.otherRows += 1
        return null
      }
      if (header.quantity !== undefined && Number(cells[header.quantity] || 1) !== 1) tally.severalPieces += 1
      const invalid: string[] = []
      const values = header.places.map((place) => {
        const { column } = place
        const { text, typed, failed } = textAt(place, record)
        if (text === '' || (text.trim() === '' && !column.cell.keepsBlanks)) {
          if (!column.required) return column.whenEmpty ?? null
          errors.push(emptyCell(line, column))
        } else {
          const read = failed ? failedFormula : readCell(column, text, typed, reading)
          if (typeof read === 'string') return read
          errors.push({ line, column: column.name, value: text, problem: read.problem, remedy: read.remedy })
        }
        invalid.push(column.name)
        return null
      })
      return { line, invalid, values }
    },
  }
}

const failedFormula: Hint = { problem: 'is the error of a formula', remedy: 'correct the formula, or empty the cell' }

/** The text of a cell, whether a spreadsheet says of itself what it is, and whether it has failed to calculate it. */
type Cell = { text: string; typed: boolean; failed: boolean }

function textAt({ indexes, joined }: Place, { cells, typed, failed }: Record): Cell {
  const filled = indexes.filter((index) => (cells[index] ?? '').trim() !== '')
  if (joined !== undefined)
    return { text: filled.map((index) => cells[index]?.trim()).join(joined), typed: false, failed: false }
  const index = filled[0] ?? indexes[0] ?? 0
  return { text: cells[index] ?? '', typed: typed?.[index] ?? false, failed: failed?.[index] ?? false }
}

function readCell(
  { name, cell }: Column,
  text: string,
  typed: boolean,
  { category, ...formats }: Reading,
): string | { problem: string; remedy: string | null } {
  const told = typed ? ofSpreadsheet(text, cell) : canonical(text, cell.reads, formats)
  const prepared = typeof told === 'string' && name === 'category' && category ? category(told) : told
  if (typeof prepared !== 'string') return prepared
  const parsed = cell.schema.safeParse(prepared)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const remedy = issue?.code === 'custom' ? issue.params?.remedy : null
  return { problem: issue?.message ?? 'cannot be read', remedy: typeof remedy === 'string' ? remedy : null }
}

/** A moment is a day with a time, which is left out where days are read. */
const ofSpreadsheet = (text: string, { reads }: Column['cell']) =>
  reads === 'day' && /^\d{4}-\d\d-\d\dT/.test(text) ? text.slice(0, 10) : text

function emptyCell(line: number, { name, example }: Column): RowError {
  return { line, column: name, value: null, problem: 'is empty', remedy: `write a value such as ${example}` }
}

function wrongCount({ line, cells: all, typed }: Record, wanted: number): RowError {
  const found = all.length
  const cells = (count: number) => (count === 1 ? '1 cell' : `${count} cells`)
  return {
    line,
    column: null,
    value: null,
    problem: `has ${cells(found)}, but the header has ${wanted}`,
    remedy:
      typed !== undefined
        ? 'name the column in the header, or empty the cell'
        : found > wanted
          ? 'put a cell that contains the delimiter in quotation marks'
          : 'end the line with a delimiter for each empty cell',
  }
}
