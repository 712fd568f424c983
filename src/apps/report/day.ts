/** The day is none, or one that the calendar of the report does not have. */
export class BadDay extends Error {
  override name = 'BadDay'
}

/** @throws BadDay for what is no day from 1900 to 2199 */
export function requireDay(day: string): void {
  const parsed = new Date(`${day}T00:00:00Z`)
  const real = /^(?:19|20|21)\d\d-\d\d-\d\d$/.test(day) && !Number.isNaN(parsed.getTime())
  if (!real || parsed.toISOString().slice(0, 10) !== day) {
    throw new BadDay('the day must be a date from 1900 to 2199 as YYYY-MM-DD, for example 2026-03-31')
  }
}
