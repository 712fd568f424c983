import type { Client } from '../database/client.ts'
import type { LoginUrl } from '../database/roles.ts'
import type { BulkTransaction, Transaction } from '../database/session.ts'
import type { Changes, Shown } from './changes.ts'
import type { KeyChoice } from './csv/header.ts'
import type { Accepted } from './doubts.ts'
import type { Categories } from './foreign/categories.ts'
import type { Formats } from './foreign/formats.ts'
import type { Mapping } from './foreign/mapping.ts'
import type { Kind } from './kinds/kind.ts'
import type { Progress } from './progress.ts'
import type { StudioPlace } from './staging.ts'
import type { Writing } from './write.ts'

export type ImportJob = {
  kind: Kind | 'photos'
  /** A file, or for photos a folder. */
  path: string
  studioId: string
  writerUrl: LoginUrl
  /** An open connection of `writerUrl`, for several imports. Close it after an error. */
  client?: Client
  photosDir: string
  /** Validates and tries everything, but writes nothing. */
  dryRun?: boolean
  /** Which rows a dry run shows. */
  shown?: Shown
  /** The character between cells. Needed only if the header does not show it. */
  delimiter?: string
  /** The sheet of a workbook. Default: the first. */
  sheet?: string
  /** Which of the file's columns are ours under other names. */
  mapping?: Mapping
  /** The file's column that identifies rows if it has no external_key. With `none`, the rows get numbers. */
  key?: KeyChoice
  formats?: Formats
  /** Doubts about the file that somebody has accepted. */
  accepted?: Accepted
  /** The most rows. The import refuses a file with more before it reads them. */
  maxRows?: number
  /** The file's categories, and ours for each. */
  categories?: Categories
  /** Makes locations that rows name and the studio lacks. */
  makeLocations?: boolean
  /** Derives new ids from this text and keys, so that documentation can name demo rows. */
  idsFrom?: string
  /** Archives the rows that the file lacks, if this function agrees to their number. */
  archiveMissing?: (rows: number) => Promise<boolean>
  /** A CSV file that gets all errors. */
  reportFile?: string
  /** Runs in the transaction after all rows are written. If it throws, the import is undone. */
  beforeCommit?: (
    transaction: Transaction,
    counts: { rows: number; added: number; changed: number; unchanged: number },
  ) => Promise<void>
  progress?: Progress
  /** Ends the import before its commit; nothing is written. */
  signal?: AbortSignal
}

/** How to import a kind of file. Statements use app.open_import's staging tables. */
export type ImportPlan = {
  table: string
  nouns: readonly [string, string]
  /** Copies rows and cell errors into the staging tables. */
  stage(transaction: BulkTransaction, progress: Progress, place: StudioPlace): Promise<void>
  /** Makes what the rows need and the studio lacks. @returns notes for a person */
  prepare?(transaction: Transaction): Promise<string[]>
  resolving: readonly string[]
  checking: readonly string[]
  writing: Writing
  /** Columns that could tell the rows apart: each row has its own. */
  keys?(transaction: Transaction): Promise<string[]>
  changes?(transaction: Transaction, shown?: Shown): Promise<Changes>
  /** Statements that each select notes for a person, as `note`. */
  notes: readonly string[]
  /** Works outside the database before the commit; returns what undoes it. */
  accompany?(transaction: Transaction, progress: Progress, rows: number): Promise<() => Promise<void>>
}
