import { type FileHandle, open } from 'node:fs/promises'
import type { Transaction } from '../database/session.ts'
import { escapeFormula } from '../domain/text.ts'
import { acceptOption, type DoubtName, doubts } from './doubts.ts'

/** An error in a file. Any error prevents all writing. */
export type RowError = {
  /** The line, as editors count; null for a file in a folder. */
  line: number | null
  /** Null when the error concerns the whole line. */
  column: string | null
  /** The text of the cell; null when it is empty or absent. */
  value: string | null
  /** The problem, as the end of a sentence about the value. */
  problem: string
  remedy: string | null
  /** It is a doubt, which somebody may accept by this name. */
  doubt?: DoubtName
}

/** A doubt as an error: somebody corrects the file, or accepts it. */
export function doubtAsError(
  doubt: DoubtName,
  { remedy, ...error }: Omit<RowError, 'doubt' | 'remedy'> & { remedy: string },
): RowError {
  return { ...error, doubt, remedy: `${remedy}, or ${acceptOption(doubt)}, which ${doubts[doubt].accepted}` }
}

/** Errors with the same cause: the same column, value and problem on one or more lines. */
export type Cause = Omit<RowError, 'line'> & {
  count: number
  /** The first lines; none for files of a folder. */
  lines: number[]
  /** How many more errors have this problem in this column, and are not shown. */
  more: number
}

/** The sheets of a workbook that are shown, and the one that is read. */
export type Sheets = { names: readonly string[]; read: string }

/** The import refuses a file as a whole. The hint says what to do. */
export class Refused extends Error {
  readonly hint: string

  constructor(message: string, hint: string) {
    super(message)
    this.hint = hint
  }
}

/** The file cannot be read at all, or only up to a line. */
export class UnreadableFile extends Refused {
  override name = 'UnreadableFile'
  readonly line: number
  /** The sheets of the workbook, because another one may be the right one. */
  sheets?: Sheets

  constructor(line: number, message: string, hint: string) {
    super(message, hint)
    this.line = line
  }
}

/** An error for people, on one line. */
export function sentence({ line, ...error }: RowError): string {
  return sentenceOn(line === null ? null : `line ${line}`, error)
}

/** Errors with one cause for people, on one line. */
export function sentenceOf({ lines, count, ...cause }: Cause): string {
  return sentenceOn(lines.length === 0 ? null : linesInWords(lines, count), cause)
}

function linesInWords(lines: readonly number[], count: number): string {
  if (count === 1) return `line ${lines[0]}`
  const rest = count - lines.length
  if (rest > 0) return `lines ${lines.join(', ')} and ${rest} more`
  return `lines ${lines.slice(0, -1).join(', ')} and ${lines.at(-1)}`
}

function sentenceOn(lines: string | null, { column, value, problem, remedy }: Omit<RowError, 'line'>): string {
  const place = [lines, column].filter((part) => part !== null).join(', ')
  const shown = value === null ? '' : `${place === '' ? '' : ' '}${quoted(value)}`
  return `${place}${shown}: ${problem}${remedy === null ? '' : `; ${remedy}`}`.replace(/^: /, '')
}

/** Puts a value in quotation marks: on one line, without control characters, and shortened. */
export function quoted(value: string): string {
  const line = value.replace(/\p{Cc}+/gu, ' ')
  return `"${line.length > 80 ? `${line.slice(0, 80)}…` : line}"`
}

/** A file's errors: how many, on how many lines, how many different; and the first of each kind. */
export type Findings = {
  count: number
  lines: number
  different: number
  causes: Cause[]
  /** The doubts among them, each of which somebody may accept. */
  doubts?: DoubtName[]
}

export const noFindings: Findings = { count: 0, lines: 0, different: 0, causes: [] }

/** How many different errors of one kind (column and problem) to show, and lines of each. */
const shownOfKind = 5
const shownLines = 3
const maxShown = 100
const page = 5000

