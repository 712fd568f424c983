import { distance } from 'fastest-levenshtein'

/** The usual form of a UUID in lower case, also for PostgreSQL's `~` and `~*`. */
export const uuidPattern = '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$'

const form = new RegExp(uuidPattern)

/** Whether a value is a UUID in lower case, as PostgreSQL writes it. */
export function isUuid(value: unknown): value is string {
  return typeof value === 'string' && form.test(value)
}

/** The message of an error, or its name; for a missing package, how to install it. */
export function messageOf(error: unknown): string {
  const [, missing] = (error instanceof Error && /^Cannot find package '([^']+)'/.exec(error.message)) || []
  if (missing !== undefined) return `the package ${missing} is not installed (npm install --include=optional)`
  return error instanceof Error && error.message !== '' ? error.message : String(error)
}

/** A number with its noun: `1 token`, `2 tokens`. */
export const counted = (number: number, one: string, many: string): string => `${number} ${number === 1 ? one : many}`

/** A text as one word of a shell command. */
export function quoted(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
}

/** A spreadsheet takes a cell that begins with one of these characters for a formula. The last four
 * are wide forms. */
const formula = /^[=+\-@\t\r\n＝＋－＠]/

/** A text as the cell of a CSV file that no spreadsheet takes for a formula. */
export const escapeFormula = (text: string): string => (formula.test(text) ? `'${text}` : text)

/** The text of a cell that `escapeFormula` wrote. */
export const unescapeFormula = (cell: string): string =>
  cell.startsWith("'") && formula.test(cell.slice(1)) ? cell.slice(1) : cell

const plain = /^[!-&(-~](?:[ -~]*[!-~])?$/

/** Characters that nobody sees: zero-width blanks, soft hyphens, marks of direction, controls. The
 * joiners of emoji and of some scripts are not among them, and line breaks and tabs stay. */
const invisible = /(?![\t\n\r])[\p{Cc}\u00ad\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]/gu

/** A text as people mean it, however their program stores it: Unicode's form C, plain blanks, none
 * of them at the ends, no invisible characters, and without the apostrophe that keeps a spreadsheet
 * from reading it as a formula. Imports and forms store texts so, and searches ask for them so;
 * what an app writes with SQL stays as it is. */
export function cleanText(text: string): string {
  if (plain.test(text)) return text
  const seen = text
    .normalize('NFC')
    .replace(invisible, '')
    .replace(/[\u00a0\u2007\u202f]/g, ' ')
  return unescapeFormula(seen.trim()).trim()
}

/** The value that somebody probably meant. It differs by few letters, or it is the only one that
 * begins with the text; undefined without one. */
export function closestMatch(text: string, values: readonly string[]): string | undefined {
  const wanted = text.trim().toLowerCase()
  if (wanted === '') return undefined
  const far = (value: string) => distance(wanted, value.toLowerCase())
  const [first] = values.toSorted((one, other) => far(one) - far(other))
  if (first !== undefined && far(first) <= Math.max(1, Math.floor(wanted.length / 3))) return first
  const beginning = values.filter((value) => wanted.length >= 3 && value.toLowerCase().startsWith(wanted))
  return beginning.length === 1 ? beginning[0] : undefined
}
