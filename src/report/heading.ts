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

/** The heading of a report. Dates are `YYYY-MM-DD`. */
export type Heading = {
  studio: string
  day: string
  /** Today on the studio's own calendar. */
  today: string
  /** ISO 4217; applies to every amount. */
  currency: string
  /** When it was made, RFC 3339 in UTC, with milliseconds. */
  madeAt: string
  /** The one policy that it is about; null: the whole studio. */
  policy: Policy | null
  /** For whom it is; empty when nobody is named. */
  preparedFor: string
}

/** A policy with its terms; null where they are not recorded. */
export type Policy = {
  id: string
  name: string
  number: string | null
  carrier: string | null
  archived: boolean
  starts: string | null
  ends: string | null
  limit: string | null
  deductible: string | null
}

/** The choices for a schedule. */
export type ScheduleRequest = {
  studioId: string
  /** `YYYY-MM-DD`; null means today on the studio's calendar. */
  day: string | null
  /** The id, number or name of the one policy that it is about. */
  policy?: string | undefined
  preparedFor?: string | undefined
  format: Format
}
