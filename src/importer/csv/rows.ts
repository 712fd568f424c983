import { cleanText } from '../../domain/text.ts'
import { saysGone, yesNo } from '../cells.ts'
import { means, otherCurrency } from '../currency.ts'
import { sameName } from '../foreign/mapping.ts'
import { stagedAs } from '../kinds/kind.ts'
import { type Reading, readCell } from '../read-cell.ts'
import { doubtAsError, type RowError } from '../row-errors.ts'
import type { StagedRow } from '../staging.ts'
import type { ColumnPlace, Header } from './header.ts'
import { createPieces } from './pieces.ts'
import type { Record, Stored } from './records.ts'
import { noRecord } from './row-kinds.ts'

/** Counts of rows left out or simplified, for the summary. */
export type Tally = {
  otherRows: number
  exceptRows: number
  /** Repeated headers, and rows of nothing but zeros. */
  noRecords: { rows: number; line: number }
  remarks: { rows: number; line: number }
  /** How many cells have several values, of which only the first is read. */
  firstOfSeveral: number
  gone: number
  /** The states that the import takes to mean that a thing is still there. */
  states: Set<string>
}

/** Reads the cells of rows by the header's columns. */
export function rowReader(header: Header, reading: Reading = {}) {
  const none = { rows: 0, line: 0 }
  const tally: Tally = {
    ...{ otherRows: 0, exceptRows: 0, noRecords: { ...none }, remarks: { ...none }, firstOfSeveral: 0, gone: 0 },
    states: new Set(),
  }
  const spare = header.spareKeys.map((key) => ({ ...key, seen: new Set<string>(), rows: 0 }))
  const pieces = createPieces(header, reading)
  const count = (of: { rows: number; line: number }, line: number) => {
    of.rows += 1
    of.line ||= line
  }

  /** Whether a row is left out, or refused as a whole. */
  function isOther(record: Record, errors: RowError[]): boolean {
    const { line, cells, stored } = record
    if (cells.length !== header.width) {
      errors.push(wrongCount(record, header.width))
      return true
    }
    const found = reading.exact ? undefined : noRecord(record, header)
    if (found?.is === 'remark') {
      const { problem, value, column } = found
      if (reading.accepted?.has('total_rows')) count(tally.remarks, line)
      else errors.push(doubtAsError('total_rows', { line, column, value, problem, remedy: 'remove the row' }))
      return true
    }
    if (found) {
      count(tally.noRecords, line)
      return true
    }
    const { only, except } = header
    const deciding = only && stored?.[only.index]?.otherwise
    if (only && typeof deciding === 'object') {
      errors.push({ line, column: `column ${only.index + 1}`, value: cells[only.index] ?? '', ...deciding })
      return true
    }
    if (only && !only.values.some((value) => sameName(value, cells[only.index] ?? ''))) {
      tally.otherRows += 1
      return true
    }
    if (except && cells[except.index]?.includes(except.contains)) {
      tally.exceptRows += 1
      return true
    }
    return false
  }

  return {
    columns: header.places.map(({ column }) => stagedAs(column)),
    tally,
    pieces: pieces.tally,
    /** The columns that could be the key, because each row has a value of its own there. */
    spareKeys: () => spare.filter(({ seen, rows }) => rows > 0 && seen.size === rows).map(({ name }) => name),
    /** Makes one row, one row for each piece, or none if the record is left out or refused. */
    read(record: Record, errors: RowError[]): StagedRow[] {
      if (isOther(record, errors)) return []
      const { line, cells } = record
      for (const key of spare) {
        key.rows += 1
        const text = cells[key.index]?.trim()
        if (text) key.seen.add(text)
      }
      const invalid: string[] = []
      const values = header.places.map((place) => {
        const value = place.states ? stateOf(place, record, tally) : valueIn(place, record)
        if (value === undefined) invalid.push(place.column.name)
        return value ?? null
      })
      checkCurrency(record, errors)
      checkStates(record, values, errors)
      return pieces.of({ line, invalid, values }, record, errors)

      function valueIn(place: ColumnPlace, record: Record): string | null | undefined {
        const { column, commas, ifFilled, impliedBy } = place
        const given = cellAt(place, record)
        const isImplied = impliedBy !== undefined && given.text.trim() === '' && (cells[impliedBy] ?? '').trim() !== ''
        if (isImplied) return column.impliedBy?.value
        const [text = '', ...more] = commas === 'first' ? given.text.split(',') : [given.text]
        if (more.length > 0) tally.firstOfSeveral += 1
        const isRead = ifFilled === undefined || (cells[ifFilled] ?? '').trim() !== ''
        const cell = { line, column, text: isRead ? text : '', stored: given.stored, commasSeparate: commas === 'all' }
        return readCell(cell, reading, errors)
      }
    },
  }

  /** Refuses a row of amounts in another currency than the studio's. */
  function checkCurrency({ line, cells }: Record, errors: RowError[]): void {
    const { currency } = header.checked
    const sign = currency && cleanText(cells[currency.index] ?? '')
    if (!currency || !sign || reading.currency === undefined || means(sign, reading.currency)) return
    const isAmount = ({ column, indexes }: ColumnPlace) =>
      column.cell.reads === 'amount' && indexes.some((index) => !/^[0.,\s]*$/.test(cells[index] ?? ''))
    if (!header.places.some(isAmount)) return
    errors.push({ line, column: currency.name.trim(), value: sign, ...otherCurrency(sign, reading.currency) })
  }

  /** Doubts a row that is sold, lost or archived by a column that is not read. */
  function checkStates({ line, cells }: Record, values: readonly (string | null)[], errors: RowError[]): void {
    const says = header.checked.states.find(({ index }) =>
      saysThatItIsGone(header.names[index] ?? '', cells[index] ?? ''),
    )
    if (says === undefined || reading.exact || reading.accepted?.has('states')) return
    const isGone = ({ column }: ColumnPlace, at: number) =>
      (column.name === 'archived' && values[at] === 'true') || (column.name === 'disposed_on' && values[at] !== null)
    if (header.places.some(isGone)) return
    const problem = 'says that it is gone, and it would be imported as owned'
    const value = cells[says.index] ?? ''
    errors.push(doubtAsError('states', { line, column: says.name.trim(), value, problem, remedy: 'remove the row' }))
  }

  /** `true` if a state says that the thing is gone. */
  function stateOf({ indexes, states }: ColumnPlace, { cells }: Record, { states: seen }: Tally): string | null {
    const filled = indexes.filter((index) => (cells[index] ?? '').trim() !== '')
    if (filled.some((index) => saysThatItIsGone(header.names[index] ?? '', cells[index] ?? ''))) {
      tally.gone += 1
      return 'true'
    }
    for (const index of filled) {
      const word = (cells[index] ?? '').trim()
      if (seen.size < 50 && yesNo.schema.safeParse(word).success === false) seen.add(word)
    }
    return states === 'doubtful' ? null : 'false'
  }
}

/** Whether a cell says that the thing is gone: by its words, or by yes or a date under a name such as `Sold`. */
function saysThatItIsGone(name: string, cell: string): boolean {
  const text = cell.trim()
  const said = yesNo.schema.safeParse(text)
  if (text === '' || said.data === 'false' || /^(?:0001-|0000-|-$|none$|null$)/i.test(text)) return false
  return saysGone(text) || (saysGone(name.replaceAll('_', ' ')) && (said.data === 'true' || /\d/.test(text)))
}

/** The text of a column in a row, and what a workbook says of it. */
function cellAt(
  { indexes, joined }: ColumnPlace,
  { cells, stored }: Record,
): { text: string; stored: Stored | undefined } {
  if (indexes.length <= 1) {
    const [only = -1] = indexes
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
