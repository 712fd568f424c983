import stringWidth from 'string-width'
import { heading, print } from './output.ts'

export type Column = {
  heading: string
  /** Its cells end at the right. */
  numeric?: true
  /** What it means survives when its end is cut off: names, not ids. It keeps at least this width. */
  least?: number
}

/** Writes rows as a table, null as a dash. On a terminal it shortens columns with a least width, or writes each row
 * as a block of lines. In a pipe it leaves nothing out. */
export function printTable<Row extends Record<string, unknown>>(
  rows: readonly Row[],
  columns: Readonly<Record<string, Column>>,
): void {
  const width = process.stdout.isTTY ? process.stdout.columns : undefined
  print(...layOut(rows, columns, width))
}

/** The lines of a table that is at most so wide; undefined: as wide as it gets. */
export function layOut<Row extends Record<string, unknown>>(
  rows: readonly Row[],
  columns: Readonly<Record<string, Column>>,
  width: number | undefined,
): string[] {
  const table = Object.entries(columns).map(([name, column]) => {
    const cells = rows.map((row) => cell(row[name]))
    const wanted = Math.max(stringWidth(column.heading), ...cells.map((text) => stringWidth(text)))
    const least = Math.min(wanted, Math.max(column.least ?? wanted, stringWidth(column.heading)))
    return { ...column, cells, width: wanted, least, whole: column.least === undefined }
  })
  if (width !== undefined && !shrink(table, width)) return blocks(table, rows.length, width)
  const line = (texts: string[]) => texts.join('  ').trimEnd()
  return [
    heading(line(table.map((column) => aligned(column.heading, column)))),
    ...rows.map((_, row) => line(table.map((column) => aligned(column.cells[row] ?? '', column)))),
  ]
}

type Laid = Column & { cells: string[]; width: number; least: number; whole: boolean }

/** Makes the widest columns narrower until the line fits. @returns false when it cannot */
function shrink(table: Laid[], width: number): boolean {
  const excess = () => table.reduce((sum, column) => sum + column.width + 2, -2) - width
  for (let over = excess(); over > 0; over = excess()) {
    const [widest] = table.filter((column) => column.width > column.least).sort((a, b) => b.width - a.width)
    if (widest === undefined) return false
    widest.width -= 1
  }
  return true
}

function aligned(text: string, { width, numeric }: Laid): string {
  const shown = shortened(text, width)
  const space = ' '.repeat(width - stringWidth(shown))
  return numeric ? space + shown : shown + space
}

/** A line for each cell, and an empty one between rows. */
function blocks(table: readonly Laid[], rows: number, width: number): string[] {
  const names = Math.max(...table.map((column) => stringWidth(column.heading)))
  return Array.from({ length: rows }, (_, row) => [
    ...(row === 0 ? [] : ['']),
    ...table.map(({ heading: name, cells, whole }) => {
      const text = cells[row] ?? ''
      const shown = whole ? text : shortened(text, Math.max(width - names - 2, 1))
      return `${heading(name)}${' '.repeat(names - stringWidth(name))}  ${shown}`
    }),
  ]).flat()
}

/** A value on one line: a name with a line break in it must not break the table. */
function cell(value: unknown): string {
  return value === null || value === undefined || value === '' ? '-' : String(value).replace(/\p{Cc}+/gu, ' ')
}

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/** A text that is at most so wide. Characters that people see as one are not cut; some take two places. */
function shortened(text: string, width: number): string {
  if (stringWidth(text) <= width) return text
  let kept = ''
  let used = 1
  for (const { segment } of graphemes.segment(text)) {
    used += stringWidth(segment)
    if (used > width) break
    kept += segment
  }
  return `${kept}…`
}
