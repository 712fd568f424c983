import { type BulkTransaction, type Client, inTransaction, type Transaction } from '../database/client.ts'
import type { LoginUrl } from '../database/roles.ts'
import { enterStudio } from '../database/session.ts'
import type { RowError } from './row-errors.ts'

/** A row for the staging table: values in the order of `columns`, and names of unreadable cells. */
export type StagedRow = {
  line: number
  /** A row of several pieces makes several items: which one this is, from 1. */
  piece?: number
  invalid: string[]
  values: (string | null)[]
}

/** The studio's time zone and currency. */
export type StudioPlace = { timezone: string; currency: string }

/** Runs `work` in a transaction of studio_writer, on one studio's rows (row-level security).
 * @param database a connection string, or an open connection that the caller closes */
export function withStudioWriter<Result>(
  database: LoginUrl | Client,
  studioId: string,
  work: (transaction: BulkTransaction) => Promise<Result>,
  signal?: AbortSignal,
): Promise<Result> {
  const inStudio = async (transaction: BulkTransaction) => {
    await enterStudio(transaction, studioId)
    return work(transaction)
  }
  return inTransaction(database, inStudio, signal)
}

/** Opens an import into a table of app for this transaction. A studio has one import at a time. */
export async function openImport(transaction: Transaction, table: string): Promise<StudioPlace> {
  const [place] = await transaction.query<StudioPlace>('select timezone, currency from app.open_import($1)', [table])
  if (place === undefined) throw new Error('an import was opened without an answer')
  return place
}

export async function stageRows(
  transaction: BulkTransaction,
  columns: readonly string[],
  rows: readonly StagedRow[],
): Promise<void> {
  if (rows.length === 0) return
  const lines = rows.map(({ line, piece = 1, invalid, values }) => [
    String(line),
    String(piece),
    invalid.length === 0 ? null : `{${invalid.join(',')}}`,
    ...values,
  ])
  await transaction.copyIn(
    `copy pg_temp.import_rows (line, piece, invalid_columns${columns.map((column) => `, ${column}`).join('')}) from stdin`,
    copyText(lines),
  )
}

export async function stageErrors(transaction: BulkTransaction, errors: readonly RowError[]): Promise<void> {
  if (errors.length === 0) return
  await transaction.copyIn(
    'copy pg_temp.import_row_errors (line, column_name, value, problem, remedy, doubt) from stdin',
    copyText(
      errors.map(({ line, column, value, problem, remedy, doubt }) => [
        line === null ? null : String(line),
        column,
        value?.slice(0, 1000) ?? null,
        problem,
        remedy,
        doubt ?? null,
      ]),
    ),
  )
}

const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' }

function copyText(rows: readonly (readonly (string | null)[])[]): string {
  const cell = (value: string | null) =>
    value === null ? '\\N' : value.replace(/[\\\n\r\t]/g, (character) => escapes[character] ?? character)
  return rows.map((row) => `${row.map(cell).join('\t')}\n`).join('')
}
