import type { ColumnChoice, ReadColumn } from './columns.ts'
import type { Kind } from './kinds/index.ts'
import type { Outcome } from './run.ts'
import type { ImportJob } from './work.ts'

/** An import for another process; plain data. Without `confirmed` it is a dry run. */
export type ProcessJob = Pick<
  ImportJob,
  'path' | 'studioId' | 'writerUrl' | 'photosDir' | 'formats' | 'categories' | 'makeLocations'
> & {
  kindName: Kind['name']
  choice: ColumnChoice
  /** Who confirmed which upload: its session and digest as hexadecimal digits, and what the audit log says of it. */
  confirmed?: { session: string; digest: string; summary: { file: string; sha256: string } }
}

/** What an import has done, or would do, and how it read the columns. */
export type ProcessOutcome = Outcome & { columns: ReadColumn[]; recognised?: string }

/** What the process of an import sends, once; then it waits until it is ended. */
export type ChildMessage = { done: ProcessOutcome } | { failed: string; name: string; state: string | undefined }
