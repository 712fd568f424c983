import type { Cell, Hint } from '../cells.ts'
import { type Calendar, canonical, type Formats } from '../foreign/formats.ts'
import { sameName } from '../foreign/mapping.ts'
import { type Column, stagedAs } from '../kinds/kind.ts'
import type { RowError } from '../row-errors.ts'
import type { StagedRow } from '../staging.ts'
import type { ColumnPlace, Header } from './header.ts'
import type { Record, Stored } from './records.ts'

/** How the file writes cells, beyond the importer's own forms. */
export type Reading = Formats & {
  /** Translates the other tool's category. */
  category?: (text: string) => string | Hint
  /** Which day of the studio's a moment is on. */
  calendar?: Calendar
  /** How amounts of the studio's currency are read. */
  amount?: Cell
  /** Of the currency. */
  decimals?: number
}

/** Counts of rows left out or simplified. */
export type Tally = { otherRows: number; exceptRows: number; severalPieces: number }

/** Reads the cells of rows by the header's columns. */
export function rowReader(header: Header, reading: Reading = {}) {
  const tally: Tally = { otherRows: 0, exceptRows: 0, severalPieces: 0 }
  const spare = header.spareKeys.map((key) => ({ ...key, seen: new Set<string>(), rows: 0 }))
  return {
    columns: header.places.map(({ column }) => stagedAs(column)),
    tally,
    /** Which of the columns that may be keys are one: each row has its own. */
    spareKeys: () => spare.filter(({ seen, rows }) => rows > 0 && seen.size === rows).map(({ name }) => name),
    /** Null for a row that is left out, or whose number of cells differs from the header's. */
    read(record: Record, errors: RowError[]): StagedRow | null {
      const { line, cells } = record
      if (cells.length !== header.width) {
        errors.push(wrongCount(record, header.width))
        return null
      }
      const deciding = header.only && record.stored?.[header.only.index]?.otherwise
      if (header.only && typeof deciding === 'object') {
        errors.push({
          line,
          column: `column ${header.only.index + 1}`,
          value: cells[header.only.index] ?? '',
          ...deciding,
        })
        return null
      }
      if (header.only && !header.only.values.some((value) => sameName(value, cells[header.only?.index ?? 0] ?? ''))) {
        tally.otherRows += 1
        return null
      }
      if (header.except && cells[header.except.index]?.includes(header.except.contains)) {
        tally.exceptRows += 1
        return null
      }
      for (const key of spare) {
        key.rows += 1
        const text = cells[key.index]?.trim()
        if (text) key.seen.add(text)
      }
      if (header.quantity !== undefined && Number(cells[header.quantity] || 1) !== 1) tally.severalPieces += 1
      const invalid: string[] = []
      const values = header.places.map((place) => {
        const { column } = place
        const { text, stored } = cellAt(place, record)
        if (text === '' || (text.trim() === '' && !column.cell.keepsBlanks)) {
          if (!column.required) return column.whenEmpty ?? null
          errors.push(emptyCell(line, column))
        } else {
          const read = readCell(column, text, stored, reading)
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

/** The text of a column in a row, and what a workbook says of it. */
function cellAt(
  { indexes, joined }: ColumnPlace,
  { cells, stored }: Record,
): { text: string; stored: Stored | undefined } {
  if (indexes.length === 1) {
    const [only = 0] = indexes
    return { text: cells[only] ?? '', stored: stored?.[only] }
  }
  const filled = indexes.filter((index) => (cells[index] ?? '').trim() !== '')
  const index = filled[0] ?? indexes[0] ?? 0
  if (joined === undefined || filled.length < 2) return { text: cells[index] ?? '', stored: stored?.[index] }
  const parts = filled.map((at) => stored?.[at]?.otherwise ?? cells[at] ?? '')
  const refused = parts.find((part) => typeof part !== 'string')
  const text = filled
    .map((at, part) => (typeof parts[part] === 'string' ? parts[part] : cells[at])?.trim())
    .join(joined)
  return { text, stored: refused && { fits: [], otherwise: refused } }
}

function readCell(
  { name, cell }: Column,
  text: string,
  stored: Stored | undefined,
  reading: Reading,
): string | { problem: string; remedy: string | null } {
  const { category, calendar, amount, decimals } = reading
  const converted = stored
    ? ofSpreadsheet(text, stored, cell)
    : canonical(text, cell.reads, reading, calendar, decimals)
  const prepared = typeof converted === 'string' && name === 'category' && category ? category(converted) : converted
  if (typeof prepared !== 'string') return prepared
  const parsed = (cell.reads === 'amount' ? (amount ?? cell) : cell).schema.safeParse(prepared)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const remedy = issue?.code === 'custom' ? issue.params?.remedy : null
  return { problem: issue?.message ?? 'cannot be read', remedy: typeof remedy === 'string' ? remedy : null }
}

/** A moment is a day with a time, which is left out where days are read. */
function ofSpreadsheet(text: string, { fits, otherwise }: Stored, { reads }: Column['cell']): string | Hint {
  if (reads === undefined || !fits.includes(reads)) return otherwise
  return reads === 'day' ? text.slice(0, 10) : text
}

function emptyCell(line: number, { name, example }: Column): RowError {
  return { line, column: name, value: null, problem: 'is empty', remedy: `write a value such as ${example}` }
}

function wrongCount({ line, cells: all, stored }: Record, wanted: number): RowError {
  const found = all.length
  const cells = (count: number) => (count === 1 ? '1 cell' : `${count} cells`)
  return {
    line,
    column: null,
    value: null,
    problem: `has ${cells(found)}, but the header has ${wanted}`,
    remedy:
      stored !== undefined
        ? 'name the column in the header, or empty the cell'
        : found > wanted
          ? 'put a cell that contains the delimiter in quotation marks'
          : 'end the line with a delimiter for each empty cell',
  }
}
