import { constants } from 'node:os'
import { sqlState } from '../database/errors.ts'
import { messageOf } from '../domain/error.ts'
import { probablyMeant } from '../domain/text.ts'

/** A command fails. The message says why, the hint what to do. */
export class CommandError extends Error {
  override name = 'CommandError'
  readonly hint: string | undefined

  constructor(message: string, hint?: string) {
    super(message)
    this.hint = hint
  }
}

/** The user ended the command by a signal. The exit status is that of a program that the signal ended. */
export class Interrupted extends CommandError {
  override name = 'Interrupted'
  readonly signal: 'SIGINT' | 'SIGTERM'

  constructor(signal: 'SIGINT' | 'SIGTERM', message: string) {
    super(message)
    this.signal = signal
  }
}

/** The exit status of the process after a failure. */
export function exitStatusOf(error: unknown): number {
  return error instanceof Interrupted ? 128 + constants.signals[error.signal] : 1
}

/** SQLSTATE of a schema, function, table, column or type that is not there. */
const missingObjects = new Set(['3F000', '42883', '42P01', '42703', '42704'])

/** What a person reads when a command fails: one line, and one more when there is something to do. Never a stack. */
export function explainFailure(error: unknown): string[] {
  const state = sqlState(error)
  if (state !== undefined && missingObjects.has(state)) {
    return [
      'studio-inventory: the database does not have the schema of this release',
      'Bring it up to date: studio-inventory migrate',
    ]
  }
  const hint: unknown = error instanceof Error ? Reflect.get(error, 'hint') : undefined
  const lines = [`studio-inventory: ${oneLine(messageOf(error))}`]
  if (typeof hint === 'string' && hint !== '') lines.push(oneLine(hint))
  return lines
}

function oneLine(text: string): string {
  return text.replace(/\s*\n\s*/g, ' ').trim()
}

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
