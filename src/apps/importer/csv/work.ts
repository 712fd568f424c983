import type { BulkTransaction } from '../../../database/session.ts'
import { readChanges } from '../changes.ts'
import { makeLocations } from '../foreign/locations.ts'
import type { Column, Kind } from '../kinds/index.ts'
import { layoutOf } from '../layout.ts'
import { counted, type Progress } from '../progress.ts'
import { resolving } from '../resolve.ts'
import { quoted, type RowError, UnreadableFile } from '../row-error.ts'
import { checking } from '../rules.ts'
import { stageErrors, stageRows } from '../staging.ts'
import type { Work } from '../work.ts'
import { idsOf, writing } from '../write.ts'
import type { Header } from './header.ts'
import { type Reading, rowReader, type Tally } from './rows.ts'
import type { Source } from './source.ts'

/** How a file is read, beyond its kind. */
export type FileReading = Reading & {
  /** Locations that rows name and the studio does not have are made. */
  makeLocations?: boolean
  /** See ImportJob. */
  idsFrom?: string | undefined
}

/** The import of a file of rows whose header has been read. */
export function csvWork(kind: Kind, source: Source, reading: FileReading = {}): Work {
  const layout = layoutOf(
    kind,
    source.header.places.map(({ column }) => column),
  )
  const reader = rowReader(source.header, reading)
  const ids = idsOf(kind, layout, reading.idsFrom)
  const places = reading.makeLocations ? layout.columns.filter(isPlace) : []
  return {
    table: kind.table,
    nouns: kind.nouns,
    stage: (transaction, progress) => stage(transaction, source, reader, progress),
    prepare: async (transaction) => {
      const made: string[] = []
      for (const column of places) made.push(...(await makeLocations(transaction, kind, column)))
      return [...leftOut(source.header, reader.tally), ...made]
    },
    resolving: [...ids.resolving, ...resolving(kind, layout)],
    checking: checking(kind, layout),
    writing: writing(kind, layout, ids.columns),
    changes: (transaction) => readChanges(transaction, kind, layout),
    notes: kind.notes?.(layout) ?? [],
  }
}

const isPlace = (column: Column) => column.refersTo === 'locations' && column.name === 'location'

/** Copies the rows chunk by chunk, so that memory does not grow with the file. */
async function stage(
  transaction: BulkTransaction,
  source: Source,
  reader: ReturnType<typeof rowReader>,
  progress: Progress,
): Promise<void> {
  let rows = 0
  await stageErrors(transaction, source.header.errors)
  try {
    for await (const { records, errors } of source.batches) {
      const found: RowError[] = [...errors]
      const staged = records.map((record) => reader.read(record, found)).filter((row) => row !== null)
      await stageRows(transaction, reader.columns, staged)
      await stageErrors(transaction, found)
      rows += records.length
      progress.at(source.read(), rows)
    }
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error
    await stageErrors(transaction, [unreadable(error)])
  }
}

/** What of the file was not imported, and what was simplified. */
function leftOut({ ignored, only }: Header, { otherRows, severalPieces }: Tally): string[] {
  const rows = (count: number) => (count === 1 ? '1 row' : `${counted(count)} rows`)
  return [
    ...(ignored.length > 0 ? [`ignored columns: ${ignored.map(quoted).join(', ')}`] : []),
    ...(otherRows > 0 ? [`${rows(otherRows)} left out: not ${only?.values.map(quoted).join(' or ')}`] : []),
    ...(severalPieces > 0 ? [`${rows(severalPieces)} with another quantity than 1: imported as one item each`] : []),
  ]
}

/** A file that cannot be read, or not beyond a line, as one more error. */
export function unreadable({ line, message, hint }: UnreadableFile): RowError {
  return { line, column: null, value: null, problem: message, remedy: hint }
}
