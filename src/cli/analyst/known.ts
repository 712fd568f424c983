import { sqlState } from '../../database/errors.ts'
import { CommandError } from '../failure.ts'

/** Runs work that names a login. @throws CommandError, with where to look, when there is no such login */
export async function explainUnknown<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (sqlState(error) !== 'SI404') throw error
    throw new CommandError((error as Error).message, 'To list them: studio-inventory analyst list')
  }
}
