import type { Config } from '../config/config.ts'
import { withClient } from '../database/client.ts'
import { describeConnectionError } from '../database/errors.ts'
import { migrate } from '../database/migrate.ts'
import { pendingMigrations } from '../database/migrations.ts'
import type { Database } from '../database/roles.ts'
import { type Logger, makeLogger } from '../observability/log.ts'
import { openDatabase } from '../process/open-database.ts'
import { CommandError } from './failure.ts'

/** What every command is given: how to read the configuration, which is read only when a command runs, not for help. */
export type Context = { config(): Config }

/** The database that is open for a command. */
export type Session = { config: Config; database: Database; log: Logger }

/** The log of a command goes to standard error and contains only what the operator has to know, unless LOG_LEVEL says more. */
function commandLog(config: Config): Logger {
  return makeLogger({ level: config.logLevel === 'info' ? 'warn' : config.logLevel, fileDescriptor: 2 })
}

/**
 * Opens the database in use for a command and closes it afterwards. The embedded database is brought up to date first; one that the user
 * brought is taken as it is.
 *
 * @throws CommandError when the user's database cannot be reached
 */
export async function withDatabase(context: Context, work: (session: Session) => Promise<void>): Promise<void> {
  await withUnmigratedDatabase(context, async (session) => {
    const { adminUrl, secretKey, embedded } = session.database
    if (embedded && (await pendingMigrations(adminUrl)).length > 0) await migrate(adminUrl, secretKey, session.log)
    await work(session)
  })
}

/** The same, without bringing anything up to date. */
export async function withUnmigratedDatabase(
  context: Context,
  work: (session: Session) => Promise<void>,
): Promise<void> {
  const config = context.config()
  const log = commandLog(config)
  const database = await openDatabase(config, log)
  try {
    if (!database.embedded) await tryConnection(database.adminUrl)
    await work({ config, database, log })
  } finally {
    await database.close()
  }
}

async function tryConnection(url: string): Promise<void> {
  try {
    await withClient(url, async () => undefined)
  } catch (error) {
    throw new CommandError(
      describeConnectionError(url, error),
      'DATABASE_URL says which database is used, and as whom.',
    )
  }
}
