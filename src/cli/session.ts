import type { Config } from '../config/config.ts'
import { describeConnectionError } from '../config/postgres-url.ts'
import { withClient } from '../database/client.ts'
import { sqlState } from '../database/errors.ts'
import type { Database } from '../database/roles.ts'
import { asOwner as runAsOwner, type Transaction } from '../database/session.ts'
import { type Logger, makeLogger } from '../log.ts'
import { migrate } from '../migration/migrate.ts'
import { pendingMigrations } from '../migration/migrations.ts'
import { openDatabase } from '../service/open-database.ts'
import { CommandError, unknown } from './failure.ts'

/** Reads the configuration. A command reads it when it runs; help does not. */
export type Context = { config(): Config }

export type Session = {
  config: Config
  database: Database
  log: Logger
  asOwner<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result>
  /** Finds the studio with this name (any case) or id, too. @throws CommandError for none */
  inStudio<Result>(nameOrId: string, work: (studio: OpenStudio) => Promise<Result>): Promise<Result>
}

export type OpenStudio = Transaction & {
  id: string
  /** The user id that the command acts for: by e-mail address, or the studio's first owner. */
  doer(email: string | undefined): Promise<string>
}

/** A command logs to standard error, only what the operator must know unless LOG_LEVEL is set. */
function commandLog(config: Config): Logger {
  return makeLogger({ level: config.logLevel === 'info' ? 'warn' : config.logLevel, fileDescriptor: 2 })
}

/** Opens the database in use for a command, and closes it afterwards. Migrates the embedded
 * database unless `unmigrated`; never changes another.
 * @throws CommandError when the database cannot be reached */
export async function withDatabase(
  context: Context,
  work: (session: Session) => Promise<void>,
  unmigrated = false,
): Promise<void> {
  const config = context.config()
  const log = commandLog(config)
  const database = await openDatabase(config, log)
  const { adminUrl, secretKey, embedded } = database
  const asOwner: Session['asOwner'] = (run) => runAsOwner(adminUrl, run)
  const inStudio: Session['inStudio'] = (nameOrId, run) =>
    asOwner(async (transaction) => {
      const id = await findStudio(transaction, nameOrId)
      return run({ ...transaction, id, doer: (email) => doerOf(transaction, id, email) })
    })
  try {
    if (!embedded) await tryConnection(adminUrl)
    else if (!unmigrated && (await pendingMigrations(adminUrl)).length > 0) await migrate(adminUrl, secretKey, log)
    await work({ config, database, log, asOwner, inStudio })
  } finally {
    await database.close()
  }
}

async function tryConnection(url: string): Promise<void> {
  try {
    await withClient(url, async () => undefined)
  } catch (error) {
    throw new CommandError(describeConnectionError(url, error), 'DATABASE_URL names the database and the login.')
  }
}

/** The SQLSTATE with which a function reports that there is no such thing. */
const notFound = 'SI404'

/** The id of the studio with this name (any case) or id.
 * @throws CommandError when there is none; access.find_studio's error when there are several */
export function findStudio(transaction: Transaction, nameOrId: string): Promise<string> {
  return idOf(transaction, 'select access.find_studio($1) as id', nameOrId, {
    like: 'select name from app.studios',
    all: 'studio-inventory studio list',
  })
}

/** The id of the user with this e-mail address. @throws CommandError when there is none */
export function findUser(transaction: Transaction, email: string): Promise<string> {
  return idOf(transaction, 'select access.find_user($1) as id', email, {
    like: 'select email as name from access.users',
    all: 'psql "$(studio-inventory url)" -c "select email from access.users"',
  })
}

function doerOf(transaction: Transaction, studioId: string, by: string | undefined): Promise<string> {
  return by ? findUser(transaction, by) : idOf(transaction, 'select access.owner_of($1) as id', studioId)
}

/** Alternatives to suggest: a select of all names, and the command that lists them. */
type Others = { like: string; all: string }

async function idOf(transaction: Transaction, text: string, value: string, others?: Others): Promise<string> {
  // Without a savepoint, an error would end the transaction.
  if (others !== undefined) await transaction.query('savepoint looked_up')
  try {
    const [row] = await transaction.query<{ id: string }>(text, [value])
    if (row) return row.id
  } catch (error) {
    if (sqlState(error) !== notFound || others === undefined) throw error
    await transaction.query('rollback to savepoint looked_up')
    const names = await transaction.query<{ name: string }>(others.like)
    throw unknown((error as Error).message, value, names, others.all)
  }
  throw new Error(`no row from: ${text}`)
}

/** Runs work that names a login. @throws CommandError, with a suggestion, if unknown */
export async function explainUnknown<Result>(
  adminUrl: string,
  login: string,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (sqlState(error) !== 'SI404') throw error
    const known = await runAsOwner(adminUrl, (transaction) =>
      transaction.query<{ name: string }>(
        `select login::text as name from access.list_analysts(null) where state <> 'dropped'`,
      ),
    )
    throw unknown((error as Error).message, login, known, 'studio-inventory analyst list')
  }
}
