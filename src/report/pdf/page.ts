import type { Heading } from '../heading.ts'
import type { Illustrated } from '../photos.ts'
import type { Totals } from '../totals.ts'
import {
  dayInWords,
  declarationOf,
  disclaimers,
  groupDigits,
  headingLines,
  headline,
  policiesOf,
  sourceOf,
  title,
} from '../words.ts'
import { type Canvas, type Drawn, ink, paper } from './canvas.ts'

const { margin } = paper
const width = paper.width - 2 * margin

export const columnsHeight = 22

/** Where the content of a page begins and ends, in points from its top. */
export const space = {
  firstTop({ policy, preparedFor }: Heading): number {
    if (policy !== null) return margin + 128
    return margin + (preparedFor === '' ? 82 : 98)
  },
  top: margin + 22,
  bottom: paper.height - margin - 26,
} as const

/** Begins a page: title, studio, day and currency; at the foot disclaimers and page number. */
export function beginPage(canvas: Canvas, heading: Heading, totals: Totals, page: number, pages: number): void {
  canvas.addPage()
  if (page === 1) titleBlock(canvas, heading, totals)
  else {
    canvas.structure.artifact(() => {
      const about = `${title} · ${heading.studio}`
      canvas.text(about, margin, margin, width - 230, { weight: 'bold', size: 8 })
      const when = `${dayInWords(heading.day)} · amounts in ${heading.currency}`
      canvas.text(when, margin + width - 225, margin, 225, { size: 8, color: ink.soft, align: 'right' })
    })
    canvas.line(margin + 15)
  }
  footer(canvas, heading, page, pages)
}

function titleBlock(canvas: Canvas, heading: Heading, totals: Totals): void {
  const { structure } = canvas
  const half = width / 2
  structure.leaf('H1', () => canvas.text(title, margin, margin - 4, half, { weight: 'bold', size: 18 }))
  structure.leaf('P', () => canvas.text(heading.studio, margin, margin + 20, half, { weight: 'bold', size: 11 }))
  let below = margin + 37
  for (const line of headingLines(heading)) {
    const { lines } = structure.leaf('P', () => canvas.text(line, margin, below, half - 20, { size: 8.5, lines: 2 }))
    below += lines * 11
  }
  const left = margin + width - 300
  structure.table()
  for (const [index, { label, amount }] of headline(heading, totals).entries()) {
    const y = margin - 2 + index * 11.5
    const shown = amount === null ? 'not set' : groupDigits(amount)
    structure.row(() => {
      structure.header('Row', () => canvas.text(label, left, y, 200, { size: 8, color: ink.soft }))
      structure.cell(() => canvas.number(shown, left + 200, y, 100, { size: 8.5, weight: 'bold' }))
    })
  }
  structure.endTable()
  canvas.line(space.firstTop(heading) - 12)
}

/** Screen readers read the disclaimers once and skip those of the other pages. */
function footer(canvas: Canvas, { madeAt }: Heading, page: number, pages: number): void {
  const { structure } = canvas
  const y = paper.height - margin - 18
  canvas.line(y - 3)
  for (const [index, sentence] of disclaimers.entries()) {
    const draw = () => canvas.text(sentence, margin, y + index * 9, width - 150, { size: 6.5, color: ink.soft })
    if (page === 1) structure.leaf('P', draw)
    else structure.artifact(draw)
  }
  const right = { size: 6.5, color: ink.soft, align: 'right' } as const
  structure.artifact(() => {
    canvas.text(`Page ${page} of ${pages}`, margin + width - 145, y, 145, right)
    canvas.text(`Made ${madeAt.slice(0, 10)} ${madeAt.slice(11, 16)} UTC`, margin + width - 145, y + 9, 145, right)
  })
}

export const rowHeight = 37
export const bandHeight = 17

const gap = 7

/** The columns with their widths. The last one takes the rest, and right-aligned ones end at their
 * right edge. */
const widths = {
  photo: 40,
  item: 146,
  serial: 80,
  location: 82,
  acquired: 70,
  value: 68,
  reported: 62,
  gap: 64,
  policed: 68,
  policies: 0,
}

type Name = keyof typeof widths
type Place = { x: number; width: number }

/** Where each column begins. A report about one policy does not name it for each item. */
const placed = (names: Partial<typeof widths>): ReadonlyMap<Name, Place> => {
  let x: number = paper.margin
  const right = paper.width - paper.margin
  const places = new Map<Name, Place>()
  const entries = Object.entries(names) as [Name, number][]
  for (const [at, [name, width]] of entries.entries()) {
    if (name === 'policies') x += gap
    places.set(name, { x, width: at === entries.length - 1 ? right - x : width - gap })
    x += width
  }
  return places
}

const { policies: _, ...ofOne } = widths
const places = { all: placed(widths), one: placed({ ...ofOne, item: 184, serial: 100, location: 116 }) }
const placesOf = ({ policy }: Heading) => (policy === null ? places.all : places.one)

