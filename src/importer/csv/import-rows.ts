import type { BulkTransaction, Transaction } from '../../database/session.ts'
import { minorUnits } from '../../domain/vocabulary.ts'
import { amountOf } from '../cells.ts'
import { readChanges } from '../changes.ts'
import { calendarOf } from '../foreign/formats.ts'
import { type Column, type Kind, layoutOf } from '../kinds/kind.ts'
import { counted, type Progress } from '../progress.ts'
import { makeLocations, resolving } from '../references.ts'
import { quoted, type RowError, UnreadableFile } from '../row-errors.ts'
import { keyNotes, keysAmong, numberRows, reportMissingKey } from '../row-keys.ts'
import { checking } from '../rules.ts'
import { type StagedRow, stageErrors, stageRows } from '../staging.ts'
import type { ImportPlan } from '../import-job.ts'
import { idsOf, writing } from '../write.ts'
import type { Header, KeyChoice } from './header.ts'
import { type Reading, rowReader, type Tally } from './rows.ts'
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
export function rowsImport(kind: Kind, source: Source, reading: FileReading = {}): ImportPlan {
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
