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
      cells: [
        'Items',
        'Purchase price',
        'Value',
        'Reported',
        'Under-Declared',
        'Not Declared',
        'Over-declared',
        'No value',
        'Reported',
      ],
    },
    ...categories.map((each): Line => ({ kind: 'row', label: each.category, cells: sumsOf(each) })),
    { kind: 'sum', label: 'All items', cells: sumsOf(all) },
    { kind: 'title', text: 'Totals by policy' },
    {
      kind: 'head',
      label: 'Policy',
      cells: ['Items', 'Value of items', 'Declared', 'No value', 'No amount'],
    },
    ...policies.map((each): Line => ({ kind: 'row', label: policyLabel(each), cells: policyCells(each) })),
    {
      kind: 'row',
      label: 'No policy',
      cells: [counted(uncovered.items), grouped(uncovered.value), '', counted(uncovered.unvalued), ''],
    },
    {
      kind: 'note',
      text: 'Value less what is reported as insured is Under-Declared and Not Declared less over-declared. The last two columns are items without a value, and what is reported for them.',
    },
    {
      kind: 'note',
      text: 'An item under several policies counts in each, so policies do not add up to all items. An amount that is not recorded adds nothing.',
    },
  ]
  return lines
}

const counted = (count: number): string => grouped(String(count))

function sumsOf(sums: Sums): string[] {
  const { items, purchasePrice, value, reported, under, notDeclared, over, unvalued, unvaluedReported } = sums
  const amounts = [purchasePrice, value, reported, under, notDeclared, over].map(grouped)
  return [counted(items), ...amounts, counted(unvalued), grouped(unvaluedReported)]
}

function policyCells({ items, unvalued, undeclared, value, declared }: PolicySums): string[] {
  return [counted(items), grouped(value), grouped(declared), counted(unvalued), counted(undeclared)]
}

const wide = [38, 74, 74, 74, 74, 74, 74, 48, 66] as const
const narrow = [38, 96, 96, 66, 66] as const

/** Draws a line of the summary. Returns whether text was lost or cut. */
export function drawLine(canvas: Canvas, line: Line, y: number): { lost: boolean; cut: boolean } {
  const { margin } = paper
  const width = paper.width - 2 * margin
  if (line.kind === 'title') return canvas.text(line.text, margin, y + 10, width, { weight: 'bold', size: 11 })
  if (line.kind === 'note') return canvas.text(line.text, margin, y + 3, width, { size: 7, color: ink.soft })
  const weight = line.kind === 'row' ? 'regular' : 'bold'
  const widths: readonly number[] = line.cells.length === wide.length ? wide : narrow
  const labelWidth = width - widths.reduce((sum, each) => sum + each, 0)
  const drawn = canvas.text(line.label, margin, y + 2, labelWidth - 10, { weight, size: 8 })
  let x = margin + labelWidth
  for (const [index, cell] of line.cells.entries()) {
    const cellWidth = widths[index] ?? 0
    canvas.number(cell, x, y + 2, cellWidth, { weight, size: 8 })
    x += cellWidth
  }
  canvas.line(y + heightOf[line.kind] - 1, line.kind === 'head' ? ink.soft : ink.line)
  return drawn
}
