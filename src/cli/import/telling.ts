import { type Cause, sentenceOf } from '../../apps/importer/row-errors.ts'
import type { Outcome } from '../../apps/importer/run.ts'
import { CommandError } from '../failure.ts'
import { printDone, printJson, remark, warn } from '../output.ts'
import { advice } from './advice.ts'
import type { Begun } from './foreign.ts'

/** What an import says that was ended by Ctrl-C. */
export const nothingImported = 'interrupted: nothing was imported'

/** What the user asked for beside the import itself. */
type TellOptions = {
  dryRun: boolean
  reportFile: string | undefined
  json: boolean
  begun: Begun
  makeLocations: boolean
}

/**
 * Tells what an import did: its numbers on standard output, everything else on standard error. As JSON both are one document, also
 * when there are errors.
 *
 * @throws CommandError when nothing was imported
 */
export function tell(outcome: Outcome, { dryRun, reportFile, json, begun, makeLocations }: TellOptions): void {
  const { rows, added, changed, unchanged, archived, notes, errors } = outcome
  if (json) {
    const { count, lines, different, causes } = errors
    printJson({
      dry_run: dryRun,
      ...{ rows, added, changed, unchanged, archived, notes },
      errors: { count, lines, different, causes },
    })
  } else {
    for (const cause of errors.causes) tellCause(cause)
    for (const note of notes) warn(note)
  }
  for (const line of advice(outcome, begun, makeLocations)) remark(line)
  if (errors.count > 0) throw refused(outcome, reportFile)
  if (outcome.declined) throw new CommandError('nothing was imported')
  if (json) return
  printDone(
    `${dryRun ? 'Dry run, nothing was written. ' : ''}${rows === 1 ? '1 row' : `${rows} rows`}: ${added} added, ${changed} changed, ${unchanged} unchanged, ${archived} archived`,
  )
}

function tellCause(cause: Cause): void {
  remark(sentenceOf(cause))
  if (cause.more > 0) {
    const where = cause.column === null || /^column \d+$/.test(cause.column) ? '' : `${cause.column} `
    remark(`  … and ${cause.more} more of this kind: ${where}${cause.problem}`)
  }
}

function refused({ errors }: Outcome, reportFile: string | undefined): CommandError {
  const { count, lines, different, causes } = errors
  const number = different === 1 ? '1 error' : `${different} errors`
  const shown = causes.reduce((sum, cause) => sum + (cause.lines.length || 1), 0)
  return new CommandError(
    `nothing was imported: ${number}${lines > different ? ` on ${lines} lines` : ''}`,
    reportFile
      ? `All are in ${reportFile}`
      : shown < count
        ? 'With --report FILE all of them are written to a file, line by line.'
        : undefined,
  )
}
