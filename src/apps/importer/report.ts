import { type FileHandle, open } from 'node:fs/promises'
import type { Transaction } from '../../database/session.ts'
import { harmless } from '../../domain/spreadsheet.ts'
import type { Cause, RowError } from './row-error.ts'

/** What is wrong with a file: how many errors on how many lines, how many different ones, and of each kind the first few. */
export type Findings = { count: number; lines: number; different: number; causes: Cause[] }

/** Nothing is wrong. */
export const noFindings: Findings = { count: 0, lines: 0, different: 0, causes: [] }

/** Of one kind (a column with a problem) so many different errors are told, and of one error so many lines. */
const shownOfKind = 5
const shownLines = 3
const maxShown = 100
const page = 5000

/** Reads the errors from the staging table, and writes all of them to the report, if there is one. */
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
       count(distinct (e.column_name, e.value, e.problem, e.remedy))::integer as different
     from pg_temp.import_row_errors e`,
  )
  if (counted === undefined || counted.count === 0) return noFindings
  return { ...counted, causes: await transaction.query<Cause>(causes) }
}

/** Errors with the same cause as one, those of a kind one after the other. Numbers in a problem are the row's own. */
const causes = `
  with causes as (
    select e.column_name, e.value, e.problem, e.remedy, count(*) as count, min(e.line) as first,
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
  select r.column_name as "column", r.value, r.problem, r.remedy, r.count::integer, array_remove(r.lines, null) as lines,
    case when r.place = ${shownOfKind} then (r.of_kind - r.place)::integer else 0 end as more
  from ranked r
  where r.place <= ${shownOfKind}
  order by r.begun nulls first, r.place_name nulls first, r.kind, r.place
  limit ${maxShown}`

/** The same for a file that is rejected before a database is needed. */
export async function reportErrors(errors: readonly RowError[], reportFile?: string): Promise<Findings> {
  await withReport(reportFile, (write) => write(errors))
  const lines = new Set(errors.map(({ line }) => line)).size
  const kindOf = ({ column, problem }: RowError) => `${column?.replace(/^column \d+$/, '')}: ${problem}`
  const kinds = Map.groupBy(errors, kindOf)
  const shown = [...kinds.values()].flatMap((alike) =>
    alike.slice(0, shownOfKind).map(({ line, ...error }, index) => ({
      ...error,
      count: 1,
      lines: line === null ? [] : [line],
      more: index === shownOfKind - 1 ? alike.length - shownOfKind : 0,
    })),
  )
  return { count: errors.length, lines, different: errors.length, causes: shown }
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
          ...[column ?? '', value ?? '', problem, remedy ?? ''].map(harmless),
        ]),
      )
      await file?.write(lines.join(''))
    })
  } finally {
    await file?.close()
  }
}

/** A line of a CSV file as RFC 4180 has it. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map((cell) => (/[",;\t\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(',')}\r\n`
}
