import { extname } from 'node:path'
import { startChild } from '../child-process/start-child.ts'
import type { ColumnChoice, ReadColumn } from './columns.ts'
import type { ImportJob } from './import-job.ts'
import type { Kind } from './kinds/kind.ts'
import type { Sheets } from './row-errors.ts'
import type { Outcome } from './run-import.ts'

/** An import that another process runs, as plain data. Without `confirmed` it is a dry run. */
export type ProcessJob = Pick<
  ImportJob,
  | 'path'
  | 'studioId'
  | 'writerUrl'
  | 'photosDir'
  | 'sheet'
  | 'key'
  | 'shown'
  | 'formats'
  | 'categories'
  | 'makeLocations'
  | 'accepted'
  | 'maxRows'
> & {
  /** What the file contains. Photos come in a ZIP archive. */
  kindName: Kind['name'] | 'photos'
  choice: ColumnChoice
  /** If the studio has imported a file with this header before, only returns the choices of that import. */
  recalls?: boolean
  /** Who confirmed what (session and digest in hexadecimal), and the audit log's summary. */
  confirmed?: { session: string; digest: string; summary: { file: string; sha256: string } }
}

/** The result of an import or dry run, and how it read the columns. With `recalled`, nothing was read: these are
 * the choices with which the studio imported its last file with this header. */
export type ProcessOutcome = Outcome & {
  columns: ReadColumn[]
  recognised?: string
  sheets?: Sheets
  recalled?: unknown
}

/** The child sends this once, then waits to be ended. */
export type ChildMessage = { done: ProcessOutcome } | { failed: string; name: string; state: string | undefined }

/** How much memory the process's JavaScript may use, in megabytes. */
const memoryMb = 384

/** The process of an import failed. `sqlState` is the database's error, if any. */
export class ImportFailed extends Error {
  override name = 'ImportFailed'
  readonly sqlState: string | undefined
  readonly reason: string

  constructor(message: string, reason: string, state: string | undefined) {
    super(message)
    this.reason = reason
    this.sqlState = state
  }
}

/** TypeScript in a checkout, JavaScript in an installed package. */
const childFile = new URL(`import-process-main${extname(import.meta.url)}`, import.meta.url)

/** Runs an import in its own process, to protect the API. @throws ImportFailed, OutOfMemory */
export function startImport(
  job: ProcessJob,
  timeoutMs: number,
): { outcome: Promise<ProcessOutcome>; end(): Promise<void> } {
  const { promise, resolve, reject } = Promise.withResolvers<ProcessOutcome>()
  promise.catch(() => undefined)
  const message = (received: ChildMessage) => {
    if ('done' in received) resolve(received.done)
    else reject(new ImportFailed(received.failed, received.name, received.state))
  }
  const task = startChild<ProcessJob, ChildMessage>(childFile, { memoryMb }, { message, failed: reject })
  const timer = setTimeout(
    () => reject(new ImportFailed(`not imported within ${timeoutMs} ms`, 'Timeout', undefined)),
    timeoutMs,
  )
  const ended = promise.finally(() => {
    clearTimeout(timer)
    return task.end()
  })
  task.send(job)
  return {
    outcome: ended,
    async end() {
      reject(new ImportFailed('the service is stopping', 'Stopping', undefined))
      await task.end()
    },
  }
}
