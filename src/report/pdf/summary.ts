import type { Column, Table } from '../tables.ts'
import { groupDigits, signatures } from '../words.ts'
import { type Canvas, type Drawn, ink, paper } from './canvas.ts'
import { space } from './page.ts'

/** A line after the items; `keep` is the height that must be left on its page. */
export type Line =
  | { kind: 'title'; text: string; keep: number }
  | { kind: 'note'; text: string; keep: number }
  | { kind: 'head'; title: string; columns: readonly Column[]; keep: number }
  | { kind: 'row' | 'sum'; columns: readonly Column[]; cells: Table['rows'][number]['cells']; keep: number }
  | { kind: 'signatures'; keep: number }

export type Head = Extract<Line, { kind: 'head' }>

export const heightOf: Readonly<Record<Line['kind'], number>> = {
  title: 30,
  head: 32,
  row: 15,
  sum: 17,
  note: 12,
  signatures: 44,
}

/** The lines of the tables and the signatures. A table that fits on a page stays on one; another
 * one's last row stays with its notes, and the signatures with the last table. */
export function* linesOf(tables: readonly Table[]): Generator<Line> {
  for (const [at, { title, columns, rows, notes }] of tables.entries()) {
    const signed = at === tables.length - 1 ? heightOf.signatures : 0
    const begin = heightOf.title + heightOf.head
    const end = notes.length * heightOf.note + signed
    const body = rows.reduce((sum, { sum: isSum }) => sum + heightOf[isSum ? 'sum' : 'row'], 0)
    const whole = begin + body + end
    const fits = whole <= space.bottom - space.top
    const [page, group] = [space.bottom - space.top - begin - end, heightOfGroup(rows)]
    yield { kind: 'title', text: title, keep: fits ? whole : begin + (group < page ? group : 2 * heightOf.sum) }
    yield { kind: 'head', title, columns, keep: heightOf.head }
    let keep = 0
    for (const [row, { cells, sum }] of rows.entries()) {
      const kind = sum ? 'sum' : 'row'
      // The rows that follow a sum stay on one page with the next sum. The last two rows stay with
      // what follows the table.
      if (rows[row - 1]?.sum && !sum) keep = heightOfGroup(rows.slice(row))
      const last = rows.length - row <= 2 ? (rows.length - row) * heightOf.sum + end : heightOf[kind]
      yield {
        kind,
        columns,
        cells,
        keep: Math.max(last, keep > 0 && keep < page ? keep + end : 0),
      }
      keep = 0
    }
    for (const [note, text] of notes.entries()) yield { kind: 'note', text, keep: end - note * heightOf.note }
  }
  yield { kind: 'signatures', keep: heightOf.signatures }
}

/** The height of the rows until their sum. */
function heightOfGroup(rows: Table['rows']): number {
  const until = rows.findIndex(({ sum }) => sum)
  return (until < 0 ? rows.length : until) * heightOf.row + heightOf.sum
}

const width = paper.width - 2 * paper.margin
const gap = 7
/** The height of a line of a table's headings, in points. */
const headLine = 8

/** Draws a line. Returns whether text was lost or cut. */
export function drawLine(canvas: Canvas, line: Line, y: number): Omit<Drawn, 'lines'> {
  const { structure } = canvas
  const { margin } = paper
  if ('columns' in line) return drawCells(canvas, line, y)
  structure.endTable()
  if (line.kind === 'signatures') return drawSignatures(canvas, y)
  if (line.kind === 'title') {
    return structure.leaf('H2', () => canvas.text(line.text, margin, y + 10, width, { weight: 'bold', size: 11 }))
  }
  return structure.leaf('P', () => canvas.text(line.text, margin, y + 2, width, { size: 7, color: ink.soft }))
}

const isLeft = ({ kind }: Column): boolean => kind === 'text' || kind === 'day'

function drawCells(canvas: Canvas, line: Extract<Line, { columns: unknown }>, y: number): Omit<Drawn, 'lines'> {
  const { structure } = canvas
  const { columns } = line
  const drawn: Drawn[] = []
  const weight = line.kind === 'row' ? 'regular' : 'bold'
  const given = columns.reduce((sum, each) => sum + (each.width ?? 0), 0)
  const named = columns.findIndex(({ kind }) => kind === 'text')

  const drawCell = (at: number, column: Column, left: number, inner: number) => {
    const align = isLeft(column) ? 'left' : 'right'
    if (line.kind === 'head') {
      const style = { weight, size: 6.5, align, lines: 3 } as const
      const top = y + heightOf.head - 4 - headLine * canvas.linesOf(column.header, inner, style)
      drawn.push(structure.header('Column', () => canvas.text(column.header, left, top, inner, style)))
      return
    }
    const cell = line.cells[at] ?? null
    if (cell === null || cell === '') return structure.emptyCell()
    const draw = () => {
      if (align === 'right') return canvas.number(groupDigits(String(cell)), left, y + 2, inner, { weight, size: 7.5 })
      const text = String(cell)
      const linesAt = (size: number) => canvas.linesOf(text, inner, { weight, size, lines: 2 })
      const size = [7.5, 6.6].find((each) => linesAt(each) === 1) ?? 5.8
      const lines = linesAt(size)
      const down = lines === 1 ? 2 + (7.5 - size) / 2 : -0.5
      drawn.push(canvas.text(text, left, y + down, inner, { weight, size, lines }))
    }
    if (at === named) structure.header('Row', draw)
    else structure.cell(draw)
  }
  const drawRow = () => {
    let x: number = paper.margin
    for (const [at, column] of columns.entries()) {
      const full = column.width ?? width - given
      const before = columns[at - 1]
      const meets = before !== undefined && isLeft(column) && !isLeft(before)
      const left = at === 0 ? x : x + gap * (meets ? 2 : 1)
      drawCell(at, column, left, full - (left - x))
      x += full
    }
  }

  if (line.kind === 'head') {
    structure.table()
    structure.head(drawRow)
  } else structure.row(drawRow)
  canvas.line(y + heightOf[line.kind] - 1, line.kind === 'head' ? ink.soft : ink.line)
  return { lost: drawn.some(({ lost }) => lost), cut: drawn.some(({ cut }) => cut) }
}

function drawSignatures(canvas: Canvas, y: number): Omit<Drawn, 'lines'> {
  const each = width / signatures.length
  for (const [at, words] of signatures.entries()) {
    const left = paper.margin + at * each
    canvas.line(y + 30, ink.soft, left, left + each - 30)
    canvas.structure.leaf('P', () => canvas.text(words, left, y + 32, each - 30, { size: 7, color: ink.soft }))
  }
  return { lost: false, cut: false }
}
