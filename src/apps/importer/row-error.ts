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
export function sentence({ line, column, value, problem, remedy }: RowError): string {
  const place = [line === null ? null : `line ${line}`, column].filter((part) => part !== null).join(', ')
  const shown = value === null ? '' : `${place === '' ? '' : ' '}${quoted(value)}`
  return `${place}${shown}: ${problem}${remedy === null ? '' : `; ${remedy}`}`.replace(/^: /, '')
}

/** A value in quotation marks: on one line, without control characters, and not too long to read. */
export function quoted(value: string): string {
  const line = value.replace(/\p{Cc}+/gu, ' ')
  return `"${line.length > 80 ? `${line.slice(0, 80)}…` : line}"`
}
