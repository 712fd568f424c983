import type { BulkTransaction, Transaction } from '../../database/session.ts'
import type { Kind } from './kinds/index.ts'
import type { Progress } from './progress.ts'
import type { Writing } from './write.ts'

/** An import to run. */
export type ImportJob = {
  kind: Kind | 'photos'
  /** A file; for photos a folder. */
  path: string
  studioId: string
  /** The connection string of studio_writer. */
  writerUrl: string
  /** The folder of photos. */
  photosDir: string
  /** Everything is validated and tried, and nothing is written. */
  dryRun?: boolean
  /** When the header does not tell it. */
  delimiter?: string
  /** Archives what is missing from the file, if this agrees to the number. */
  archiveMissing?: (rows: number) => Promise<boolean>
  /** A CSV file to which everything that is wrong is written. */
  reportFile?: string
  progress?: Progress
  /** Ends the import; nothing is written then. Once it is being committed it has no effect any more. */
  signal?: AbortSignal
}

/** What the import of a kind of file consists of. Statements use the staging tables of app.open_import. */
export type Work = {
  /** The table of schema app. */
  table: string
  nouns: readonly [string, string]
  /** Copies the rows, and the errors in their cells, into the staging tables. */
  stage(transaction: BulkTransaction, progress: Progress): Promise<void>
  resolving: readonly string[]
  checking: readonly string[]
  writing: Writing
  /** Selects of one text (`note`) each. */
  notes: readonly string[]
  /** Does what has to be done outside the database before the transaction is committed; returns what undoes it. */
  accompany?(transaction: Transaction, progress: Progress, rows: number): Promise<() => Promise<void>>
}
