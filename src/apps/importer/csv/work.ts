import type { BulkTransaction } from '../../../database/session.ts'
import type { Kind } from '../kinds/index.ts'
import { layoutOf } from '../layout.ts'
import type { Progress } from '../progress.ts'
import { resolving } from '../resolve.ts'
import { type RowError, UnreadableFile } from '../row-error.ts'
import { checking } from '../rules.ts'
import { stageErrors, stageRows } from '../staging.ts'
import type { Work } from '../work.ts'
import { writing } from '../write.ts'
import { rowReader } from './rows.ts'
import type { Source } from './source.ts'

/** The import of a CSV file whose header has been read. */
export function csvWork(kind: Kind, source: Source): Work {
  const layout = layoutOf(kind, source.columns)
  return {
    table: kind.table,
    nouns: kind.nouns,
    stage: (transaction, progress) => stage(transaction, source, progress),
    resolving: resolving(kind, layout),
    checking: checking(kind, layout),
    writing: writing(kind, layout),
    notes: kind.notes?.(layout) ?? [],
  }
}

/** Copies the rows chunk by chunk, so that memory does not grow with the file. */
async function stage(transaction: BulkTransaction, source: Source, progress: Progress): Promise<void> {
  const reader = rowReader(source.columns)
  let rows = 0
  await stageErrors(transaction, source.errors)
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

/** A file that cannot be read, or not beyond a line, as one more error. */
export function unreadable({ line, message, hint }: UnreadableFile): RowError {
  return { line, column: null, value: null, problem: message, remedy: hint }
}
