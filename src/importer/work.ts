import type { BulkTransaction, Transaction } from '../database/session.ts'
import type { Change } from './changes.ts'
import type { KeyChoice } from './csv/header.ts'
import type { Categories } from './foreign/categories.ts'
import type { Formats } from './foreign/formats.ts'
import type { Mapping } from './foreign/mapping.ts'
import type { Kind } from './kinds/kind.ts'
import type { Progress } from './progress.ts'
import type { Writing } from './write.ts'

export type ImportJob = {
  kind: Kind | 'photos'
  /** A file; for photos a folder. */
  path: string
  studioId: string
  /** The connection string of studio_writer. */
  writerUrl: string
  photosDir: string
  /** Everything is validated and tried, and nothing is written. */
  dryRun?: boolean
  /** When the header does not tell it. */
  delimiter?: string
  /** The sheet of a workbook; else its first. */
  sheet?: string
  /** Which of the file's columns are ours, when they have other names. */
  mapping?: Mapping
  /** How the rows are told apart, where not by our column: by this one, or `none`: they are numbered. */
  key?: KeyChoice
  formats?: Formats
  /** Their categories, and which of ours each is. */
  categories?: Categories
  /** Locations that rows name and the studio does not have are made. */
  makeLocations?: boolean
  /** Makes the ids of new rows from this text and their keys, not at random: the documentation names rows of the demo. */
  idsFrom?: string
  /** Archives what is missing from the file, if this agrees to the number. */
  archiveMissing?: (rows: number) => Promise<boolean>
  /** A CSV file to which everything that is wrong is written. */
  reportFile?: string
  /** Runs in the transaction after all rows were written; what it throws undoes the import. */
  beforeCommit?: (
    transaction: Transaction,
    counts: { rows: number; added: number; changed: number; unchanged: number },
  ) => Promise<void>
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
  /** Makes what the rows need and the studio does not have. @returns what a person should know, also of what was left out */
  prepare?(transaction: Transaction): Promise<string[]>
  resolving: readonly string[]
  checking: readonly string[]
  writing: Writing
  /** Columns that could tell the rows apart: each row has its own. */
  keys?(transaction: Transaction): Promise<string[]>
  /** The first of what would be changed. */
  changes?(transaction: Transaction): Promise<Change[]>
  /** Selects of one text (`note`) each. */
  notes: readonly string[]
  /** Does what has to be done outside the database before the transaction is committed; returns what undoes it. */
  accompany?(transaction: Transaction, progress: Progress, rows: number): Promise<() => Promise<void>>
}
