import type { BulkTransaction, Transaction } from '../../database/session.ts'
import type { Kind } from './kinds/index.ts'
import type { Progress } from './progress.ts'

/** What is asked for. */
export type ImportJob = {
  kind: Kind | 'photos'
  /** A file; for photos a folder. */
  path: string
  studioId: string
  /** The connection string of studio_writer. */
  writerUrl: string
  /** Where photo files are kept. */
  photosDir: string
  /** Everything is judged and tried, and nothing is kept. */
  dryRun?: boolean
  /** When it is not to be found by the header. */
  delimiter?: string
  /** Archives what the file no longer has, if this agrees to the number. */
  archiveMissing?: (rows: number) => Promise<boolean>
  /** A CSV file to which everything that is wrong is written. */
  reportFile?: string
  progress?: Progress
}

/** What kinds of files have to bring along to be imported. Statements use the staging tables of app.open_import. */
export type Work = {
  /** The table of schema app. */
  table: string
  nouns: readonly [string, string]
  /** Brings the rows into the staging table, and what is wrong with their cells. */
  stage(transaction: BulkTransaction, progress: Progress): Promise<void>
  resolving: readonly string[]
  judging: readonly string[]
  writing: readonly string[]
  /** Selects of one text (`note`) each. */
  notes: readonly string[]
  /** Does outside the database what has to be done before the transaction is kept, and gives what undoes it. */
  accompany?(transaction: Transaction): Promise<() => Promise<void>>
}
