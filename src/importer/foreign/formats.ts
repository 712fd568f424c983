import { canonicalInstant, isCalendarDay } from '../../domain/dates.ts'
import type { Hint, ValueForm } from '../cells.ts'

/** How a file writes dates and amounts, according to the user. */
export type Formats = {
  /** The order of a date, such as `dd/mm/yyyy`, `mm/dd/yy` or `mmmm d, yyyy`. */
  dates?: string
  decimal?: 'comma' | 'point'
}

/** Whether a text is a date format: day, month and year once each. Numbers have one separator;
 * `mmm` or `mmmm` stands for a month by its name. */
export function isDateFormat(format: string): boolean {
  const parts = partsOf(format)
  if (parts.length !== 3 || new Set(parts.map(([letter]) => letter)).size !== 3) return false
  return hasNames(format) || /^[dmy]+([./-])[dmy]+\1[dmy]+$/i.test(format)
}

const partsOf = (format: string) => format.toLowerCase().match(/(?<![dmy])(?:d{1,2}|m{1,4}|yyyy|yy)(?![dmy])/g) ?? []
const hasNames = (format: string) => /mmm/i.test(format) && /^[dmy., -]+$/i.test(format)

/** Converts a cell's text to the importer's form, or says what is wrong. ISO dates always work.
 * @param calendar the studio's, for times with an offset @param decimals of its currency */
export function canonical(
  text: string,
  reads: ValueForm | undefined,
  { dates, decimal }: Formats,
  calendar: Calendar = utc,
  decimals = 2,
): string | Hint {
  const day = reads === 'day' && dates?.toLowerCase() !== 'yyyy-dd-mm' ? dayOfTime(text.trim(), calendar) : undefined
  if (day !== undefined) return day
  if ((reads === 'day' || reads === 'moment') && dates !== undefined) {
    return dayOf(text.trim(), dates.toLowerCase(), reads === 'moment')
  }
  if (reads === 'amount') return decimal === undefined ? text : amountOf(text.trim(), decimal, decimals)
  return text
}

/** The day of a moment, as `YYYY-MM-DD`. */
export type Calendar = (moment: Date) => string

export function calendarOf(timezone = 'UTC'): Calendar {
  let format: Intl.DateTimeFormat | undefined
  return (moment) => {
    // The Swedish form of a date is the ISO form.
    format ??= new Intl.DateTimeFormat('sv-SE', { timeZone: timezone, dateStyle: 'short' })
    return format.format(moment)
  }
}

const utc = calendarOf()

/** The day of an ISO date with a time; with an offset, the studio's day at that moment. */
function dayOfTime(text: string, calendar: Calendar): string | undefined {
  const [, day, time, offset] =
    /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d\S*?)(?: ?(Z|UTC|GMT|[+-]\d\d(?::?\d\d)?))?$/i.exec(text) ?? []
  if (day === undefined) return undefined
  const instant = canonicalInstant(`${day}T${time}${offset?.replace(/UTC|GMT/i, 'Z') ?? ''}`)
  if (instant === null) return undefined
  return offset === undefined ? day : calendar(new Date(instant))
}

const time = String.raw`(?:[ T](?<hour>\d{1,2}):(?<rest>\d\d(?::\d\d)?)(?: ?(?<half>[AP]M))?)?`

/** Reads a date in the format that the user named. @param timed keeps the time of day */
function dayOf(text: string, format: string, timed: boolean): string | Hint {
  if (/^\d{4}-\d\d-\d\d/.test(text) && format !== 'yyyy-dd-mm') return text
  const order = partsOf(format)
  const separator = hasNames(format) ? undefined : format.replace(/[dmy]/g, '').charAt(0)
  const found = new RegExp(`^${patternOf(order, separator)}${time}$`, 'iu').exec(text)
  if (found === null) return { problem: `is not a date ${format}`, remedy: `write ${example(format)}` }
  const part = (letter: string) =>
    (found[order.findIndex((name) => name.startsWith(letter)) + 1] ?? '').padStart(2, '0')
  const month = separator === undefined ? monthCalled(part('m')) : part('m')
  if (month === undefined) return { problem: 'has no month that is known', remedy: `write ${example(format)}` }
  const iso = `${yearOf(part('y'))}-${month}-${part('d')}`
  if (!isCalendarDay(iso)) {
    return { problem: `is not a day of the calendar, read as ${format}`, remedy: 'correct the day' }
  }
  return timed ? `${iso}${clockOf(found.groups)}` : iso
}

