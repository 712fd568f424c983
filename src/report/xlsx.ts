import { once } from 'node:events'
import type { Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { setImmediate as turn } from 'node:timers/promises'
import type { Heading } from './heading.ts'
import type { Illustrated } from './photos.ts'
import { type Column, type Table, tablesOf } from './tables.ts'
import type { Thumbnail } from './thumbnails.ts'
import type { Totals } from './totals.ts'
import {
  dayInWords,
  declarationOf,
  disclaimers,
  groupDigits,
  headingLines,
  headline,
  lessReported,
  policiesOf,
  signatures,
  sourceOf,
  title,
  underPolicies,
} from './words.ts'
import { type Cell, createWorkbook, type Picture, type Sheet, type Style } from './workbook.ts'

/** The report's photos, which wait in memory until the sheet is complete. */
const maxPhotos = 10_000

/** The columns after the photos. A text cell stays text even if it begins like a formula. */
const columnsOf = (heading: Heading) =>
  [
    { header: 'Name', width: 30, kind: 'text', of: (item: Illustrated) => item.name },
    { header: 'Manufacturer', width: 16, kind: 'text', of: (item: Illustrated) => item.manufacturer },
    { header: 'Model', width: 18, kind: 'text', of: (item: Illustrated) => item.model },
    { header: 'Serial number', width: 16, kind: 'text', of: (item: Illustrated) => item.serialNumber },
    { header: 'Barcode', width: 15, kind: 'text', of: (item: Illustrated) => item.barcode },
    { header: 'Category', width: 24, kind: 'text', of: (item: Illustrated) => item.category },
    { header: 'Location', width: 30, kind: 'text', of: (item: Illustrated) => item.location },
    { header: 'Acquired', width: 11, kind: 'day', of: (item: Illustrated) => item.acquired },
    { header: 'Purchase price', width: 16, kind: 'money', of: (item: Illustrated) => number(item.purchasePrice) },
    { header: 'Value', width: 16, kind: 'money', of: (item: Illustrated) => number(item.value) },
    { header: 'Source', width: 19, kind: 'text', of: sourceOf },
    { header: 'Reported as insured', width: 16, kind: 'money', of: (item: Illustrated) => number(item.reported) },
    { header: 'Gap', width: 16, kind: 'money', of: (item: Illustrated) => number(item.gap) },
    { header: 'Declaration', width: 17, kind: 'text', of: declarationOf },
    {
      header: underPolicies(heading),
      width: 16,
      kind: 'money',
      of: (item: Illustrated) => number(item.underPolicies),
    },
    { header: lessReported(heading), width: 16, kind: 'money', of: (item: Illustrated) => number(item.difference) },
    { header: 'Policies', width: 36, kind: 'text', of: (item: Illustrated) => policiesOf(item) },
    { header: 'Book value', width: 16, kind: 'money', of: (item: Illustrated) => number(item.bookValue) },
    { header: 'Replacement cost', width: 16, kind: 'money', of: (item: Illustrated) => number(item.replacementCost) },
    { header: 'Key', width: 16, kind: 'text', of: (item: Illustrated) => item.key },
    { header: 'Id', width: 38, kind: 'text', of: (item: Illustrated) => item.id },
  ] as const

type Columns = ReturnType<typeof columnsOf>

/** Heights of a line and a row with a photo in points; a photo's longest edge in pixels. */
const lineHeight = 15
const photoHeight = 47
const photoEdge = 58

/** Writes a schedule as XLSX: a sheet of items, and sheets of tables. Cells are numbers, days or
 * text. Each printed page has the title and the disclaimers. */
export async function writeXlsx(
  { heading, totals, batches }: { heading: Heading; totals: Totals; batches: AsyncIterable<Illustrated[]> },
  sink: Writable,
): Promise<{ omitted: number }> {
  const workbook = createWorkbook((bytes) => sink.write(bytes), heading.currency)
  const columns = columnsOf(heading)
  const page = pageOf(heading)
  const amounts = widthOfAmounts(totals)
  const sheet = workbook.sheet(
    {
      ...page,
      name: 'Equipment',
      columns: [
        { width: 10, style: 'text' },
        ...columns.map(({ header, width, kind }) => ({
          width: Math.max(kind === 'money' ? amounts : width, header.length + 2),
          style: kind,
        })),
      ],
    },
    2,
  )
  const headings = columns.map(({ header, kind }): Cell => [header, kind === 'money' ? 'boldMoney' : 'heading'])
  sheet.row([['Photo', 'heading'], ...headings])

  let [rows, omitted] = [1, 0]
  const pictures: Picture[] = []
  const done = finished(sink)
  done.catch(() => undefined)
  for await (const batch of batches) {
    for (const item of batch) {
      const { thumbnail } = item
      const pictured = isPicture(thumbnail) && pictures.length < maxPhotos
      const height = Math.max(lineHeight * linesOf(item, columns), pictured ? photoHeight : 0)
      sheet.row(
        [[photoWords(item, pictured), 'text'], ...columns.map(({ kind, of }): Cell => [of(item), kind])],
        height,
      )
      if (pictured && isPicture(thumbnail)) pictures.push(placed(thumbnail, rows))
      else if (isPicture(thumbnail)) omitted += 1
      rows += 1
    }
    await turn()
    if (sink.destroyed) await done
    if (sink.writableNeedDrain) await Promise.race([once(sink, 'drain'), done])
  }
  sheet.end(pictures)
  const tables = Map.groupBy(tablesOf(heading, totals), ({ sheet: name }) => name)
  for (const [name, several] of tables) {
    const widths = widthsOf(several, amounts)
    const alone = name !== 'Totals'
    const next = workbook.sheet({ ...page, name, columns: widths }, alone ? 2 : 0)
    if (!alone) writeAbout(next, heading, totals)
    for (const table of several) writeTable(next, table, widths, alone)
    if (!alone) writeEnd(next)
    next.end()
  }
  workbook.end()
  sink.end()
  await done
  return { omitted }
}

/** The header and footer of each printed page. */
function pageOf(heading: Heading) {
  // The parts of a header have at most 255 characters together. An & begins a code.
  const studio = [...heading.studio].slice(0, 80).join('').replaceAll('&', '&&')
  return {
    // After the code of a size, a digit would become part of the size.
    header: `&L&9${title} · ${studio}&R&9Values of ${dayInWords(heading.day)} in ${heading.currency}`,
    footer: `&L&7${disclaimers.join('\n')}&R&8Page &P of &N`,
  }
}

function photoWords({ thumbnail }: Illustrated, pictured: boolean): string {
  if (pictured) return ''
  if (thumbnail === null) return 'no photo'
  return isPicture(thumbnail) ? 'not shown' : `photo ${thumbnail}`
}

/** How wide a column of amounts is: the longest sum fits with its currency, and so do its parts. */
function widthOfAmounts({ all }: Totals): number {
  const sums = [all.purchase_price, all.estimated_value, all.reported_insured_value, all.over_declared]
  return Math.max(16, ...[...sums, all.declared_under_policies ?? ''].map((sum) => groupDigits(sum).length + 7))
}

/** The number of lines that an item needs; some spreadsheets do not compute it. */
function linesOf(item: Illustrated, columns: Columns): number {
  const lines = columns.map(({ kind, width, of }) =>
    kind === 'text' ? Math.ceil(String(of(item)).length / (width - 2)) : 1,
  )
  return Math.min(Math.max(1, ...lines), 25)
}

type Shown = Extract<Thumbnail, object>

const isPicture = (thumbnail: Thumbnail | null): thumbnail is Shown =>
  typeof thumbnail === 'object' && thumbnail !== null

function placed({ jpeg, width, height }: Shown, row: number): Picture {
  const scale = photoEdge / Math.max(width, height, photoEdge)
  return { jpeg, width: Math.round(width * scale), height: Math.round(height * scale), row }
}

/** Amounts have at most 14 digits, which a spreadsheet's number holds exactly. */
const number = (decimal: string | null): number | null => (decimal === null ? null : Number(decimal))

const kinds = {
  text: { width: 30, style: 'text', head: 'heading', sum: 'heading' },
  day: { width: 12, style: 'day', head: 'heading', sum: 'day' },
  whole: { width: 10, style: 'whole', head: 'boldWhole', sum: 'boldWhole' },
  money: { width: 16, style: 'money', head: 'boldMoney', sum: 'boldMoney' },
} as const satisfies Record<Column['kind'], { width: number; style: Style; head: Style; sum: Style }>

/** The columns of a sheet, each as wide as the widest of its tables needs. */
function widthsOf(tables: readonly Table[], amounts: number): { width: number; style: Style }[] {
  const widthOf = ({ kind, header, width = 200 }: Column) => {
    if (kind === 'text') return Math.max(kinds.text.width, Math.round(width / 4))
    return Math.max(kind === 'money' ? amounts : kinds[kind].width, header.length + 2)
  }
  const most = Math.max(...tables.map(({ columns }) => columns.length))
  return Array.from({ length: most }, (_, at) => {
    const those = tables.flatMap(({ columns }) => columns[at] ?? [])
    return { width: Math.max(...those.map(widthOf)), style: 'plain' }
  })
}

const sentence = (sheet: Sheet, words: string) => sheet.row([[words, 'sentence']])

function writeAbout(sheet: Sheet, heading: Heading, totals: Totals): void {
  sheet.row([[`${title} · ${heading.studio}`, 'heading']])
  for (const line of headingLines(heading)) sentence(sheet, line)
  sentence(sheet, `Made ${heading.madeAt.replace(/\.\d+/, '')}`)
  sheet.row([])
  for (const { label, amount } of headline(heading, totals)) {
    sheet.row([[label, 'text'], [null, 'plain'], amount === null ? ['not set', 'text'] : [Number(amount), 'money']])
  }
  sheet.row([])
}

/** @param alone whether its sheet has no other table: then its headings are the first row */
function writeTable(
  sheet: Sheet,
  { title: name, columns, rows, notes }: Table,
  widths: readonly { width: number }[],
  alone: boolean,
): void {
  if (!alone) sheet.row([[name, 'heading']])
  sheet.row(columns.map(({ header, kind }): Cell => [header, kinds[kind].head]))
  for (const { cells, sum } of rows) {
    const lines = cells.map((cell, at) =>
      columns[at]?.kind === 'text' ? Math.ceil(String(cell ?? '').length / ((widths[at]?.width ?? 0) - 2)) : 1,
    )
    sheet.row(
      columns.map(({ kind }, at): Cell => {
        const cell = cells[at] ?? null
        if (kind === 'money' && Number.isNaN(Number(cell))) return [cell, kinds.text.style]
        const value = kind === 'money' && cell !== null ? Number(cell) : cell
        return [value, kinds[kind][sum ? 'sum' : 'style']]
      }),
      lineHeight * Math.max(1, ...lines),
    )
  }
  if (alone) sheet.row([])
  for (const note of notes) sentence(sheet, note)
  if (!alone) sheet.row([])
}

function writeEnd(sheet: Sheet): void {
  for (const disclaimer of disclaimers) sentence(sheet, disclaimer)
  for (const words of signatures) {
    sheet.row([], 30)
    sentence(sheet, words)
  }
}
