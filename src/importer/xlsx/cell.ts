import { isCalendarDay } from '../../domain/dates.ts'
import type { Hint, ValueForm } from '../cells.ts'
import type { Stored } from '../csv/records.ts'
import type { Format } from './formats.ts'

/** A cell as the importer takes it. `stored` is its type in the workbook, if not text. */
export type Cell = { text: string; stored?: Stored }

/** A cell as a sheet has it: the text of its elements, undefined where there is none. */
export type RawCell = {
  /** Its column, from 1. */
  column: number
  type: string
  style: number
  value?: string
  formula?: string
  inline?: string
}

/** The parts of a workbook that its cells refer to. */
export type Book = {
  texts: readonly string[]
  formats: readonly Format[]
  /** Days are counted from 1904. */
  from1904: boolean
  /** The values of formulas were not calculated when it was saved. */
  uncalculated: boolean
}

const empty: Cell = { text: '' }
const failed = (text: string, problem: string, remedy: string): Cell => ({
  text,
  stored: { fits: [], otherwise: { problem, remedy } },
})
const unknown = (text: string) =>
  failed(
    text,
    'cannot be read from the workbook',
    'write the cell again, or save the workbook in a spreadsheet program',
  )

/** A cell as the sheet shows it; for a formula, its saved value. */
export function cellOf(raw: RawCell, book: Book): Cell {
  const { type, value = '', formula, inline } = raw
  if (type === 'e') {
    return failed(value || '#ERROR', 'is the error of a formula', 'correct the formula, or empty the cell')
  }
  // The value of a formula can be an empty text, and then it is known.
  if (formula !== undefined && (book.uncalculated || (value === '' && (type !== 'str' || raw.value === undefined)))) {
    const remedy = 'open the workbook in a spreadsheet program and save it'
    return failed(`=${formula}`, 'is a formula whose value is not known', remedy)
  }
  if (type === 'inlineStr') return value === '' ? textCell(inline ?? '') : unknown(value)
  if (inline !== undefined) return unknown(inline)
  if (type === 'str') return textCell(value)
  if (type === 's') {
    const text = /^\d+$/.test(value) ? book.texts[Number(value)] : undefined
    return text === undefined ? unknown(value) : textCell(text)
  }
  if (value === '' && type === 'n') return empty
  const format = book.formats[raw.style]
  if (type === 'b' && /^[01]$/.test(value)) {
    const otherwise = asText('is the TRUE or FALSE of a spreadsheet')
    return { text: value === '1' ? 'true' : 'false', stored: { fits: ['yesNo'], otherwise } }
  }
  if (type === 'd') return dayCell(isoDay(value), value)
  const number = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(value) ? Number(value) : Number.NaN
  if (type !== 'n' || format === undefined || !Number.isFinite(number)) return unknown(value)
  const cell = format === 'day' ? dayCell(dayOf(number, book.from1904), value) : numberCell(number, format)
  if (cell.stored === undefined) return cell
  if (format === 'day' && Number.isInteger(number) && number >= 1900 && number <= 2100) cell.stored.typedYear = number
  if (typeof format === 'object' && 'currency' in format) cell.stored.currency = format.currency
  if (formula !== undefined && isSum(formula, raw.column)) cell.stored.isSum = true
  return cell
}

/** Whether a formula adds up cells of its own column, as a total does. */
function isSum(formula: string, column: number): boolean {
  const own = String.raw`\$?${lettersOf(column)}\$?\d+`
  return new RegExp(String.raw`^\+?(?:SUM|SUBTOTAL|AGGREGATE)\(.*(?<![A-Z$])${own}:${own}`, 'i').test(formula)
}

function lettersOf(column: number): string {
  const rest = Math.floor((column - 1) / 26)
  return `${rest > 0 ? lettersOf(rest) : ''}${String.fromCharCode(65 + ((column - 1) % 26))}`
}

/** Decodes `_x000D_` and the like, which stand for characters that XML forbids. */
function textCell(stored: string): Cell {
  const text = stored.replace(/_x([0-9A-F]{4})_/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
  return text.includes('\0') || !text.isWellFormed() ? unknown(stored) : { text }
}

const asText = (problem: string): Hint => ({
  problem,
  remedy: 'format the column as text and write what it should say',
})

function dayCell(text: string | undefined, value: string): Cell {
  if (text === undefined)
    return failed(value, 'is not a day that a spreadsheet can show', 'write the date, or empty the cell')
  return { text, stored: { fits: ['day', 'moment'], otherwise: asText('is a date of the spreadsheet') } }
}

const dayMs = 86_400_000

/** Turns a spreadsheet's number into a day, or a moment in the studio's zone. Programs disagree on days before
 * March 1900, so these are undefined. */
function dayOf(serial: number, from1904: boolean): string | undefined {
  if (serial < (from1904 ? 1 : 61) || serial >= 2_958_466) return undefined
  const epoch = from1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, 30)
  const moment = new Date(epoch + Math.round(serial * dayMs))
  if (moment.getUTCFullYear() > 9999) return undefined
  const text = moment.toISOString()
  return text.endsWith('T00:00:00.000Z') ? text.slice(0, 10) : isoDay(text)
}

/** A date as text, with or without a time. Ignores its zone. */
function isoDay(text: string): string | undefined {
  const [, day = '', time] =
    /^(\d{4}-\d\d-\d\d)(?:T([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?)?$/.exec(text) ?? []
  if (!isCalendarDay(day)) return undefined
  const clock = time === undefined ? '' : text.slice(11).replace(/(?:Z|[+-]\d\d:\d\d)$/, '')
  return /^[0:.]*$/.test(clock) ? day : `${day}T${clock}`
}

/** Spreadsheets keep 15 digits: a longer number has already lost some. */
const exact = 1e15
const numbers: readonly ValueForm[] = ['amount', 'whole']

function numberCell(value: number, format: Exclude<Format, 'day'>): Cell {
  // Rounds the error of binary fractions away: 0.1 + 0.2 is 0.3.
  const rounded = Number.isInteger(value) ? value : Number(value.toPrecision(15))
  const text = Math.abs(value) < exact ? String(rounded) : value.toExponential()
  if (format === 'time')
    return failed(text, 'is a time or a duration of the spreadsheet', 'write a value without a time format')
  if (format === 'unknown') {
    return failed(text, 'has a number format that is not read', 'format the column as a number, or as text')
  }
  if (format === 'general') return { text, stored: { fits: numbers, otherwise: shortened(text) ?? text } }
  const otherwise = asText('is a number that the spreadsheet shows in another form')
  if (format === 'number' || 'currency' in format) return { text, stored: { fits: numbers, otherwise } }
  const isShown = /^\d+$/.test(text) && (format.digits > 0 || text !== '0')
  const padded = isShown ? text.padStart(format.digits, '0') : otherwise
  return { text, stored: { fits: numbers, otherwise: shortened(text) ?? padded } }
}

const shortened = (text: string): Hint | undefined =>
  text.includes('e')
    ? { problem: 'was shortened by the spreadsheet', remedy: 'format the column as text and write all digits' }
    : undefined
