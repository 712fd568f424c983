import { canonicalInstant, isCalendarDay } from '../../domain/dates.ts'
import type { Hint, ValueForm } from '../cells.ts'

/** How a file writes dates and amounts, according to the user. */
export type Formats = {
  /** The order of a date, such as `dd/mm/yyyy`. */
  dates?: string
  decimal?: 'comma' | 'point'
}

/** Whether a text is a date format: day, month and year once each, with one separator. */
export function isDateFormat(format: string): boolean {
  const parts = /^(dd|mm|yyyy)([./-])(dd|mm|yyyy)\2(dd|mm|yyyy)$/.exec(format.toLowerCase())
  return parts !== null && new Set([parts[1], parts[3], parts[4]]).size === 3
}

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
  if (reads === 'amount' && decimal !== undefined) return amountOf(text.trim(), decimal, decimals)
  return text
}

/** The day of a moment, as `YYYY-MM-DD`. */
export type Calendar = (moment: Date) => string

export function calendarOf(timezone = 'UTC'): Calendar {
  let format: Intl.DateTimeFormat | undefined
  return (moment) => {
    // Swedes write ISO dates.
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

/** @param timed keeps the time of day */
function dayOf(text: string, format: string, timed: boolean): string | Hint {
  if (/^\d{4}-\d\d-\d\d/.test(text) && format !== 'yyyy-dd-mm') return text
  const separator = format.replace(/[dmy]/g, '').charAt(0)
  const order = format.split(separator)
  const digits = order.map((part) => (part === 'yyyy' ? String.raw`(\d{4})` : String.raw`(\d{1,2})`))
  const found = new RegExp(`^${digits.join(`\\${separator}`)}${time}$`, 'i').exec(text)
  if (found === null) return { problem: `is not a date ${format}`, remedy: `write ${example(order, separator)}` }
  const part = (name: string) => (found[order.indexOf(name) + 1] ?? '').padStart(2, '0')
  const iso = `${part('yyyy')}-${part('mm')}-${part('dd')}`
  if (!isCalendarDay(iso)) {
    return { problem: `is not a day of the calendar, read as ${format}`, remedy: 'correct the day' }
  }
  return timed ? `${iso}${clockOf(found.groups)}` : iso
}

/** `01:26PM` as `T13:26`; empty without a time. */
function clockOf({ hour, rest = '', half }: Record<string, string | undefined> = {}): string {
  if (hour === undefined) return ''
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (/p/i.test(half) ? 12 : 0)
  return `T${String(hours).padStart(2, '0')}:${rest}`
}

const example = (order: readonly string[], separator: string) =>
  order.map((part) => ({ dd: '31', mm: '12', yyyy: '2024' })[part]).join(separator)

function amountOf(text: string, decimal: 'comma' | 'point', decimals: number): string | Hint {
  const [mark, group] = decimal === 'comma' ? [',', '.'] : ['.', ',']
  const groups = String.raw`[\s\u00a0\u202f'’${group}]`
  const pattern = new RegExp(
    String.raw`^([1-9]\d{0,2}(?:${groups}\d{3})+|\d+)(?:[${mark}](\d{1,${decimals || 2}})0*)?$`,
  )
  const found = pattern.exec(text)
  if (found === null) {
    // Other checks explain the rest, with either decimal mark.
    if (!/^[\d\s\u00a0\u202f'’.,]+$/.test(text)) return text
    const right = decimal === 'comma' ? '1.234,50 or 1234,50' : '1,234.50 or 1234.50'
    return { problem: `is not an amount with a decimal ${decimal}`, remedy: `write ${right}` }
  }
  const whole = (found[1] ?? '').replace(/\D/g, '')
  return found[2] === undefined ? whole : `${whole}.${found[2]}`
}
