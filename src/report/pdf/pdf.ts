import type { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Heading } from '../heading.ts'
import type { Illustrated } from '../photos.ts'
import { type Table, tablesOf } from '../tables.ts'
import type { Totals } from '../totals.ts'
import { title } from '../words.ts'
import { createCanvas, ink, paper } from './canvas.ts'
import { bandHeight, beginPage, columnsHeight, drawBand, drawColumns, drawItem, rowHeight, space } from './page.ts'
import { drawLine, type Head, heightOf, type Line, linesOf } from './summary.ts'

type IllustratedSchedule = { heading: Heading; totals: Totals; batches: AsyncIterable<Illustrated[]> }

/** How many bytes may wait for the reader of the document. */
const maxWaiting = 2 ** 18

/** Writes a schedule as PDF, with the totals at the end. All rows have one height, so the number
 * of pages is known first.
 * @returns how many items have characters that the font lacks, and how many were shortened */
export async function writePdf(
  { heading, totals, batches }: IllustratedSchedule,
  sink: Writable,
): Promise<{ unprintable: number; shortened: number }> {
  const tables = tablesOf(heading, totals)
  const pages = pagesOf(heading, totals, tables)
  const canvas = createCanvas(`${title}: ${heading.studio}, ${heading.day}`)
  let failure: unknown
  const written = pipeline(canvas.document, sink).catch((error: unknown) => {
    failure = error ?? new Error('the report was not taken')
  })
  const outcome = { unprintable: 0, shortened: 0 }
  const note = ({ lost, cut }: { lost: boolean; cut: boolean }) => {
    if (lost) outcome.unprintable += 1
    if (cut) outcome.shortened += 1
  }
  const counts = new Map(totals.categories.map(({ key, items }) => [key, items]))
  const begin = (page: number) => beginPage(canvas, heading, totals, page, pages)
  const plan = createPlan(heading, begin, {
    columns: (y) => drawColumns(canvas, heading, y),
    band: (y, category, continued) =>
      drawBand(canvas, heading, y, { category, items: counts.get(category) ?? 0, continued }),
    line: (y, line) => void drawLine(canvas, line, y),
    again: canvas.structure.artifact,
  })

  try {
    plan.start()
    if (totals.all.items === 0) {
      const style = { size: 9, color: ink.soft }
      canvas.structure.endTable()
      canvas.structure.leaf('P', () =>
        canvas.text('No equipment is recorded for this day.', paper.margin, plan.nothing(), 400, style),
      )
    }
    for await (const batch of batches) {
      for (const item of batch) note(drawItem(canvas, heading, item, plan.item(item.category)))
      while (canvas.document.readableLength > maxWaiting && failure === undefined) await sleep(2)
      if (failure !== undefined) throw failure
    }
    for (const line of linesOf(tables)) note(drawLine(canvas, line, plan.line(line)))
    canvas.structure.end()
    canvas.document.end()
  } catch (error) {
    canvas.document.destroy(error instanceof Error ? error : undefined)
    await written
    throw error
  }
  await written
  if (failure !== undefined) throw failure
  return outcome
}

type Draw = {
  columns(y: number): void
  band(y: number, category: string, continued: boolean): void
  line(y: number, line: Line): void
  /** Draws what an earlier page already has. Screen readers skip it. */
  again(draw: () => void): void
}

/** Lays out the pages. It runs twice: without drawing to count the pages, then to draw. */
function createPlan(heading: Heading, begin: (page: number) => void, draw: Draw) {
  const paginator = createPaginator(space.firstTop(heading))
  let category: string | undefined
  let onItems = true
  /** The headings of the current table of totals, which a new page repeats. */
  let head: Head | undefined

  /** Places something. A new page repeats the table's headings and the category. */
  function place(height: number, needed: number): number {
    if (paginator.fits(needed)) return paginator.place(height)
    paginator.turn()
    begin(paginator.pages())
    draw.again(repeat)
    return paginator.place(height)
  }

  function repeat() {
    if (onItems) {
      draw.columns(paginator.place(columnsHeight))
      if (category !== undefined) draw.band(paginator.place(bandHeight), category, true)
    } else if (head !== undefined) {
      const text = `${head.title}, continued`
      draw.line(paginator.place(heightOf.title), { kind: 'title', text, keep: 0 })
      draw.line(paginator.place(heightOf.head), head)
    }
  }

  return {
    start() {
      begin(1)
      draw.columns(paginator.place(columnsHeight))
    },
    nothing: () => place(24, 24),
    item(of: string): number {
      if (of !== category) {
        category = undefined
        const y = place(bandHeight, bandHeight + rowHeight)
        category = of
        draw.band(y, of, false)
      }
      return place(rowHeight, rowHeight)
    },
    line(line: Line): number {
      onItems = false
      if (line.kind === 'title' || line.kind === 'signatures') head = undefined
      const y = place(heightOf[line.kind], line.keep)
      if (line.kind === 'head') head = line
      return y
    },
    pages: () => paginator.pages(),
  }
}

function pagesOf(heading: Heading, totals: Totals, tables: Table[]): number {
  const nothing = () => undefined
  const again = (draw: () => void) => draw()
  const plan = createPlan(heading, nothing, { columns: nothing, band: nothing, line: nothing, again })
  plan.start()
  if (totals.all.items === 0) plan.nothing()
  for (const { key, items } of totals.categories) for (let n = 0; n < items; n += 1) plan.item(key ?? '')
  for (const line of linesOf(tables)) plan.line(line)
  return plan.pages()
}

/** Places things from top to bottom. The first page begins lower than the others. */
function createPaginator(firstTop: number) {
  let [y, pages] = [firstTop, 1]
  return {
    /** Reserves space and returns its top. */
    place(height: number): number {
      const placed = y
      y += height
      return placed
    },
    fits: (height: number) => y + height <= space.bottom,
    turn() {
      y = space.top
      pages += 1
    },
    pages: () => pages,
  }
}
