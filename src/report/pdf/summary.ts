import type { PolicySums, Sums, Totals } from '../schedule.ts'
import { grouped, policyLabel } from '../words.ts'
import { type Canvas, ink, paper } from './canvas.ts'

/** A line of the summary: a title, a table's headings, a row, a sum, or a note. */
export type Line =
  | { kind: 'title'; text: string }
  | { kind: 'head' | 'row' | 'sum'; label: string; cells: readonly string[] }
  | { kind: 'note'; text: string }

export const heightOf: Readonly<Record<Line['kind'], number>> = { title: 30, head: 18, row: 15, sum: 17, note: 13 }

/** The space that keeps a title with its headings and a row. */
export const neededBy = ({ kind }: Line): number =>
  kind === 'title' ? heightOf.title + heightOf.head + heightOf.row : heightOf[kind]

export function summaryOf({ all, categories, policies, uncovered }: Totals): Line[] {
  const lines: Line[] = [
    { kind: 'title', text: 'Totals by category' },
    {
      kind: 'head',
      label: 'Category',
      cells: ['Items', 'Without value', 'Purchase price', 'Value', 'Declared value', 'Gap'],
    },
    ...categories.map((each): Line => ({ kind: 'row', label: each.category, cells: sumsOf(each) })),
    { kind: 'sum', label: 'All items', cells: sumsOf(all) },
    { kind: 'title', text: 'Totals by policy' },
    {
      kind: 'head',
      label: 'Policy',
      cells: ['Items', 'Without value', 'Nothing declared', 'Value of its items', 'Declared under it'],
    },
    ...policies.map((each): Line => ({ kind: 'row', label: policyLabel(each), cells: policyCells(each) })),
    {
      kind: 'row',
      label: 'No policy',
      cells: [counted(uncovered.items), counted(uncovered.unvalued), '', grouped(uncovered.value), ''],
    },
    {
      kind: 'note',
      text: 'An item without a value adds nothing to a value or a gap. A gap is the value less the declared value.',
    },
    {
      kind: 'note',
      text: 'An item under several policies counts in each of them, so policies do not add up to all items.',
    },
  ]
  return lines
}

const counted = (count: number): string => grouped(String(count))

function sumsOf({ items, unvalued, purchasePrice, value, declared, gap }: Sums): string[] {
  return [counted(items), counted(unvalued), grouped(purchasePrice), grouped(value), grouped(declared), grouped(gap)]
}

function policyCells({ items, unvalued, undeclared, value, declared }: PolicySums): string[] {
  return [counted(items), counted(unvalued), counted(undeclared), grouped(value), grouped(declared)]
}

const cellWidths: readonly number[] = [56, 66, 92, 96, 96, 96]

/** Draws a line of the summary. Returns whether text was lost or cut. */
export function drawLine(canvas: Canvas, line: Line, y: number): { lost: boolean; cut: boolean } {
  const { margin } = paper
  const width = paper.width - 2 * margin
  if (line.kind === 'title') return canvas.text(line.text, margin, y + 10, width, { weight: 'bold', size: 11 })
  if (line.kind === 'note') return canvas.text(line.text, margin, y + 3, width, { size: 7, color: ink.soft })
  const weight = line.kind === 'row' ? 'regular' : 'bold'
  const widths = cellWidths.slice(0, line.cells.length)
  const labelWidth = width - widths.reduce((sum, each) => sum + each, 0)
  const drawn = canvas.text(line.label, margin, y + 2, labelWidth - 10, { weight, size: 8 })
  let x = margin + labelWidth
  for (const [index, cell] of line.cells.entries()) {
    const cellWidth = cellWidths[index] ?? 0
    canvas.number(cell, x, y + 2, cellWidth, { weight, size: 8 })
    x += cellWidth
  }
  canvas.line(y + heightOf[line.kind] - 1, line.kind === 'head' ? ink.soft : ink.line)
  return drawn
}
