/** An error in a file. With any error, nothing of the file is written. */
export type RowError = {
  /** The line of the file, counted as an editor counts them; null for a file of a folder. */
  line: number | null
  /** Null when the error concerns the whole line. */
  column: string | null
  /** The text of the cell; null when it is empty or absent. */
  value: string | null
  /** What is wrong, as the rest of a sentence about the value. */
  problem: string
  /** What would be right. */
  remedy: string | null
}

/** Errors with the same cause: the same column, value and problem on one or more lines. */
export type Cause = Omit<RowError, 'line'> & {
  /** How many errors these are. */
  count: number
  /** The first lines; none for files of a folder. */
  lines: number[]
  /** How many different errors of this kind, the same problem in the same column, come after this one and are not told. */
  more: number
}

/** The file as a whole cannot be read, or not beyond a line. */
export class UnreadableFile extends Error {
  override name = 'UnreadableFile'
  readonly line: number
  readonly hint: string

  constructor(line: number, message: string, hint: string) {
    super(message)
    this.line = line
    this.hint = hint
  }
}

/** An error as people read it, on one line. */
export function sentence({ line, ...error }: RowError): string {
  return sentenceOn(line === null ? null : `line ${line}`, error)
}

/** Errors with the same cause as people read them, on one line. */
export function sentenceOf({ lines, count, ...cause }: Cause): string {
  return sentenceOn(lines.length === 0 ? null : linesInWords(lines, count), cause)
}

function linesInWords(lines: readonly number[], count: number): string {
  if (count === 1) return `line ${lines[0]}`
  const rest = count - lines.length
  if (rest > 0) return `lines ${lines.join(', ')} and ${rest} more`
  return `lines ${lines.slice(0, -1).join(', ')} and ${lines.at(-1)}`
}

function sentenceOn(lines: string | null, { column, value, problem, remedy }: Omit<RowError, 'line'>): string {
  const place = [lines, column].filter((part) => part !== null).join(', ')
  const shown = value === null ? '' : `${place === '' ? '' : ' '}${quoted(value)}`
  return `${place}${shown}: ${problem}${remedy === null ? '' : `; ${remedy}`}`.replace(/^: /, '')
}

/** A value in quotation marks: on one line, without control characters, and not too long to read. */
export function quoted(value: string): string {
  const line = value.replace(/\p{Cc}+/gu, ' ')
  return `"${line.length > 80 ? `${line.slice(0, 80)}…` : line}"`
}