/** Writes the time `01:26PM` as `T13:26`. Without a time it is empty. */
function clockOf({ hour, rest = '', half }: Record<string, string | undefined> = {}): string {
  if (hour === undefined) return ''
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (/p/i.test(half) ? 12 : 0)
  return `T${String(hours).padStart(2, '0')}:${rest}`
}

/** A pattern for day, month and year in this order. Between names, any blanks, dots and commas. */
function patternOf(order: readonly string[], separator: string | undefined): string {
  const digits = order.map((part) => {
    if (part.startsWith('y')) return String.raw`(\d{${part.length}})`
    if (part.startsWith('mmm')) return String.raw`([\p{L}\p{M}]+)`
    return separator === undefined ? String.raw`(\d{1,2})(?:st|nd|rd|th|er|º)?` : String.raw`(\d{1,2})`
  })
  return digits.join(separator === undefined ? String.raw`[\s.,-]+(?:(?:de|of)\s+)?` : `[${separator}]`)
}

/** Reads a year of two digits as one of the next ten years or of the ninety until now. */
function yearOf(digits: string): string {
  if (digits.length === 4) return digits
  const now = new Date().getUTCFullYear()
  const year = now - (now % 100) + Number(digits)
  return String(year > now + 10 ? year - 100 : year)
}

const languages = ['en', 'de', 'fr', 'es', 'it', 'nl', 'pt', 'sv', 'da', 'nb', 'pl', 'cs']
let months: Map<string, string> | undefined

/** A month by its name or its first letters, in any of the languages; undefined: none, or several. */
function monthCalled(text: string): string | undefined {
  months ??= namesOfMonths()
  return months.get(text.toLowerCase()) || undefined
}

function namesOfMonths(): Map<string, string> {
  const names = new Map<string, string>()
  for (const language of languages) {
    for (const style of ['long', 'short'] as const) {
      const format = new Intl.DateTimeFormat(language, { day: 'numeric', month: style, timeZone: 'UTC' })
      for (let month = 0; month < 12; month += 1) {
        const parts = format.formatToParts(Date.UTC(2024, month, 1))
        const name = (parts.find(({ type }) => type === 'month')?.value ?? '').toLowerCase().replace(/\.$/, '')
        const number = String(month + 1).padStart(2, '0')
        for (const known of [name, [...name].slice(0, 3).join('')]) {
          const other = names.get(known)
          names.set(known, other === undefined || other === number ? number : '')
        }
      }
    }
  }
  return names
}

const samples: Readonly<Record<string, string>> = { yyyy: '2024', yy: '24', mmmm: 'December', mmm: 'Dec' }

const example = (format: string) =>
  format.replace(/[dmy]+/g, (part) => samples[part] ?? (part.startsWith('d') ? '31' : '12'))

function amountOf(text: string, decimal: 'comma' | 'point', decimals: number): string | Hint {
  const [mark, group] = decimal === 'comma' ? [',', '.'] : ['.', ',']
  const groups = String.raw`[\s\u00a0\u202f'’${group}]`
  const places = String.raw`\d{1,${decimals || 2}}`
  const pattern = new RegExp(String.raw`^([1-9]\d{0,2}(?:${groups}\d{3})+|\d+)(?:[${mark}](${places})(0*))?$`)
  const found = pattern.exec(text)
  if (decimals !== 3 && found?.[3] && (found[2] ?? '').length + found[3].length === 3) {
    const whole = (found[1] ?? '').replace(/\D/g, '')
    return {
      problem: `has three digits after the decimal ${decimal}, which may be thousands`,
      remedy: `write ${whole}${mark}${`${found[2]}${found[3]}`.slice(0, 2)}, or ${whole}${found[2]}${found[3]} for thousands`,
    }
  }
  if (found === null) {
    // A text with other characters is refused later, by a message that explains it better.
    if (!/^[\d\s\u00a0\u202f'’.,]+$/.test(text)) return text
    const right = decimal === 'comma' ? '1.234,50 or 1234,50' : '1,234.50 or 1234.50'
    return { problem: `is not an amount with a decimal ${decimal}`, remedy: `write ${right}` }
  }
  const whole = (found[1] ?? '').replace(/\D/g, '')
  return found[2] === undefined ? whole : `${whole}.${found[2]}`
}
