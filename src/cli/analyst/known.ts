import { sqlState } from '../../database/errors.ts'
import { asOwner } from '../../database/session.ts'
import { unknown } from '../failure.ts'

/** Runs work that names a login. @throws CommandError, with the one that was probably meant, when there is no such login */
export async function explainUnknown<Result>(
  adminUrl: string,
  login: string,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (sqlState(error) !== 'SI404') throw error
    const known = await asOwner(adminUrl, (transaction) =>
      transaction.query<{ name: string }>(
        `select login::text as name from access.list_analysts(null) where state <> 'dropped'`,
      ),
    )
    throw unknown((error as Error).message, login, known, 'studio-inventory analyst list')
  }
}
