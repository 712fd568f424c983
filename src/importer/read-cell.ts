import { cleanText } from '../domain/text.ts'
import { type Cell, type Hint, list } from './cells.ts'
import type { Stored } from './csv/records.ts'
import { means, otherCurrency, splitCurrency } from './currency.ts'
import type { Accepted, DoubtName } from './doubts.ts'
import { type Calendar, canonical, type Formats } from './foreign/formats.ts'
import type { Column } from './kinds/kind.ts'
import { doubtAsError, type RowError } from './row-errors.ts'

/** How to read cells that are not in the importer's own form. */
export type Reading = Formats & {
  /** Translates the other tool's category. */
  category?: (text: string) => string | Hint
  /** Finds the day of a moment in the studio's time zone. */
  calendar?: Calendar
  /** How amounts of the studio's currency are read. */
  amount?: Cell
  /** How many decimals the studio's currency has. */
  decimals?: number
  /** The studio's currency, by its code. */
  currency?: string
  accepted?: Accepted
  /** The cells are what a studio's export wrote: nothing is cleaned, and nothing doubted. */
  exact?: boolean
  /** What was cleaned, in words, with the number of cells and the first line. */
  cleaned?: Map<string, { cells: number; line: number }>
}

type CellText = { line: number; column: Column; text: string; stored?: Stored | undefined; commasSeparate?: boolean }

/** Reads a cell of a file or a field of a form as PostgreSQL takes it, and adds what is wrong or doubtful to
 * `errors`. @returns null for an empty cell, undefined for a cell that cannot be read */
export function readCell(given: CellText, reading: Reading, errors: RowError[]): string | null | undefined {
  const { line, column, stored } = given
  const { cell } = column
  const text = reading.exact ? given.text : cleaned(given, reading)
  const wrong = ({ problem, remedy }: { problem: string; remedy: string | null }) => {
    errors.push({ line, column: column.name, value: given.text, problem, remedy })
    return undefined
  }
  /** Says whether somebody has accepted a doubt. If not, it records an error. */
  const isAccepted = (doubt: DoubtName, hint: Hint): boolean => {
    if (reading.accepted?.has(doubt)) return true
    errors.push(doubtAsError(doubt, { line, column: column.name, value: given.text, ...hint }))
    return false
  }
  const whenEmpty = () => {
    if (!column.required) return column.whenEmpty ?? null
    const [problem, remedy] = ['is empty', `write a value such as ${column.example}`]
    errors.push({ line, column: column.name, value: null, problem, remedy })
    return undefined
  }
  if (text === '' || (text.trim() === '' && (column.required || cell.reads !== undefined))) return whenEmpty()
  if (!reading.exact && errorText.test(text)) {
    const { otherwise } = stored ?? {}
    const hint = {
      problem: 'is an error or a missing value of another program',
      remedy: 'correct it, or empty the cell',
    }
    if (isAccepted('error_texts', typeof otherwise === 'object' ? otherwise : hint)) return whenEmpty()
    return stored === undefined ? cell.schema.safeParse(text).data : undefined
  }
  if (!reading.exact && misread.test(text)) isAccepted('wrong_letters', ofOtherEncoding)
  if (stored?.isMerged && cell.reads === 'amount') return wrong(mergedAmount)
  const meant = cell.reads === 'amount' ? ofOneCurrency(text, stored, reading) : text
  if (typeof meant !== 'string') return wrong(meant)
  const [, first, last] = (isDated(cell) && daySpan.exec(meant)) || []
  if (first !== undefined && !isAccepted('date_spans', spanOf(first, last))) return undefined
  const labels = reading.exact ? meant : listOf(meant, given, isAccepted)

  const converted = stored
    ? ofSpreadsheet(labels, stored, cell)
    : canonical(first ?? labels, cell.reads, reading, reading.calendar, reading.decimals)
  const prepared =
    typeof converted === 'string' && column.name === 'category' && reading.category
      ? reading.category(converted)
      : converted
  if (typeof prepared !== 'string') return wrong(prepared)
  const parsed = (cell.reads === 'amount' ? (reading.amount ?? cell) : cell).schema.safeParse(prepared)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    const remedy = issue?.code === 'custom' ? issue.params?.remedy : null
    return wrong({ problem: issue?.message ?? 'cannot be read', remedy: typeof remedy === 'string' ? remedy : null })
  }
  const doubtful = isDated(cell) && !reading.exact ? doubtOfDay(parsed.data, stored, column) : undefined
  if (doubtful) isAccepted('years', doubtful)
  return parsed.data
}