/** Reads the errors from the staging table, and writes all of them to the report file, if any. */
export async function collectErrors(transaction: Transaction, reportFile?: string): Promise<Findings> {
  await withReport(reportFile, async (write) => {
    if (reportFile === undefined) return
    await transaction.query(
      `declare found no scroll cursor for
       select error.line::integer, error.column_name as "column", error.value, error.problem, error.remedy
       from pg_temp.import_row_errors as error
       order by error.line nulls first, error.column_name nulls first, error.value, error.problem`,
    )
    for (;;) {
      const errors = await transaction.query<RowError>(`fetch ${page} from found`)
      if (errors.length === 0) break
      await write(errors)
    }
    await transaction.query('close found')
  })
  const [counted] = await transaction.query<Omit<Findings, 'causes'>>(
    `select count(*)::integer as count, count(distinct e.line)::integer as lines,
       count(distinct (e.column_name, e.value, e.problem, e.remedy))::integer as different,
       array_remove(array_agg(distinct e.doubt), null) as doubts
     from pg_temp.import_row_errors e`,
  )
  if (counted === undefined || counted.count === 0) return noFindings
  return { ...counted, causes: await transaction.query<Cause>(causes) }
}

/** Groups errors by their cause, and puts causes of one kind together. Problems that differ only in numbers are
 * of one kind. */
const causes = `
  with causes as (
    select e.column_name, e.value, e.problem, e.remedy, min(e.doubt) as doubt, count(*) as count, min(e.line) as first,
      (array_agg(e.line::integer order by e.line))[1:${shownLines}] as lines,
      regexp_replace(e.problem, '[0-9]+', '', 'g') as kind, regexp_replace(e.column_name, '^column [0-9]+$', '') as place_name
    from pg_temp.import_row_errors e
    group by e.column_name, e.value, e.problem, e.remedy
  ), ranked as (
    select c.*, row_number() over (partition by c.place_name, c.kind
        order by c.first, length(c.column_name), c.column_name, c.value) as place,
      count(*) over (partition by c.place_name, c.kind) as of_kind,
      min(c.first) over (partition by c.place_name, c.kind) as begun
    from causes c
  )
  select r.column_name as "column", r.value, r.problem, r.remedy, r.doubt, r.count::integer, array_remove(r.lines, null) as lines,
    case when r.place = ${shownOfKind} then (r.of_kind - r.place)::integer else 0 end as more
  from ranked r
  where r.place <= ${shownOfKind}
  order by r.begun nulls first, r.place_name nulls first, r.kind, r.place
  limit ${maxShown}`

/** Reports the errors of a file that was refused before the database was needed. */
export async function reportErrors(errors: readonly RowError[], reportFile?: string): Promise<Findings> {
  await withReport(reportFile, (write) => write(errors))
  const causes = errors.map(({ line, ...error }) => ({
    ...error,
    count: 1,
    lines: line === null ? [] : [line],
    more: 0,
  }))
  const lines = new Set(errors.map(({ line }) => line)).size
  return { count: errors.length, lines, different: errors.length, causes: causes.slice(0, maxShown) }
}

async function withReport<Result>(
  path: string | undefined,
  work: (write: (errors: readonly RowError[]) => Promise<void>) => Promise<Result>,
): Promise<Result> {
  const file: FileHandle | undefined = path === undefined ? undefined : await open(path, 'w')
  try {
    await file?.write(csvLine(['line', 'column', 'value', 'problem', 'remedy']))
    return await work(async (errors) => {
      const lines = errors.map(({ line, column, value, problem, remedy }) =>
        csvLine([
          line === null ? '' : String(line),
          ...[column ?? '', value ?? '', problem, remedy ?? ''].map(escapeFormula),
        ]),
      )
      await file?.write(lines.join(''))
    })
  } finally {
    await file?.close()
  }
}

/** A line of a CSV file (RFC 4180). */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map((cell) => (/[",;\t\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(',')}\r\n`
}
