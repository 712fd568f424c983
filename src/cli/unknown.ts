import { probablyMeant } from '../domain/nearest.ts'
import { CommandError } from './failure.ts'

/**
 * The error that there is no such thing, with the name that was probably meant.
 *
 * @param all the command that lists what there is
 */
export function unknown(what: string, wanted: string, known: readonly { name: string }[], all: string): CommandError {
  const meant = probablyMeant(
    wanted,
    known.map(({ name }) => name),
  )
  return new CommandError(meant === undefined ? what : `${what}: did you mean '${meant}'?`, `To list them: ${all}`)
}
