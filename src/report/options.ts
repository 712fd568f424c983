import { isDay } from '../domain/dates.ts'

/** The formats of a report, with the content type of each. */
export const formats = {
  csv: 'text/csv; charset=utf-8',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  pdf: 'application/pdf',
} as const

export type Format = keyof typeof formats

export const isFormat = (text: string): text is Format => Object.hasOwn(formats, text)

/** @throws Error for a text that is not a day from 1900 to 2199 */
export function requireDay(day: string): void {
  if (!isDay(day)) throw new Error('the day must be a date from 1900 to 2199 as YYYY-MM-DD, for example 2026-03-31')
}

/** How many characters the name of the reader may have: two lines of the PDF's first page. */
export const maxPreparedFor = 120

/** @throws Error for a longer name */
export function requirePreparedFor({ length }: string): void {
  if (length > maxPreparedFor)
    throw new Error(`--prepared-for may have ${maxPreparedFor} characters, and has ${length}: shorten it`)
}

/** A report cannot be about this policy. The message is for the person who asked. */
export class PolicyRefused extends Error {
  override name = 'PolicyRefused'
}
