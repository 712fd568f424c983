import { constants } from 'node:os'
import { sqlState } from '../database/errors.ts'
import { closestMatch, messageOf } from '../domain/text.ts'
import { changesSameRow, sameRow } from '../migration/conflicts.ts'

/** A command fails. The message says why, the hint what to do. */
export class CommandError extends Error {
  override name = 'CommandError'
  readonly hint: string | undefined

  constructor(message: string, hint?: string) {
    super(message)
    this.hint = hint
  }
}

/** The user ended the command by a signal. The exit status is the one of that signal. */
export class Interrupted extends CommandError {
  override name = 'Interrupted'
  readonly signal: 'SIGINT' | 'SIGTERM'

  constructor(signal: 'SIGINT' | 'SIGTERM', message: string) {
    super(message)
    this.signal = signal
  }
}

export function exitStatusOf(error: unknown): number {
  return error instanceof Interrupted ? 128 + constants.signals[error.signal] : 1
}

/** SQLSTATEs of a missing schema, function, table, column or type. */
const missingObjects = new Set(['3F000', '42883', '42P01', '42703', '42704'])

/** Explains why a command failed: one line, and one more about what to do. No stack. */
export function explainFailure(error: unknown): string[] {
  const state = sqlState(error)
  if (state !== undefined && missingObjects.has(state)) {
    return [
      'studio-inventory: the database does not have the schema of this release',
      'Bring it up to date: studio-inventory migrate',
    ]
  }
  if (changesSameRow(error)) {
    return [
      `studio-inventory: ${oneLine(messageOf(error))}: ${sameRow}`,
      'Nothing was changed. Run it again. Who it is: select pid, usename, query from pg_stat_activity where backend_xid is not null',
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

/** The error for an unknown name, with a suggestion. @param all the command that lists them */
export function unknown(what: string, wanted: string, known: readonly { name: string }[], all: string): CommandError {
  const meant = closestMatch(
    wanted,
    known.map(({ name }) => name),
  )
  return new CommandError(meant === undefined ? what : `${what}: did you mean '${meant}'?`, `To list them: ${all}`)
}

/** A terminal and npm may both send a Ctrl-C: within these milliseconds, two count as one. */
const sameSignalMs = 500

/** Runs work that Ctrl-C can abort. The first signal aborts it, and it throws Interrupted with
 * this message after cleaning up; a second signal ends the process.
 * @throws Interrupted, or what the work throws */
export async function interruptible<Result>(
  message: string,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController()
  let first = 0
  const end = (signal: NodeJS.Signals) => {
    const now = Date.now()
    if (first === 0) {
      first = now
      controller.abort(new Interrupted(signal === 'SIGTERM' ? 'SIGTERM' : 'SIGINT', message))
    } else if (now - first > sameSignalMs) process.exit(130)
  }
  process.on('SIGINT', end)
  process.on('SIGTERM', end)
  try {
    return await work(controller.signal)
  } finally {
    process.removeListener('SIGINT', end)
    process.removeListener('SIGTERM', end)
  }
}