const headings: Readonly<Record<Name, [string, string, ('left' | 'right')?]>> = {
  photo: ['Photo', ''],
  item: ['Item', 'maker, model'],
  serial: ['Serial number', 'barcode'],
  location: ['Location', ''],
  acquired: ['Purchase price', 'acquired, repl. cost', 'right'],
  value: ['Value', 'source', 'right'],
  reported: ['Reported', 'as insured', 'right'],
  gap: ['Gap', 'declaration', 'right'],
  policed: ['Under policies', 'less reported', 'right'],
  policies: ['Policies', 'declared under each'],
}

/** Draws the headings of the columns, and begins the table. */
export function drawColumns(canvas: Canvas, heading: Heading, y: number): void {
  const { structure } = canvas
  structure.table()
  structure.head(() => {
    for (const [name, { x, width }] of placesOf(heading)) {
      const [top, second, align = 'left'] = headings[name]
      const first = name === 'policed' && heading.policy !== null ? 'Under the policy' : top
      structure.header('Column', () => {
        canvas.text(first, x, y, width, { weight: 'bold', size: 7, align })
        canvas.text(second, x, y + 9, width, { size: 6, color: ink.soft, align })
      })
    }
  })
  canvas.line(y + columnsHeight - 3, ink.soft)
}

type Band = { category: string; items: number; continued: boolean }

export function drawBand(canvas: Canvas, about: Heading, y: number, { category, items, continued }: Band): void {
  const { structure } = canvas
  canvas.band(y + 1, bandHeight - 3)
  structure.group()
  structure.row(() =>
    structure.heading(placesOf(about).size, () => {
      const name = `${category}${continued ? ', continued' : ''}`
      canvas.text(name, paper.margin + 4, y + 3, 400, { weight: 'bold', size: 8 })
      const count = items === 1 ? '1 item' : `${groupDigits(String(items))} items`
      const right = { size: 7, color: ink.soft, align: 'right' } as const
      canvas.text(count, paper.width - paper.margin - 204, y + 3.5, 200, right)
    }),
  )
}

/** Draws an item. Returns whether text was lost or cut. */
export function drawItem(canvas: Canvas, heading: Heading, item: Illustrated, y: number): Omit<Drawn, 'lines'> {
  const { structure } = canvas
  const top = y + 2
  const drawn: Drawn[] = []
  const columns = placesOf(heading)
  const placeOf = (name: Name) => columns.get(name) ?? { x: 0, width: 0 }
  const text = (name: Name, content: string, down: number, style: Parameters<Canvas['text']>[4]) => {
    const { x, width } = placeOf(name)
    const done = canvas.text(content, x, top + down, width, style)
    drawn.push(done)
    return done.lines
  }
  /** Draws an amount, with words below it. */
  const amount = (name: Name, decimal: string | null, ...notes: string[]) =>
    structure.cell(() => {
      const { x, width } = placeOf(name)
      if (decimal === null) canvas.text('–', x, top, width, { align: 'right' })
      else canvas.number(groupDigits(decimal), x, top, width, { weight: name === 'value' ? 'bold' : 'regular' })
      for (const [at, note] of notes.entries()) {
        canvas.number(note, x, top + 10 + at * 8.5, width, { size: 6.5, color: ink.soft })
      }
    })
  const maker = [item.manufacturer, item.model].filter((part) => part !== '').join(' ')
  const replacement = item.replacementCost === null ? '' : `repl. ${groupDigits(item.replacementCost)}`

  structure.row(() => {
    canvas.photo(item.thumbnail, item.name, placeOf('photo').x, y + 2.5, 31)
    structure.header('Row', () => {
      const lines = text('item', item.name, 0, { weight: 'bold', size: 8, lines: maker === '' ? 3 : 2 })
      text('item', maker, lines * 10, { size: 7, color: ink.soft, lines: lines === 1 ? 2 : 1 })
    })
    structure.cell(() => {
      const lines = text('serial', item.serialNumber, 0, { lines: item.barcode === '' ? 3 : 2 })
      text('serial', item.barcode, Math.max(lines, 1) * 9.5, { size: 6.5, color: ink.soft })
    })
    structure.cell(() => text('location', item.location, 0, { lines: 3 }))
    amount('acquired', item.purchasePrice, item.acquired ?? '', replacement)
    amount('value', item.value, sourceOf(item))
    amount('reported', item.reported)
    amount('gap', item.gap, declarationOf(item))
    const undeclared = heading.policy !== null && item.policies.every(({ declared }) => declared === null)
    amount('policed', undeclared ? null : item.underPolicies, groupDigits(item.difference))
    if (columns.has('policies')) {
      structure.cell(() => text('policies', policiesOf(item, groupDigits), 0, { size: 6.5, lines: 4 }))
    }
  })
  canvas.line(y + rowHeight - 1)
  return { lost: drawn.some(({ lost }) => lost), cut: drawn.some(({ cut }) => cut) }
}
