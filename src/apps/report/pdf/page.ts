import type { Heading } from '../schedule.ts'
import type { Sums } from '../totals.ts'
import { dayInWords, disclaimers, grouped, title } from '../words.ts'
import { type Canvas, ink, paper } from './canvas.ts'

const { margin } = paper
const width = paper.width - 2 * margin

/** Height of the headings of the table's columns. */
export const columnsHeight = 22

/** Where the content of a page begins and ends, in points from its top. */
export const space = { firstTop: margin + 74, top: margin + 22, bottom: paper.height - margin - 26 } as const

/** Begins a page: title, studio, day and currency, and at its foot the disclaimers and the number of the page. */
export function beginPage(canvas: Canvas, heading: Heading, all: Sums, page: number, pages: number): void {
  canvas.addPage()
  if (page === 1) titleBlock(canvas, heading, all)
  else {
    const about = `${title} · ${heading.studio}`
    canvas.text(about, margin, margin, width - 230, { weight: 'bold', size: 8 })
    const when = `${dayInWords(heading.day)} · amounts in ${heading.currency}`
    canvas.text(when, margin + width - 225, margin, 225, { size: 8, color: ink.soft, align: 'right' })
    canvas.line(margin + 15)
  }
  footer(canvas, heading, page, pages)
}

function titleBlock(canvas: Canvas, { studio, day, today, currency }: Heading, all: Sums): void {
  canvas.text(title, margin, margin - 4, width, { weight: 'bold', size: 18 })
  canvas.text(studio, margin, margin + 20, width / 2, { weight: 'bold', size: 11, lines: 1 })
  const when = day === today ? 'Values of' : day < today ? 'Values as they were on' : 'Values as expected on'
  canvas.text(`${when} ${dayInWords(day)}. All amounts in ${currency}.`, margin, margin + 37, width / 2, { size: 8.5 })
  const sums: [string, string][] = [
    ['Items', grouped(String(all.items))],
    ['Value', grouped(all.value)],
    ['Declared value', grouped(all.declared)],
    ['Gap', grouped(all.gap)],
  ]
  for (const [index, [label, value]] of sums.entries()) {
    const x = margin + width / 2 + (index * width) / 8
    canvas.text(label, x, margin + 20, width / 8, { size: 7.5, color: ink.soft, align: 'right' })
    canvas.number(value, x, margin + 33, width / 8 - 0, { size: 10, weight: 'bold' })
  }
  canvas.line(margin + 62)
}

function footer(canvas: Canvas, { madeAt }: Heading, page: number, pages: number): void {
  const y = paper.height - margin - 18
  canvas.line(y - 3)
  for (const [index, sentence] of disclaimers.entries()) {
    canvas.text(sentence, margin, y + index * 9, width - 150, { size: 6.5, color: ink.soft })
  }
  const right = { size: 6.5, color: ink.soft, align: 'right' } as const
  canvas.text(`Page ${page} of ${pages}`, margin + width - 145, y, 145, right)
  canvas.text(`Made ${madeAt.slice(0, 10)} ${madeAt.slice(11, 16)} UTC`, margin + width - 145, y + 9, 145, right)
}
