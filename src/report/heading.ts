import type { Format } from './options.ts'

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
  /** For whom the report is; empty when nobody is named. */
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

/** What a schedule is asked for. */
export type ScheduleRequest = {
  studioId: string
  /** `YYYY-MM-DD`; null means today on the studio's calendar. */
  day: string | null
  /** The id, number or name of the one policy that it is about. */
  policy?: string | undefined
  preparedFor?: string | undefined
  format: Format
}
