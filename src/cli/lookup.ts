import { sqlState } from '../database/errors.ts'
import type { Transaction } from '../database/session.ts'
import { CommandError } from './failure.ts'

/** The SQLSTATE by which a function of the database says that there is no such thing. */
const notFound = 'SI404'

/**
 * The id of the studio with this name (any case) or id.
 *
 * @throws CommandError when there is none; what access.find_studio raises when there are several
 */
export function findStudio(transaction: Transaction, nameOrId: string): Promise<string> {
  return idOf(transaction, 'select access.find_studio($1) as id', nameOrId, 'studio-inventory studio list')
}

/** The id of the user with this e-mail. @throws CommandError when there is none */
export function findUser(transaction: Transaction, email: string): Promise<string> {
  return idOf(
    transaction,
    'select access.find_user($1) as id',
    email,
    'psql "$(studio-inventory url)" -c "select email, name from access.users"',
  )
}

/** The user id of a studio's first owner. Throws what access.owner_of raises. */
export function ownerOf(transaction: Transaction, studioId: string): Promise<string> {
  return idOf(transaction, 'select access.owner_of($1) as id', studioId)
}

/** `all` is the command that shows which there are. */
async function idOf(transaction: Transaction, text: string, value: string, all?: string): Promise<string> {
  try {
    const [row] = await transaction.query<{ id: string }>(text, [value])
    if (row) return row.id
  } catch (error) {
    if (sqlState(error) !== notFound || all === undefined) throw error
    throw new CommandError((error as Error).message, `To list them: ${all}`)
  }
  throw new Error(`no row from: ${text}`)
}
