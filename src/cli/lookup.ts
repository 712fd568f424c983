import { sqlState } from '../database/errors.ts'
import type { Transaction } from '../database/session.ts'
import { unknown } from './failure.ts'

/** The SQLSTATE by which a function of the database says that there is no such thing. */
const notFound = 'SI404'

/**
 * The id of the studio with this name (any case) or id.
 *
 * @throws CommandError when there is none; what access.find_studio raises when there are several
 */
export function findStudio(transaction: Transaction, nameOrId: string): Promise<string> {
  return idOf(transaction, 'select access.find_studio($1) as id', nameOrId, {
    like: 'select name from app.studios',
    all: 'studio-inventory studio list',
  })
}

/** The id of the user with this e-mail. @throws CommandError when there is none */
export function findUser(transaction: Transaction, email: string): Promise<string> {
  return idOf(transaction, 'select access.find_user($1) as id', email, {
    like: 'select email as name from access.users',
    all: 'psql "$(studio-inventory url)" -c "select email from access.users"',
  })
}

/** The user id of a studio's first owner. Throws what access.owner_of raises. */
export function ownerOf(transaction: Transaction, studioId: string): Promise<string> {
  return idOf(transaction, 'select access.owner_of($1) as id', studioId)
}

/** What there is instead: a select of all names, and the command that shows them. */
type Others = { like: string; all: string }

async function idOf(transaction: Transaction, text: string, value: string, others?: Others): Promise<string> {
  // What raises an error ends the transaction unless it can go back to before it.
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
