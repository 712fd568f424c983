import { excelToDate } from '@cj-tech-master/excelts'

/** The text of a cell of a spreadsheet. */
export type Shown = {
  text: string
  /** The spreadsheet says of itself what it is: a number, a day, yes or no. */
  typed: boolean
  /** It has a formula that failed. */
  failed?: true
}

/** Spreadsheets have 15 digits: what has more has lost some. */
const exact = 1e15

/**
 * A value of the library as the importer takes it everywhere; of a formula the value that it had when the file was saved. The library
 * makes days of the numbers of cells, and leaves those of formulas to us.
 *
 * @param format the number format of the cell
 * @param from1904 the workbook counts days from 1904
 */
export function shown(value: unknown, format?: string, from1904?: boolean): Shown {
  if (value === null || value === undefined) return { text: '', typed: false }
  if (typeof value === 'string') return { text: value, typed: false }
  if (typeof value === 'number') return { text: numberText(value), typed: true }
  if (typeof value === 'boolean') return { text: String(value), typed: true }
  if (value instanceof Date) return { text: dateText(value), typed: true }
  if (typeof value !== 'object') return { text: String(value), typed: false }
  if ('error' in value) return { text: String(value.error), typed: false, failed: true }
  if ('richText' in value && Array.isArray(value.richText)) {
    return { text: value.richText.map((part: { text?: string | null }) => part.text ?? '').join(''), typed: false }
  }
  if ('formula' in value || 'sharedFormula' in value || 'result' in value) {
    const result = 'result' in value ? value.result : ''
    return shown(typeof result === 'number' && isOfDays(format) ? excelToDate(result, from1904) : result)
  }
  return 'text' in value ? shown(value.text) : { text: '', typed: false }
}

/** Whether a number format shows days: without texts and conditions it has letters of days. */
function isOfDays(format: string | undefined): boolean {
  return format !== undefined && /[ymd]/i.test(format.replace(/"[^"]*"|\\.|\[[^\]]*\]/g, ''))
}

/** A number without what binary fractions leave behind it: 0.1 + 0.2 is 0.3. */
function numberText(value: number): string {
  return Math.abs(value) < exact ? String(Number(value.toPrecision(15))) : value.toExponential()
}

/** A day, or a moment in UTC: spreadsheets have no time zones. */
function dateText(value: Date): string {
  if (Number.isNaN(value.getTime())) return ''
  const iso = value.toISOString()
  return iso.endsWith('T00:00:00.000Z') ? iso.slice(0, 10) : iso
}