const errorText =
  /^(?:#(?:n\/a|nv|ref!|bezug!|name\?|value!|wert!|div\/0!|num!|zahl!|null!|calc!|spill!|error!?)|n\/a|tbd|null|\(null\)|nan|undefined|\[object object\])$/i

/** Letters of UTF-8 that a program has read as Windows-1252 (`Ã¼` for `ü`), or could not read. */
const misread = /Ã[\u0080-\u00bf\u0152-\u2122]|Â[\u00a0-\u00bf]|â€|\ufffd/
const ofOtherEncoding: Hint = {
  problem: 'has letters that a program has misread',
  remedy: 'export the file again as UTF-8, or correct it',
}
const mergedAmount: Hint = {
  problem: 'is merged with the cells above it, and may be their sum',
  remedy: 'unmerge the cells and write each amount',
}

const isDated = ({ reads }: Cell) => reads === 'day' || reads === 'moment'

const daySpan = /^(.*\d.*?)\s*(?:→| – | to | bis )\s*(.*\d.*)$/
const spanOf = (first: string, last = ''): Hint => ({
  problem: `is a span of days, from ${first} to ${last}`,
  remedy: 'write one day',
})

const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  '#039': "'",
  '#39': "'",
  apos: "'",
}

/** Cleans a text and counts what it changed. */
function cleaned({ text: given, line, column: { cell } }: CellText, { cleaned: counts }: Reading): string {
  const text = cleanText(given)
  const plain =
    cell.reads === undefined && /[&)]/.test(text)
      ? text
          .replace(/ \(https:\/\/(?:www\.)?notion\.so\/[^)]*\)$/, '')
          .replace(/&(amp|lt|gt|quot|apos|#0?39);/g, (whole, name: string) => entities[name] ?? whole)
      : text
  if (plain !== given && counts && cell.reads === undefined) {
    const what = plain !== text ? 'codes and addresses of web pages' : whatDiffers(given, text)
    const before = counts.get(what)
    counts.set(what, { cells: (before?.cells ?? 0) + 1, line: before?.line ?? line })
  }
  return plain
}

function whatDiffers(given: string, text: string): string {
  if (given.trim() === text) return 'blanks around a text'
  if (given.trim().slice(1) === text) return 'apostrophes before a sign'
  return given.normalize('NFC') === text ? 'letters that were stored in parts' : 'invisible characters'
}

/** The amount without the sign of the studio's currency, if its decimal mark is known. */
function ofOneCurrency(text: string, stored: Stored | undefined, { currency, decimal }: Reading): string | Hint {
  if (currency === undefined) return text
  const { bare, currency: written } = splitCurrency(text)
  const sign = stored?.currency ?? written
  if (sign !== undefined && !means(sign, currency)) return otherCurrency(sign, currency)
  return decimal === undefined ? text : bare
}

/** Replaces the commas of a list by the importer's own separator, if commas separate its texts. */
function listOf(
  text: string,
  { column, commasSeparate }: CellText,
  isAccepted: (doubt: DoubtName, hint: Hint) => boolean,
): string {
  if (column.cell !== list || !text.includes(',') || /[|;]/.test(text)) return text
  const hint = { problem: 'has commas, and would be one label', remedy: 'separate the labels by | or ;' }
  return commasSeparate || isAccepted('comma_lists', hint) ? text.replaceAll(',', '|') : text
}

/** Reads the cell of a workbook. A column of days takes the day of a moment and leaves out its time. */
function ofSpreadsheet(text: string, { fits, otherwise }: Stored, { reads }: Cell): string | Hint {
  if (reads === undefined || !fits.includes(reads))
    return typeof otherwise === 'string' ? cleanText(otherwise) : otherwise
  return reads === 'day' ? text.slice(0, 10) : text
}

/** The year in which this process began. A day in an earlier year cannot be after today. */
const startYear = new Date().getUTCFullYear()

/** Says why hardly anybody means a day: its year is impossible, or the day has not come yet. */
function doubtOfDay(value: string, stored: Stored | undefined, { isPast }: Column): Hint | undefined {
  const remedy = 'correct it'
  if (stored?.typedYear !== undefined) {
    return {
      problem: `is the number ${stored.typedYear} in a cell of dates, which makes it ${value.slice(0, 10)}`,
      remedy: `write the day, such as ${stored.typedYear}-12-31`,
    }
  }
  const year = Number(value.slice(0, 4))
  if (year < 1900 || year > 2100) return { problem: `is in the year ${year}`, remedy }
  if (!isPast || year < startYear) return undefined
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)
  return value.slice(0, 10) > tomorrow ? { problem: 'is after today', remedy } : undefined
}
