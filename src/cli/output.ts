import { styleText } from 'node:util'
import stringWidth from 'string-width'

export function print(...lines: string[]): void {
  for (const line of lines) process.stdout.write(`${line}\n`)
}

/** Writes a line to standard error, next to an answer. */
export function remark(line: string): void {
  process.stderr.write(`${line}\n`)
}

/** Writes a warning to standard error: yellow on a terminal. */
export function warn(line: string): void {
  remark(styleText('yellow', line, { stream: process.stderr }))
}

/** Writes to standard error why a command failed and what to do: red on a terminal. */
export function complain([why = '', ...hints]: readonly string[]): void {
  remark(styleText('red', why, { stream: process.stderr }))
  for (const hint of hints) remark(hint)
}

/** Formats the last line of an answer: green on a terminal if it went well, else red. */
export const ending = (line: string, well: boolean): string =>
  styleText(well ? 'green' : 'red', line, { stream: process.stdout })

/** Writes to standard output that a command is done: green on a terminal. */
export function printDone(line: string): void {
  print(ending(line, true))
}

const heading = (text: string): string => styleText('bold', text, { stream: process.stdout })

/** Answers as JSON for programs, or as a line for people. */
export function printResult(json: boolean, value: object, line: string): void {
  if (json) printJson(value)
  else printDone(line)
}

export const newValues = (items: number): string =>
  items === 1 ? '1 item has a new value.' : `${items} items have a new value.`

/** Writes a value to standard output as one JSON document. */
export function printJson(value: unknown): void {
  print(JSON.stringify(value, null, 2))
}

/** A timestamp for people: to the second, in UTC. */
export function readable(timestamp: string | null, absent = '-'): string {
  return timestamp === null ? absent : `${timestamp.slice(0, 10)} ${timestamp.slice(11, 19)} UTC`
}

export type Column = {
  heading: string
  /** Aligned right. */
  numeric?: true
}

type Columns = Readonly<Record<string, Column>>
type Row = Readonly<Record<string, unknown>>

/** Prints a list as JSON, or the `shown` rows as a table. Prints `none` when the list is empty. */
export function printList<Listed extends Row>(
  json: boolean,
  list: readonly Listed[],
  none: string,
  columns: Columns,
  shown: (row: Listed) => Row = (row) => row,
): void {
  if (json) printJson(list)
  else print(...(list.length === 0 ? [none] : layOut(list.map(shown), columns)))
}

/** Lays rows out as lines of a table, null as a dash. On a narrow terminal, each row is a block. */
export function layOut(rows: readonly Row[], columns: Columns, width = terminalWidth()): string[] {
  const table = Object.entries(columns).map(([name, column]) => {
    const cells = rows.map((row) => cell(row[name]))
    return { ...column, cells, width: Math.max(...[column.heading, ...cells].map((text) => stringWidth(text))) }
  })
  if (table.reduce((sum, column) => sum + column.width + 2, -2) > width) return blocks(table, rows.length)
  const line = (texts: string[]) => texts.join('  ').trimEnd()
  return [
    heading(line(table.map((column) => aligned(column.heading, column)))),
    ...rows.map((_, row) => line(table.map((column) => aligned(column.cells[row] ?? '', column)))),
  ]
}

/** A program reads what goes into a pipe, so each row stays on one line there. */
const terminalWidth = () => (process.stdout.isTTY ? process.stdout.columns : Number.POSITIVE_INFINITY)

type Laid = Column & { cells: string[]; width: number }

function aligned(text: string, { width, numeric }: Laid): string {
  const space = ' '.repeat(width - stringWidth(text))
  return numeric ? space + text : text + space
}

/** Writes each cell on a line of its own, with an empty line between rows. */
function blocks(table: readonly Laid[], rows: number): string[] {
  const names = Math.max(...table.map((column) => stringWidth(column.heading)))
  return Array.from({ length: rows }, (_, row) => [
    ...(row === 0 ? [] : ['']),
    ...table.map(({ heading: name, cells }) => `${heading(name)}${' '.repeat(names - name.length)}  ${cells[row]}`),
  ]).flat()
}

/** A value on one line: a name may have a line break in it. */
function cell(value: unknown): string {
  return value === null || value === undefined || value === '' ? '-' : String(value).replace(/\p{Cc}+/gu, ' ')
}
