import { type FileHandle, open } from 'node:fs/promises'
import type { Transaction } from '../../database/session.ts'
import type { Flaw } from './flaw.ts'

/** What was found: how much, and the first of it in the order of the file. */
export type Findings = { count: number; first: Flaw[] }

const shownAtMost = 100
const page = 5000

/** Reads what was noted in the staging tables, and writes all of it to the report, if there is one. */
export async function collectFlaws(transaction: Transaction, reportFile?: string): Promise<Findings> {
  return withReport(reportFile, async (write) => {
    await transaction.query(
      `declare noted no scroll cursor for
       select f.line::integer, f.column_name as "column", f.value, f.problem, f.remedy
       from pg_temp.import_flaws f order by f.line nulls first, f.column_name nulls first, f.value, f.problem`,
    )
    const findings: Findings = { count: 0, first: [] }
    for (;;) {
      const flaws = await transaction.query<Flaw>(`fetch ${page} from noted`)
      if (flaws.length === 0) break
      findings.first.push(...flaws.slice(0, Math.max(0, shownAtMost - findings.count)))
      findings.count += flaws.length
      await write(flaws)
    }
    await transaction.query('close noted')
    return findings
  })
}

/** The same for a file that was given up before a database was needed. */
export async function reportFlaws(flaws: readonly Flaw[], reportFile?: string): Promise<Findings> {
  return withReport(reportFile, async (write) => {
    await write(flaws)
    return { count: flaws.length, first: flaws.slice(0, shownAtMost) }
  })
}

async function withReport<Result>(
  path: string | undefined,
  work: (write: (flaws: readonly Flaw[]) => Promise<void>) => Promise<Result>,
): Promise<Result> {
  const file: FileHandle | undefined = path === undefined ? undefined : await open(path, 'w')
  try {
    await file?.write(csvLine(['line', 'column', 'value', 'problem', 'remedy']))
    return await work(async (flaws) => {
      const lines = flaws.map(({ line, column, value, problem, remedy }) =>
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
