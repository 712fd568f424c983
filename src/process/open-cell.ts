import type { ReadingCell } from '../api/cell.ts'
import type { Config } from '../config/config.ts'
import type { Database } from '../database/database.ts'
import type { Pool } from '../database/pool.ts'
import type { Readiness } from '../http/readiness.ts'
import type { Logger } from '../observability/log.ts'
import type { Observability } from '../observability/observability.ts'

/** A database in use, with all that the process has for it. */
export type OpenCell = {
  name: string | undefined
  /** For this database alone. */
  config: Config
  /** Its lines name the cell, where there are several. */
  log: Logger
  database: Database
  /** The pool of studio_api. */
  api: Pool
  /** The pool of studio_recorder. */
  recording: Pool
  reading: ReadingCell
  check(): Promise<Readiness>
}

export type CellParts = {
  config: Config
  log: Logger
  /** Collects what has to be closed at the end. */
  resources: AsyncDisposableStack
  observability: Observability
}
