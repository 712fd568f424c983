/** Reads ISO 8601: calendar, ordinal and week dates, alone or with a time and an offset. Rejects
 * years and months alone, a space for `T`, expanded years, and words such as `now`. */

const datePart = {
  extended: String.raw`(?<year>\d{4})-(?:(?<month>\d\d)-(?<day>\d\d)|(?<ordinal>\d{3})|W(?<week>\d\d)-(?<weekday>\d))`,
  basic: String.raw`(?<year>\d{4})(?:(?<month>\d\d)(?<day>\d\d)|(?<ordinal>\d{3})|W(?<week>\d\d)(?<weekday>\d))`,
}
const timePart = {
  extended: String.raw`(?<hour>\d\d)(?::(?<minute>\d\d)(?::(?<second>\d\d))?)?(?:[.,](?<fraction>\d+))?`,
  basic: String.raw`(?<hour>\d\d)(?:(?<minute>\d\d)(?<second>\d\d)?)?(?:[.,](?<fraction>\d+))?`,
}
/** Form data decodes a `+` as a space. No valid text has another space in this place. */
const offsetPart = String.raw`[Zz]|(?<sign>[+\- ])(?<offsetHour>\d\d)(?::?(?<offsetMinute>\d\d))?`

const forms = [
  new RegExp(`^${datePart.extended}(?:[Tt]${timePart.extended}(?:${offsetPart})?)?$`),
  new RegExp(`^${datePart.basic}(?:[Tt]${timePart.basic}(?:${offsetPart})?)?$`),
]

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/** PostgreSQL has no year 0000, and the year 10000 has more than four digits. */
const earliest = instantOfDay(1, 1, 1)
const latest = instantOfDay(9999, 12, 31) + dayMs - 1

/** The form of `Next-Updated-Since`, as most clients send. The parser takes ten times as long. */
const canonical = /^(?!0000)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/** The instant as `YYYY-MM-DDTHH:MM:SS.mmmZ`, rounded up to a millisecond; null when the text is
 * not ISO 8601. No time means midnight, no offset UTC.
 * Serves: "`updated_since` …; an invalid timestamp gives 400." */
export function canonicalInstant(text: string): string | null {
  if (canonical.test(text) && new Date(text).toJSON() === text) return text
  for (const form of forms) {
    const fields = form.exec(text)?.groups
    if (fields !== undefined) return instantOf(fields)
  }
  return null
}

type DateFields = Record<string, string | undefined>

function instantOf(fields: DateFields): string | null {
  const day = dayOf(fields)
  const time = timeOf(fields)
  const offset = offsetOf(fields)
  if (day === null || time === null || offset === null) return null
  const second = day + time - offset
  // A leap second ends a UTC day, so its second 60 has become the first midnight after it.
  if (fields.second === '60' && second % dayMs !== 0) return null
  const instant = second + fractionOf(fields)
  if (fields.hour === '24' && instant !== day + dayMs - offset) return null
  return new Date(Math.min(Math.max(instant, earliest), latest)).toISOString()
}

/** Midnight of the named day in milliseconds, or null when the calendar has no such day. */
function dayOf(fields: DateFields): number | null {
  const year = Number(fields.year)
  if (fields.ordinal !== undefined) {
    const instant = instantOfDay(year, 1, Number(fields.ordinal))
    return new Date(instant).getUTCFullYear() === year ? instant : null
  }
  if (fields.week !== undefined) {
    const [week, weekday] = [Number(fields.week), Number(fields.weekday)]
    // A week belongs to the year of its Thursday; the first week contains 4 January.
    const fourth = instantOfDay(year, 1, 4)
    const monday = fourth - ((new Date(fourth).getUTCDay() + 6) % 7) * dayMs + (week - 1) * 7 * dayMs
    if (new Date(monday + 3 * dayMs).getUTCFullYear() !== year || weekday < 1 || weekday > 7) return null
    return monday + (weekday - 1) * dayMs
  }
  const [month, day] = [Number(fields.month), Number(fields.day)]
  if (month < 1 || month > 12 || day < 1) return null
  const instant = instantOfDay(year, month, day)
  return new Date(instant).getUTCMonth() === month - 1 ? instant : null
}

/** Milliseconds since midnight without the fraction, or null. A missing time is midnight. */
function timeOf(fields: DateFields): number | null {
  if (fields.hour === undefined) return 0
  const [hour, minute, second] = [Number(fields.hour), Number(fields.minute ?? 0), Number(fields.second ?? 0)]
  if (hour > 24 || minute > 59 || second > 60) return null
  return hour * hourMs + minute * minuteMs + second * 1000
}

/** The fraction of the last unit, in milliseconds, rounded up. Takes any number of digits. */
function fractionOf(fields: DateFields): number {
  if (fields.fraction === undefined) return 0
  const unit = fields.second !== undefined ? 1000 : fields.minute !== undefined ? minuteMs : hourMs
  const scale = 10n ** BigInt(fields.fraction.length)
  return Number((BigInt(unit) * BigInt(fields.fraction) + scale - 1n) / scale)
}

/** Milliseconds east of UTC, or null. */
function offsetOf(fields: DateFields): number | null {
  if (fields.sign === undefined) return 0
  const [hour, minute] = [Number(fields.offsetHour), Number(fields.offsetMinute ?? 0)]
  if (hour > 23 || minute > 59) return null
  const offset = hour * hourMs + minute * minuteMs
  return fields.sign === '-' ? -offset : offset
}

/** Unlike `Date.UTC`, takes the years 0 to 99 as written. A day may run into the next month. */
function instantOfDay(year: number, month: number, day: number): number {
  return new Date(0).setUTCFullYear(year, month - 1, day)
}

/** Whether a text is a day of the calendar, from the year 1 on, as `YYYY-MM-DD`. */
export function isCalendarDay(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text) || text.startsWith('0000')) return false
  const parsed = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(parsed.getTime()) && parsed.toISOString().slice(0, 10) === text
}

/** The same for a day from 1900 to 2199. */
export function isDay(text: string): boolean {
  return /^(?:19|20|21)/.test(text) && isCalendarDay(text)
}

/** The day so many days after another; before it for a negative number. Both are `YYYY-MM-DD`. */
export const daysAfter = (day: string, days: number): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10)
