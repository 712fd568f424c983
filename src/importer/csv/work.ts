import type { BulkTransaction, Transaction } from '../../database/session.ts'
import { minorUnits } from '../../domain/vocabulary.ts'
import { amountOf, type Cell, type Hint } from '../cells.ts'
import { readChanges } from '../changes.ts'
import { type Calendar, calendarOf, canonical, type Formats } from '../foreign/formats.ts'
import { sameName } from '../foreign/mapping.ts'
import { type Column, type Kind, layoutOf, stagedAs } from '../kinds/kind.ts'
import { counted, type Progress } from '../progress.ts'
import { makeLocations, resolving } from '../references.ts'
import { quoted, type RowError, UnreadableFile } from '../row-errors.ts'
import { keyNotes, keysAmong, numberRows, reportMissingKey } from '../row-keys.ts'
import { checking } from '../rules.ts'
import { type StagedRow, stageErrors, stageRows } from '../staging.ts'
import type { Work } from '../work.ts'
import { idsOf, writing } from '../write.ts'
import type { ColumnPlace, Header, KeyChoice } from './header.ts'
import type { Record, Stored } from './records.ts'
import type { Source } from './source.ts'

/** How to read a file, beyond its kind. */
type FileReading = Reading & {
  /** Makes locations that rows name and the studio lacks. */
  makeLocations?: boolean
  /** See ImportJob. */
  idsFrom?: string | undefined
  key?: KeyChoice
}

/** Imports a file of rows after its header. */
export function csvWork(kind: Kind, source: Source, reading: FileReading = {}): Work {
  const { header } = source
  const keyColumn = kind.columns.find(({ name }) => name === kind.key)
  const layout = layoutOf(kind, [...(header.numbered ? [keyColumn] : []), ...header.places.map(({ column }) => column)])
  const studioReading: Reading = { ...reading }
  const reader = rowReader(header, studioReading)
  const ids = idsOf(kind, layout, reading.idsFrom)
  const places = reading.makeLocations ? layout.columns.filter(isPlace) : []
  const keys = async (transaction: Transaction) => [
    ...(await keysAmong(transaction, kind, layout)),
    ...reader.spareKeys(),
  ]
  return {
    table: kind.table,
    nouns: kind.nouns,
    stage: (transaction, progress, { timezone, currency }) => {
      studioReading.calendar = calendarOf(timezone)
      studioReading.amount = amountOf(minorUnits(currency))
      studioReading.decimals = minorUnits(currency)
      return stage(transaction, source, reader, progress)
    },
    prepare: async (transaction) => {
      const made: string[] = []
      for (const column of places) made.push(...(await makeLocations(transaction, kind, column)))
      if (!layout.has(kind.key)) await reportMissingKey(transaction, kind, header.line, await keys(transaction))
      return [...leftOut(header, reader.tally), ...made]
    },
    keys,
    resolving: [...(header.numbered ? [numberRows(kind)] : []), ...ids.resolving, ...resolving(kind, layout)],
    checking: checking(kind, layout),
    writing: writing(kind, layout, ids.columns),
    changes: (transaction, shown) => readChanges(transaction, kind, layout, shown),
    notes: [...keyNotes(kind, layout, reading.key), ...(kind.notes?.(layout) ?? [])],
  }
}

const isPlace = (column: Column) => column.refersTo === 'locations' && column.name === 'location'

/** Copies rows in chunks, so that memory does not grow with the file. Reads one while the database
 * takes the one before. */
async function stage(
  transaction: BulkTransaction,
  source: Source,
  reader: ReturnType<typeof rowReader>,
  progress: Progress,
): Promise<void> {
  const copy = async (staged: StagedRow[], errors: readonly RowError[]) => {
    await stageRows(transaction, reader.columns, staged)
    await stageErrors(transaction, errors)
  }
  let rows = 0
  let copied = Promise.resolve()
  await copy([], source.header.errors)
  try {
    for await (const { records, errors } of source.batches) {
      const found: RowError[] = [...errors]
      const staged = records.map((record) => reader.read(record, found)).filter((row) => row !== null)
      await copied
      copied = copy(staged, found)
      copied.catch(() => undefined) // the next await throws it
      rows += records.length
      progress.at(source.read(), rows)
    }
  } catch (error) {
    await copied
    if (!(error instanceof UnreadableFile)) throw error
    await copy([], [unreadable(error)])
  }
  await copied
}

/** Notes on columns and rows that the import left out. */
function leftOut({ ignored, only, except }: Header, { otherRows, exceptRows, severalPieces }: Tally): string[] {
  const rows = (count: number) => (count === 1 ? '1 row' : `${counted(count)} rows`)
  return [
    ...(ignored.length > 0 ? [`ignored columns: ${ignored.map(quoted).join(', ')}`] : []),
    ...(otherRows > 0 ? [`${rows(otherRows)} left out: not ${only?.values.map(quoted).join(' or ')}`] : []),
    ...(exceptRows > 0 ? [`${rows(exceptRows)} left out: ${except?.what}`] : []),
    ...(severalPieces > 0 ? [`${rows(severalPieces)} with another quantity than 1: imported as one item each`] : []),
  ]
}

/** An unreadable file as one more error. */
export function unreadable({ line, message, hint }: UnreadableFile): RowError {
  return { line, column: null, value: null, problem: message, remedy: hint }
}

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
type Tally = { otherRows: number; exceptRows: number; severalPieces: number }

/** Reads the cells of rows by the header's columns. */
function rowReader(header: Header, reading: Reading = {}) {
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
