import { type Cell, type Config, configOf } from '../config/config.ts'
import { withClient } from '../database/client.ts'
import type { Database } from '../database/database.ts'
import { describeConnectionError } from '../database/errors.ts'
import { migrate } from '../database/migrate.ts'
import { pendingMigrations } from '../database/migrations.ts'
import { type Logger, makeLogger } from '../observability/log.ts'
import { openDatabase } from '../process/open-database.ts'
import { CommandError } from './failure.ts'
import { unknownCell } from './unknown.ts'

/** What every command is given: how to read the configuration, which is read only when a command runs, not for help. */
export type Context = {
  config(): Config
  /** The value of --cell. */
  cell?(): string | undefined
}

/** A database that is open for a command: the only one, or a cell's. */
export type Session = {
  /** For this database alone. */
  config: Config
  database: Database
  log: Logger
  /** The name of the cell; undefined where there is one database. */
  cell: string | undefined
}

/** The log of a command goes to standard error and contains only what the operator has to know, unless LOG_LEVEL says more. */
function commandLog(config: Config): Logger {
  return makeLogger({ level: config.logLevel === 'info' ? 'warn' : config.logLevel, fileDescriptor: 2 })
}

/**
 * Opens the database in use for a command and closes it afterwards; of several cells that of --cell. The embedded database is brought up
 * to date first; one that the user brought is taken as it is.
 *
 * @throws CommandError when the user's database cannot be reached, or nobody said which of several is meant
 */
export async function withDatabase(context: Context, work: (session: Session) => Promise<void>): Promise<void> {
  const config = context.config()
  const [cell, ...others] = cellsOf(config, context.cell?.())
  if (others.length > 0) {
    throw new CommandError(`CELLS_FILE has several cells: ${namesOf(config).join(', ')}`, 'Say which one with --cell.')
  }
  await inCell(config, cell, work)
}

/** Opens one cell, as `withDatabase` does. */
export async function inCell<Result>(
  config: Config,
  cell: Cell,
  work: (session: Session) => Promise<Result>,
): Promise<Result> {
  return inUnmigratedCell(config, cell, async (session) => {
    const { adminUrl, secretKey, embedded } = session.database
    if (embedded && (await pendingMigrations(adminUrl)).length > 0) await migrate(adminUrl, secretKey, session.log)
    return work(session)
  })
}

/** The same, without bringing anything up to date. */
export async function inUnmigratedCell<Result>(
  config: Config,
  cell: Cell,
  work: (session: Session) => Promise<Result>,
): Promise<Result> {
  const own = configOf(config, cell)
  const log = commandLog(config)
  const database = await openDatabase(own, log)
  try {
    if (!database.embedded) await tryConnection(database.adminUrl, cell.name)
    return await work({ config: own, database, log, cell: cell.name })
  } finally {
    await database.close()
  }
}

/**
 * The cells that a command may use: all, or the one that --cell names.
 *
 * @throws CommandError when there is no such cell
 */
export function cellsOf(config: Config, wanted: string | undefined): Config['cells'] {
  if (wanted === undefined) return config.cells
  const found = config.cells.find(({ name }) => name === wanted)
  if (found) return [found]
  const names = namesOf(config)
  if (names.length === 0) throw new CommandError('--cell: there is one database only: CELLS_FILE is not set')
  throw unknownCell(wanted, names)
}

const namesOf = ({ cells }: Config) => cells.flatMap(({ name }) => name ?? [])

async function tryConnection(url: string, cell: string | undefined): Promise<void> {
  try {
    await withClient(url, async () => undefined)
  } catch (error) {
    throw new CommandError(
      `${cell === undefined ? '' : `cell ${cell}: `}${describeConnectionError(url, error)}`,
      `${cell === undefined ? 'DATABASE_URL' : 'databaseUrl in CELLS_FILE'} says which database is used, and as whom.`,
    )
  }
}
