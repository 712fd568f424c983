/** The text of a cell of a spreadsheet. */
export type Shown = {
  text: string
  /** The spreadsheet says of itself what it is: a number, a day, yes or no. */
  typed: boolean
  /** It has a formula that failed. */
  failed?: true
}

/** Spreadsheets hold 15 digits: what has more has lost some. */
const exact = 1e15

/** A value of the library as the importer takes it everywhere; of a formula the value that it had when the file was saved. */
export function shown(value: unknown): Shown {
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
    return shown('result' in value ? value.result : '')
  }
  return 'text' in value ? shown(value.text) : { text: '', typed: false }
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
