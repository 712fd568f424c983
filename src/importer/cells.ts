import { z } from 'zod'
import { canonicalInstant, isCalendarDay } from '../domain/dates.ts'
import { closestMatch } from '../domain/text.ts'

/** A cell's problem and how to fix it. */
export type Hint = { problem: string; remedy: string }

/** Says why a text is not an amount. It suggests a correction only if the text has one meaning. */
function amountHint(text: string, decimals: number): Hint {
  if (/^(?:-|−|\(.*\)$)/.test(text)) return { problem: 'is negative', remedy: 'write an amount of 0 or more' }
  if (/^\d+(?:[.,]\d+)?e[+-]?\d+$/i.test(text)) {
    return { problem: 'was shortened by the spreadsheet', remedy: 'format the column as a number and write all digits' }
  }
  const bare = text.replace(/^(?:[A-Z]{3}|\p{Sc})|(?:[A-Z]{3}|\p{Sc})$|(?<=\d)[\s'’](?=\d{3}(?!\d))/gu, '').trim()
  const [, whole = '', places = ''] = /^(0|[1-9]\d*)[.,](\d+)$/.exec(bare) ?? []
  // Three digits after the mark may be thousands, so nothing is suggested for them.
  if (places.length > decimals && (places.length !== 3 || whole === '0')) {
    if (decimals === 0) return { problem: 'has decimals, and the currency has none', remedy: 'round it to whole units' }
    if (decimals === 3) return { problem: 'has more than three decimals', remedy: 'round it to three' }
    return { problem: 'has more than two decimals', remedy: 'round it to cents' }
  }
  if (decimals === 3 && /^[1-9]\d{0,2},\d{3}$/.test(bare)) {
    return { problem: 'has a comma in it', remedy: `write ${bare.replace(',', '')} or ${bare.replace(',', '.')}` }
  }
  if (/^(?:[1-9]\d{0,2}(?:\.\d{3})+|\d+),\d{1,2}$/.test(bare)) {
    return { problem: 'has a decimal comma', remedy: `write ${bare.replaceAll('.', '').replace(',', '.')}` }
  }
  if (/^(?:[1-9]\d{0,2}(?:,\d{3})+|\d+)(?:\.\d{1,2})?$/.test(bare)) {
    return { problem: 'has a separator or a currency in it', remedy: `write ${bare.replaceAll(',', '')}` }
  }
  return { problem: 'is not an amount', remedy: `write a number such as ${(1234.5).toFixed(decimals)}` }
}

/** Says why a text is not a date. It does not guess which number is the day and which the month. */
function dateHint(text: string): Hint {
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return { problem: 'is not a day of the calendar', remedy: 'correct the day' }
  if (/^\d{4}-\d\d-\d\d[T ]/.test(text)) return { problem: 'has a time', remedy: `write ${text.slice(0, 10)}` }
  if (/^\d{5}$/.test(text)) {
    return {
      problem: "is the spreadsheet's number of a day",
      remedy: 'format the column as a date, YYYY-MM-DD',
    }
  }
  const parts = /^(\d{1,4})([./-])(\d{1,2})\2(\d{1,4})$/.exec(text)
  const suggestions = parts ? datesOf(parts[1] ?? '', parts[3] ?? '', parts[4] ?? '') : []
  const remedy = suggestions.length > 0 ? `write ${suggestions.join(' or ')}` : 'write YYYY-MM-DD, such as 2024-12-31'
  return { problem: 'is not an ISO date', remedy }
}

/** The ISO dates that three numbers can mean, with the year first or last. */
function datesOf(first: string, second: string, third: string): string[] {
  const [year, ...others] = first.length === 4 ? [first, second, third] : [third, second, first]
  const orders = first.length === 4 ? [others] : [others, others.toReversed()]
  const dates = orders.map((rest) => [year, ...rest].map((part) => part?.padStart(2, '0')).join('-'))
  return [...new Set(dates.filter(isCalendarDay))]
}

/** Values with several forms in files, which spreadsheets do not store as text. */
export type ValueForm = 'day' | 'moment' | 'amount' | 'whole' | 'yesNo'

/** How to read a cell that is not empty. The schema returns the value for PostgreSQL. For a text that it
 * refuses, it returns an issue: the message says what is wrong, and `params.remedy` what would be right. */
export type Cell = {
  schema: z.ZodType<string, string>
  /** The accepted values, for the reference. */
  accepts: string
  /** The form of its values, such as a day or an amount. A cell without one holds text. */
  reads?: ValueForm
}

type Read = (text: string) => string | Hint

function cell(accepts: string, read: Read): Cell {
  const schema = z.string().transform((text, context) => {
    const value = read(text)
    if (typeof value === 'string') return value
    context.issues.push({
      code: 'custom',
      message: value.problem,
      params: { remedy: value.remedy },
      input: text,
    })
    return z.NEVER
  })
  return { schema, accepts }
}

/** Any text, line breaks included. */
export const text: Cell = cell('text', (value) => value)

/** Matches a long number that a spreadsheet has shortened, such as `4.00638E+12`. */
const shortened = /^\d(?:[.,]\d+)?E\+\d+$/i

function refuseShortened(value: string): string | Hint {
  return shortened.test(value)
    ? { problem: 'was shortened by the spreadsheet', remedy: 'format the column as text and write all digits' }
    : value
}

/** Digits that a spreadsheet may take for a number: a barcode, a serial number. */
export const digits = cell('text', refuseShortened)

const longestKey = 200

/** Reads the key of a row, or the name of a row of another kind, without blanks around it. */
export const key = cell(`text of up to ${longestKey} characters`, (value) => {
  const trimmed = value.trim()
  if (trimmed.length > longestKey) {
    return { problem: `is longer than ${longestKey} characters`, remedy: 'give a shorter key' }
  }
  if (/\p{Cc}/u.test(trimmed)) return { problem: 'has a line break or a tab in it', remedy: 'write it on one line' }
  return refuseShortened(trimmed)
})

/** An amount with a currency's decimals. For yen, accepts the `.00` that other tools export. */
export function amountOf(decimals: number): Cell {
  const places = decimals === 0 ? '0{1,2}' : `\\d{1,${decimals}}`
  // Databases write 2650.000000. Three zeros may be thousands, so it takes four or more.
  const zeros = `\\d{${decimals}}0{${4 - decimals},}`
  const pattern = new RegExp(`^\\d+(?:\\.(?:${places}|${zeros}))?$`)
  return {
    reads: 'amount',
    ...cell("amount such as `1234.50`, with at most the currency's decimals", (value) => {
      const trimmed = value.trim()
      if (!pattern.test(trimmed)) return amountHint(trimmed, decimals)
      const largest = `999999999999${decimals === 0 ? '' : '.'}${'9'.repeat(decimals)}`
      return /^0*\d{1,12}(?:\.|$)/.test(trimmed)
        ? trimmed.replace(new RegExp(`(\\.\\d{${decimals || 2}})0+$`), '$1')
        : { problem: 'is too large', remedy: `the largest amount is ${largest}` }
    }),
  }
}

/** Reads an amount of two decimals. For a file, `amountOf` the studio's currency replaces it. */
export const amount = amountOf(2)

const maxMonths = 2_147_483_647

export const months: Cell = {
  reads: 'whole',
  ...cell('whole number above 0', (value) => {
    const trimmed = value.trim()
    return /^\d{1,10}$/.test(trimmed) && Number(trimmed) >= 1 && Number(trimmed) <= maxMonths
      ? trimmed
      : { problem: 'is not a whole number above 0', remedy: 'write a number of months such as 60' }
  }),
}

export const percent = cell('percentage above 0 and up to 100, such as `25`', (value) => {
  const trimmed = value.trim().replace(/\s*%$/, '')
  return /^\d{1,3}(?:\.\d{1,3})?$/.test(trimmed) && Number(trimmed) > 0 && Number(trimmed) <= 100
    ? trimmed
    : { problem: 'is not a percentage above 0 and up to 100', remedy: 'write one such as 25 or 33.333' }
})

export const day: Cell = {
  reads: 'day',
  ...cell('date `YYYY-MM-DD`', (value) => {
    const trimmed = value.trim()
    return isCalendarDay(trimmed) ? trimmed : dateHint(trimmed)
  }),
}

export const instant: Cell = {
  reads: 'moment',
  ...cell(
    "ISO 8601 date or timestamp; a date is its midnight, both on the studio's clock if there is no offset",
    (value) => {
      // Spreadsheets and databases write a space for T, and one before the zone.
      const text = value
        .trim()
        .replace(/^(\d{4}-\d\d-\d\d) +(?=\d\d:)/, '$1T')
        .replace(/ *(?:UTC|GMT|Z)$| +(?=[+-]\d\d(?::?\d\d)?$)/i, (zone) => (zone.trim() === '' ? '' : 'Z'))
      const remedy = 'write one such as 2024-12-31T23:59:59Z'
      const instant = canonicalInstant(text)
      if (instant === null) return { problem: 'is not an ISO 8601 timestamp', remedy }
      // PostgreSQL reads a time without an offset in the session's time zone, which is the studio's.
      return /T.*(?:Z|[+\- ]\d\d(?::?\d\d)?)$/i.test(text) ? instant : instant.replace('Z', '')
    },
  ),
}

/** Words for a thing that its owner no longer has, as other tools and people write them. */
const goneWords =
  /(?<!\b(?:not|never|to be|for|un|if) ?)\b(?:archived?|sold|stolen|lost|missing|deleted|dispos(?:ed|al)|sale date|date of sale|retirement|abgang|verkaufsdatum|discarded|scrapped|retired|written[- ]off|destroyed|donated|given (?:away|to charity)|traded(?: in)?|decommissioned|returned to (?:owner|supplier)|verkauft|verschenkt|verschrottet|vermisst|gestohlen|verloren|entsorgt|ausgemustert|archiviert|vendu|volé|perdu|vendido|robado|perdido)\b/i

/** Whether a state such as `Stolen (Undeployable)` says that the thing is gone. */
export const saysGone = (state: string): boolean => goneWords.test(state)

export const yesNo: Cell = {
  reads: 'yesNo',
  ...cell('`true`, `yes`, `1` or `false`, `no`, `0`', (value) => {
    const text = value.trim().toLowerCase()
    if (/^(?:true|yes|1)$/.test(text)) return 'true'
    if (/^(?:false|no|0)$/.test(text)) return 'false'
    return { problem: 'is neither yes nor no', remedy: 'write true, false, yes, no, 1 or 0' }
  }),
}

/** Reads yes, no or one other word, and stores `yes`, `no` or that word. */
export const yesNoOr = (word: string): Cell => ({
  reads: 'yesNo',
  ...cell(`${yesNo.accepts}, or \`${word}\``, (value) => {
    const read = value.trim().toLowerCase() === word ? word : yesNo.schema.safeParse(value).data
    if (read !== undefined) return read === 'true' ? 'yes' : read === 'false' ? 'no' : word
    return { problem: `is not yes, no or ${word}`, remedy: `write yes, no or ${word}` }
  }),
})

export const countryCode = cell('two letters of ISO 3166-1', (value) => {
  const upper = value.trim().toUpperCase()
  return /^[A-Z]{2}$/.test(upper)
    ? upper
    : { problem: 'is not a country code', remedy: 'write the two letters of ISO 3166-1, such as DE' }
})

/** One of the values, in any case; stored as it is spelt here. */
export function oneOf(values: readonly string[], accepts = values.map((value) => `\`${value}\``).join(', ')): Cell {
  const spellings = new Map(values.map((value) => [value.toLowerCase(), value]))
  return cell(accepts, (value) => {
    const found = spellings.get(value.trim().toLowerCase())
    if (found !== undefined) return found
    const meant = closestMatch(value, values)
    const remedy = meant === undefined ? `write ${accepts.replaceAll('`', '')}` : `the nearest is ${meant}`
    return { problem: 'is not one of the values', remedy }
  })
}

/** Reads texts separated by `|` or `;`. After a backslash, these and the backslash are part of a text. */
export const list = cell('texts separated by `|` or `;`', (value) => {
  const texts = (value.match(/(?:\\[\\|;]|[^|;])+/g) ?? [])
    .map((part) => part.trim().replace(/\\([\\|;])/g, '$1'))
    .filter((part) => part !== '')
  return `{${texts.map((part) => `"${part.replace(/["\\]/g, '\\$&')}"`).join(',')}}`
})
