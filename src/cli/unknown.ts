import { probablyMeant } from '../domain/nearest.ts'
import { CommandError } from './failure.ts'

/**
 * The error that there is no such thing, with the name that was probably meant.
 *
 * @param all the command that lists what there is
 */
export function unknown(what: string, wanted: string, known: readonly { name: string }[], all: string): CommandError {
  const names = known.map(({ name }) => name)
  return new CommandError(`${what}${orMeant(wanted, names)}`, `To list them: ${all}`)
}

/** The error that CELLS_FILE has no such cell, with the name that was probably meant. */
export function unknownCell(wanted: string, names: readonly string[]): CommandError {
  return new CommandError(
    `there is no cell '${wanted}'${orMeant(wanted, names)}`,
    `CELLS_FILE has ${names.join(', ')}.`,
  )
}

function orMeant(wanted: string, names: readonly string[]): string {
  const meant = probablyMeant(wanted, names)
  return meant === undefined ? '' : `: did you mean '${meant}'?`
}
