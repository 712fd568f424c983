import { type FileHandle, open } from 'node:fs/promises'
import type { Transaction } from '../../database/session.ts'
import type { RowError } from './row-error.ts'

/** How many errors there are, and the first of them in the order of the file. */
export type Findings = { count: number; first: RowError[] }

const shownAtMost = 100
const page = 5000

/** Reads the errors from the staging table, and writes all of them to the report, if there is one. */
export async function collectErrors(transaction: Transaction, reportFile?: string): Promise<Findings> {
  return withReport(reportFile, async (write) => {
    await transaction.query(
      `declare found no scroll cursor for
       select error.line::integer, error.column_name as "column", error.value, error.problem, error.remedy
       from pg_temp.import_row_errors as error
       order by error.line nulls first, error.column_name nulls first, error.value, error.problem`,
    )
    const findings: Findings = { count: 0, first: [] }
    for (;;) {
      const errors = await transaction.query<RowError>(`fetch ${page} from found`)
      if (errors.length === 0) break
      findings.first.push(...errors.slice(0, Math.max(0, shownAtMost - findings.count)))
      findings.count += errors.length
      await write(errors)
    }
    await transaction.query('close found')
    return findings
  })
}

/** The same for a file that is rejected before a database is needed. */
export async function reportErrors(errors: readonly RowError[], reportFile?: string): Promise<Findings> {
  return withReport(reportFile, async (write) => {
    await write(errors)
    return { count: errors.length, first: errors.slice(0, shownAtMost) }
  })
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
        csvLine([line === null ? '' : String(line), column ?? '', value ?? '', problem, remedy ?? '']),
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
