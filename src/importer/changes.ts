import type { Transaction } from '../database/session.ts'
import { minorUnits } from '../domain/vocabulary.ts'
import type { Column, FileLayout, Kind } from './kinds/kind.ts'
import { inSessionStudio, rowsOf, stagedAs, targetOf } from './kinds/kind.ts'

/** How a value is shown to people. */
type Shows = 'text' | 'amount' | 'day' | 'moment'

/** A value as JSON has it: dates and moments are ISO 8601, amounts numbers. */
type Value = string | number | boolean | readonly string[] | null

/** A row that an import would add or change. */
export type RowChange = {
  line: number
  /** Its external key, or that of its item. */
  key: string | null
  isNew: boolean
  /** Why it is shown first, such as `largest purchase_price`. */
  odd: string[]
  /** The value of each column before the import (null for a new row) and after it. */
  values: { before: Value; after: Value }[]
}

/** The rows that an import would add or change, with the values of the columns that it reads. */
export type Changes = { columns: { name: string; shows: Shows }[]; rows: RowChange[] }

/** Which rows to show: those after a line, in the order of the file. Undefined: ten, the most unusual first. */
export type Shown = { after: number; rows: number } | undefined

const shownAtFirst = 10
const changing = `r.change in ('new', 'changed')`

/** Reads rows that an import would add or change. */
export async function readChanges(
  transaction: Transaction,
  kind: Kind,
  layout: FileLayout,
  shown?: Shown,
): Promise<Changes> {
  const columns = layout.columns.filter(({ name }) => name !== kind.key)
  const odd = shown === undefined ? await oddRows(transaction, columns) : new Map<number, string[]>()
  const lines = [...odd.keys()].slice(0, shownAtFirst)
  const { after, rows: most } = shown ?? { after: 0, rows: shownAtFirst - lines.length }
  const others = await transaction.query<{ line: number }>(
    `select r.line::integer as line from pg_temp.import_rows r
     where ${changing} and r.line > $1 and r.line <> all($2::bigint[]) order by r.line limit $3`,
    [after, lines, most],
  )
  lines.push(...others.map(({ line }) => line))
  const rows = await transaction.query<Omit<RowChange, 'odd' | 'values'> & { values: Value[] }>(
    `select r.line::integer as line, r.${kind.key} as key, r.change = 'new' as "isNew",
       jsonb_build_array(${columns.flatMap(valuesOf).join(', ')}) as values
     from ${rowsOf(kind)} where r.line = any($1::bigint[]) order by array_position($1::bigint[], r.line), r.piece`,
    [lines],
  )
  return {
    columns: columns.map((column) => ({ name: column.name, shows: showsOf(column) })),
    rows: rows.map(({ values, ...row }) => ({
      ...row,
      odd: odd.get(row.line) ?? [],
      values: columns.map((_, at) => ({ before: values[2 * at] ?? null, after: values[2 * at + 1] ?? null })),
    })),
  }
}

const showsOf = ({ cell: { reads } }: Column): Shows =>
  reads === undefined || reads === 'whole' || reads === 'yesNo' ? 'text' : reads

/** Finds the rows with the largest amounts and with the earliest and latest dates. A person sees there first
 * that a file was misread. */
async function oddRows(transaction: Transaction, columns: readonly Column[]): Promise<Map<number, string[]>> {
  const first = (column: Column, what: string, order: string, condition: string) => `
    (select r.line::integer as line, '${what} ${column.name}' as odd from pg_temp.import_rows r
     where ${changing} and r.${targetOf(column)} ${condition} order by r.${targetOf(column)} ${order}, r.line limit 1)`
  const selects = columns.flatMap((column) => {
    const shows = showsOf(column)
    if (shows === 'amount') return [first(column, 'largest', 'desc', '> 0')]
    if (shows === 'text') return []
    return [first(column, 'earliest', 'asc', 'is not null'), first(column, 'latest', 'desc', 'is not null')]
  })
  const odd = new Map<number, string[]>()
  if (selects.length === 0) return odd
  for (const found of await transaction.query<{ line: number; odd: string }>(selects.join(' union all '))) {
    odd.set(found.line, [...(odd.get(found.line) ?? []), found.odd])
  }
  return odd
}

/** A row's present and future value in SQL. Shows references by their names. */
function valuesOf(column: Column): [string, string] {
  const target = targetOf(column)
  if (column.name === 'archived') return ['existing.archived_at is not null', 'r.archived_at is not null']
  if (column.refersTo === undefined) return [`existing.${target}`, `r.${target}`]
  const name = (id: string) =>
    `(select o.name from app.${column.refersTo} o where o.${inSessionStudio} and o.id = ${id})`
  return [name(`existing.${target}`), `coalesce(${name(`r.${target}`)}, r.${stagedAs(column)})`]
}

const days = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' })
const times = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' })

/** A value as people read it: `4 March 2024`, `2,650.00 GBP`; empty when there is none. */
export function inWords(value: Value, shows: Shows, currency: string): string {
  if (value === null) return ''
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (shows === 'amount') {
    const decimals = minorUnits(currency)
    const amounts = new Intl.NumberFormat('en-GB', { minimumFractionDigits: decimals, maximumFractionDigits: decimals })
    return `${amounts.format(Number(value))} ${currency}`
  }
  if (shows === 'day') return days.format(new Date(String(value)))
  if (shows === 'moment') return `${times.format(new Date(String(value)))} UTC`
  return Array.isArray(value) ? value.join(', ') : String(value)
}
