import { stringify } from 'csv-stringify/sync'
import type { Request } from 'express'
import Negotiator from 'negotiator'
import type { z } from 'zod'
import { escapeFormula } from '../domain/text.ts'
import type { Operation } from './operation.ts'

export const csvType = 'text/csv; charset=utf-8; header=present'

/** Whether the client prefers CSV to JSON. Only lists have CSV. JSON wins without a preference. */
export function prefersCsv(operation: Operation, { headers }: Pick<Request, 'headers'>): boolean {
  const accept = headers.accept?.toLowerCase()
  if (operation.envelope !== 'list' || !accept?.includes('text/csv')) return false
  // The negotiator would match the type's parameters, which do not change the format.
  const plain = accept.replaceAll(/text\/csv((?:\s*;(?!\s*q=)[^,;]*)+)/g, 'text/csv')
  return new Negotiator({ headers: { accept: plain } }).mediaType(['application/json', 'text/csv']) === 'text/csv'
}

/** A page of a list as CSV (RFC 4180), with the columns in the JSON's order. Numbers keep their
 * digits, null is empty, "; " joins arrays, and an apostrophe guards a cell that looks like a
 * formula. `records` are JSON texts joined by commas. */
export function csvOf(operation: Operation, records: string): string {
  const data = JSON.parse(`[${records}]`, exactly) as object[]
  const lines = data.map((record) => Object.values(record).map(cell))
  // Quotes a text with any kind of line break, because programs disagree on what ends a line.
  return stringify([columnsOf(operation), ...lines], { record_delimiter: 'windows', quote_record_delimiter: true })
}

/** Keeps the digits of a number as the JSON has them. */
type Exact = { digits: string }

/** TypeScript's type of this function lacks the third argument. */
const exactly = ((_key: string, value: unknown, { source }: { source?: string }) =>
  typeof value === 'number' ? { digits: source } : value) as unknown as (key: string, value: unknown) => unknown

function cell(value: null | boolean | string | string[] | Exact): string {
  if (value === null) return ''
  if (Array.isArray(value)) return escapeFormula(value.join('; '))
  if (typeof value === 'object') return value.digits
  return typeof value === 'string' ? escapeFormula(value) : String(value)
}

/** The names of a record's fields, in the order of the JSON. */
function columnsOf({ schema }: Operation): string[] {
  const { data } = (schema as z.ZodObject<{ data: z.ZodArray<z.ZodObject> }>).shape
  return Object.keys(data.element.shape)
}
