import { quoted } from '../domain/text.ts'
import { type Changes, inWords } from '../importer/changes.ts'
import { type Cause, sentenceOf } from '../importer/row-errors.ts'
import { asOption } from '../importer/row-keys.ts'
import type { Outcome } from '../importer/run-import.ts'
import { CommandError } from './failure.ts'
import { print, printDone, printJson, remark, warn } from './output.ts'

export const nothingImported = 'interrupted: nothing was imported'

/** A file of categories that the command has begun; `ours` are the API's categories in it. */
export type NewCategoriesFile = { path: string; categories: number; ours: readonly string[] } | undefined

type TellOptions = {
  dryRun: boolean
  reportFile: string | undefined
  json: boolean
  /** The currency of the studio's amounts. */
  currency: string
  begun: NewCategoriesFile
  makeLocations: boolean
}

/** Reports an import: numbers on standard output, everything else on standard error. JSON is one
 * document with both, even when there are errors.
 * @throws CommandError when nothing was imported */
export function printOutcome(
  outcome: Outcome,
  { dryRun, reportFile, json, currency, begun, makeLocations }: TellOptions,
): void {
  const { rows, added, changed, unchanged, archived, notes, errors } = outcome
  if (json) {
    const { count, lines, different, causes } = errors
    printJson({
      dry_run: dryRun,
      ...{ rows, added, changed, unchanged, archived, notes },
      ...(outcome.changes && { changes: changesAsJson(outcome.changes) }),
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
  if (outcome.changes && added + changed > 0) print(changesInWords(outcome.changes, added + changed, currency))
  printDone(
    `${dryRun ? 'Dry run, nothing was written. ' : ''}${rows === 1 ? '1 row' : `${rows} rows`}: ${added} added, ${changed} changed, ${unchanged} unchanged, ${archived} archived`,
  )
}

const changesAsJson = ({ columns, rows }: Changes) => ({
  columns,
  rows: rows.map(({ isNew, ...row }) => ({ ...row, is_new: isNew })),
})

/** Each row that would change, with what its columns would have. */
function changesInWords({ columns, rows }: Changes, all: number, currency: string): string {
  const width = Math.max(...columns.map(({ name }) => name.length))
  const lines = rows.flatMap(({ line, key, isNew, odd, values }) => {
    const why = odd.length > 0 ? ` (${odd.map((text) => text.replaceAll('_', ' ')).join(', ')})` : ''
    const cells = columns.flatMap(({ name, shows }, at) => {
      const { before, after } = values[at] ?? { before: null, after: null }
      const [from, to] = [inWords(before, shows, currency), inWords(after, shows, currency)]
      if (isNew ? to === '' : from === to) return []
      return [`  ${name.padEnd(width)}  ${isNew ? to : `${from || '–'} → ${to || '–'}`}`.replace(/\p{Cc}+/gu, ' ')]
    })
    return [`line ${line}, ${isNew ? 'new' : 'changed'}: ${key}${why}`, ...cells]
  })
  const rest = all - rows.length
  return [...lines, ...(rest > 0 ? [`… and ${rest} more: --all-rows shows them`] : [])].join('\n')
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
        ? 'Add --report FILE to write all of them to a file, line by line.'
        : undefined,
  )
}

/** Advice for the whole file when it is not in the importer's own form. */
function advice(outcome: Outcome, begun: NewCategoriesFile, makeLocations: boolean): string[] {
  const { errors, looksLike, unknownCategories, suggested = [], keys = [] } = outcome
  const has = (column: string, problem: string) =>
    errors.causes.some((cause) => (column === '' || cause.column === column) && cause.problem.startsWith(problem))
  const lines: string[] = []
  if (errors.count > 0 && looksLike) {
    lines.push(`The file looks like an export of ${looksLike.title}: add --from ${looksLike.option}`)
  } else if (suggested.length > 0) {
    const pairs = suggested.map(({ theirs, ours }) => `--map ${quoted(`${theirs.trim()}=${ours}`)}`)
    lines.push(`To read the columns this way and leave out the others: ${pairs.join(' ')}`)
  }
  if (keys.length > 0 && (has('external_key', 'is empty') || has('external_key', 'is already on line'))) {
    lines.push(`These columns differ in each row, so they can be the key: ${keys.map(asOption).join(', or ')}`)
  }
  if (has('', 'is not an ISO date')) {
    lines.push('If the file writes dates in another format, name it: --dates dd/mm/yyyy, mm/dd/yyyy, dd.mm.yyyy …')
  }
  if (has('', 'has a decimal comma')) lines.push('If the file writes decimals with a comma: --decimal comma')
  if (has('', 'has a separator')) {
    lines.push('If the file separates thousands, name its decimal mark: --decimal point, or comma')
  }
  if (has('location', 'matches nothing')) {
    lines.push(
      makeLocations
        ? '--make-locations works for names, not for ids, and needs the Studio plan: other plans have one location'
        : 'To create the missing locations: --make-locations',
    )
  }
  if (begun) {
    lines.push(`Begun ${begun.path} with ${begun.categories === 1 ? '1 category' : `${begun.categories} categories`}.`)
    lines.push(
      'Write the category that each stands for in the column "ours", and import again. Categories:',
      ...begun.ours.map((name) => `  ${name}`),
    )
  } else if (has('category', 'is not one of the values') && (unknownCategories?.size ?? 0) > 0) {
    lines.push(
      'To match unknown categories to known ones: --categories FILE. The command creates the file if it does not exist.',
    )
  }
  return lines
}
