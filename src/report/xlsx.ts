import { once } from 'node:events'
import type { Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { setImmediate as turn } from 'node:timers/promises'
import { WorkbookWriter } from '@cj-tech-master/excelts'
import type { Illustrated, Thumbnail } from './photos.ts'
import type { Heading, Sums, Totals } from './schedule.ts'
import {
  dayInWords,
  declarationOf,
  disclaimers,
  grouped,
  headline,
  policiesOf,
  policyLabel,
  sourceOf,
  title,
  valuesOf,
} from './words.ts'

type Sheet = ReturnType<WorkbookWriter['addWorksheet']>

/** The report's photos, which wait in memory until the sheet is complete. */
const maxPhotos = 10_000

const font = { name: 'Calibri', size: 11 } as const
const text = { numFmt: '@', alignment: { vertical: 'top', wrapText: true, indent: 1 } } as const
const whole = { numFmt: '#,##0', alignment: { vertical: 'top' } } as const
const day = { numFmt: 'yyyy-mm-dd', alignment: { vertical: 'top', horizontal: 'left' } } as const
const money = (currency: string) =>
  ({ numFmt: `[$${currency}] #,##0.00_-;-[$${currency}] #,##0.00_-`, alignment: { vertical: 'top' } }) as const

/** The columns after the photos. A text cell stays text even if it begins like a formula. */
const columns = [
  { header: 'Name', width: 30, kind: 'text', of: (item: Illustrated) => item.name },
  { header: 'Manufacturer', width: 16, kind: 'text', of: (item: Illustrated) => item.manufacturer },
  { header: 'Model', width: 18, kind: 'text', of: (item: Illustrated) => item.model },
  { header: 'Serial number', width: 16, kind: 'text', of: (item: Illustrated) => item.serialNumber },
  { header: 'Barcode', width: 15, kind: 'text', of: (item: Illustrated) => item.barcode },
  { header: 'Category', width: 24, kind: 'text', of: (item: Illustrated) => item.category },
  { header: 'Location', width: 30, kind: 'text', of: (item: Illustrated) => item.location },
  { header: 'Acquired', width: 11, kind: 'day', of: (item: Illustrated) => dayCell(item.acquired) },
  { header: 'Purchase price', width: 16, kind: 'money', of: (item: Illustrated) => number(item.purchasePrice) },
  { header: 'Value', width: 16, kind: 'money', of: (item: Illustrated) => number(item.value) },
  { header: 'Source', width: 19, kind: 'text', of: sourceOf },
  { header: 'Reported as insured', width: 16, kind: 'money', of: (item: Illustrated) => number(item.reported) },
  { header: 'Gap', width: 16, kind: 'money', of: (item: Illustrated) => number(item.gap) },
  { header: 'Declaration', width: 17, kind: 'text', of: declarationOf },
  {
    header: 'Declared under policies',
    width: 16,
    kind: 'money',
    of: (item: Illustrated) => number(item.underPolicies),
  },
  { header: 'Policies less reported', width: 16, kind: 'money', of: (item: Illustrated) => number(item.difference) },
  { header: 'Policies', width: 36, kind: 'text', of: (item: Illustrated) => policiesOf(item) },
] as const

/** Heights of a line and a row with a photo in points; a photo's longest edge in pixels. */
const lineHeight = 15
const photoHeight = 47
const photoEdge = 58

/** Writes a schedule as XLSX: a sheet of items and one of totals, with cells typed as numbers,
 * days and text. Each printed page has the title and the disclaimers. */
export async function writeXlsx(
  { heading, totals, batches }: { heading: Heading; totals: Totals; batches: AsyncIterable<Illustrated[]> },
  sink: Writable,
): Promise<{ omitted: number }> {
  const workbook = new WorkbookWriter({ stream: sink, useSharedStrings: false, useStyles: true })
  workbook.creator = 'Studio Inventory'
  const sheet = addSheet(workbook, 'Equipment', heading, true)
  const styles = { text, day, money: money(heading.currency) }
  const amounts = widthOfAmounts(totals)
  sheet.columns = [
    { header: 'Photo', width: 10, style: text },
    ...columns.map(({ header, width, kind }) => ({
      header,
      width: kind === 'money' ? amounts : width,
      style: styles[kind],
    })),
  ]
  boldRow(sheet.getRow(1), (column) => columns[column - 2]?.kind === 'money')

  let [rows, photos, omitted] = [1, 0, 0]
  const done = finished(sink)
  done.catch(() => undefined)
  for await (const batch of batches) {
    for (const item of batch) {
      const pictured = isPicture(item.thumbnail) && photos < maxPhotos
      const row = sheet.addRow([photoWords(item, pictured), ...columns.map(({ of }) => of(item))])
      row.height = Math.max(lineHeight * linesOf(item), pictured ? photoHeight : 0)
      if (pictured && isPicture(item.thumbnail)) {
        place(workbook, sheet, item.thumbnail, rows)
        photos += 1
      } else if (isPicture(item.thumbnail)) omitted += 1
      row.commit()
      rows += 1
    }
    await turn()
    if (sink.destroyed) await done
    if (sink.writableNeedDrain) await Promise.race([once(sink, 'drain'), done])
  }
  sheet.commit()
  writeTotals(addSheet(workbook, 'Totals', heading, false), heading, totals)
  await Promise.all([workbook.commit(), done])
  return { omitted }
}

function addSheet(workbook: WorkbookWriter, name: string, heading: Heading, items: boolean): Sheet {
  // The parts of a header have at most 255 characters together, and & begins a code.
  const studio = [...heading.studio].slice(0, 80).join('').replaceAll('&', '&&')
  return workbook.addWorksheet(name, {
    ...(items && { views: [{ state: 'frozen', xSplit: 2, ySplit: 1 }] }),
    pageSetup: {
      paperSize: 9,
      orientation: 'landscape',
      fitToPage: true,
      fitToWidth: 1,
      fitToHeight: 0,
      margins: { left: 0.4, right: 0.4, top: 0.6, bottom: 0.7, header: 0.3, footer: 0.3 },
      ...(items && { printTitlesRow: '1:1' }),
    },
    headerFooter: {
      // A digit after a size's code would belong to it.
      oddHeader: `&L&9${title} · ${studio}&R&9Values of ${dayInWords(heading.day)} in ${heading.currency}`,
      oddFooter: `&L&7${disclaimers.join('\n')}&R&8Page &P of &N`,
    },
  })
}

function photoWords({ thumbnail }: Illustrated, pictured: boolean): string {
  if (pictured) return ''
  if (thumbnail === null) return 'no photo'
  return isPicture(thumbnail) ? 'not shown' : `photo ${thumbnail}`
}

/** Wide enough for the longest sum with its currency, and so for most of what it is made of. */
function widthOfAmounts({ all }: Totals): number {
  const sums = [all.purchasePrice, all.value, all.reported, all.over, all.unvaluedReported, all.underPolicies]
  return Math.max(16, ...sums.map((sum) => grouped(sum).length + 7))
}

/** The number of lines that an item needs; some spreadsheets do not compute it. */
function linesOf(item: Illustrated): number {
  const lines = columns.map(({ kind, width, of }) =>
    kind === 'text' ? Math.ceil(String(of(item)).length / (width - 2)) : 1,
  )
  return Math.min(Math.max(1, ...lines), 25)
}

type Picture = Extract<Thumbnail, object>

const isPicture = (thumbnail: Thumbnail | null): thumbnail is Picture =>
  typeof thumbnail === 'object' && thumbnail !== null

/** @param row from 0 */
function place(workbook: WorkbookWriter, sheet: Sheet, { jpeg, width, height }: Picture, row: number): void {
  const scale = photoEdge / Math.max(width, height, photoEdge)
  const image = workbook.addImage({ buffer: new Uint8Array(jpeg), extension: 'jpeg' })
  const ext = { width: Math.round(width * scale), height: Math.round(height * scale) }
  sheet.addImage(image, { tl: { col: 0.06, row: row + 0.04 }, ext, editAs: 'oneCell' })
}

/** Amounts have at most 14 digits, which a spreadsheet's number holds exactly. */
const number = (decimal: string | null): number | null => (decimal === null ? null : Number(decimal))
const dayCell = (date: string | null): Date | null => (date === null ? null : new Date(`${date}T00:00:00Z`))

/** A row of headings or sums. A heading is aligned like the numbers below it. */
function boldRow(row: ReturnType<Sheet['getRow']>, numeric: (column: number) => boolean): void {
  row.font = { ...font, bold: true }
  row.eachCell((cell, column) => {
    cell.alignment = {
      vertical: 'top',
      horizontal: numeric(column) ? 'right' : 'left',
      indent: numeric(column) ? 0 : 1,
    }
  })
  row.commit()
}

function writeTotals(sheet: Sheet, heading: Heading, totals: Totals): void {
  const { all, categories, policies, uncovered } = totals
  const amount = money(heading.currency)
  const styles = [text, whole, ...Array.from({ length: 6 }, () => amount), whole, amount, amount]
  sheet.columns = styles.map((style, index) => ({
    width: index === 0 ? 52 : Math.max(18, widthOfAmounts(totals)),
    style,
  }))
  const bold = (cells: (string | number)[]) => boldRow(sheet.addRow(cells), (column) => column > 1)
  const sentence = (words: string) => {
    const row = sheet.addRow([words])
    row.getCell(1).alignment = { vertical: 'top', wrapText: false }
    row.commit()
  }
  const plain = (cells: (string | number | null)[]) => sheet.addRow(cells).commit()
  const sums = (each: Sums) => {
    const {
      items,
      purchasePrice,
      value,
      reported,
      under,
      notDeclared,
      over,
      unvalued,
      unvaluedReported,
      underPolicies,
    } = each
    const amounts = [purchasePrice, value, reported, under, notDeclared, over].map(Number)
    return [items, ...amounts, unvalued, Number(unvaluedReported), Number(underPolicies)]
  }

  bold([`${title} · ${heading.studio}`])
  sentence(`${valuesOf(heading)}. Amounts in ${heading.currency}, made ${heading.madeAt.replace(/\.\d+/, '')}`)
  plain([])
  for (const { label, amount: sum } of headline(all)) {
    const row = sheet.addRow([label, null, Number(sum)])
    row.getCell(3).numFmt = amount.numFmt
    row.commit()
  }
  plain([])
  bold([
    'Totals by category',
    'Items',
    'Purchase price',
    'Value',
    'Reported as insured',
    'Under-Declared',
    'Not Declared',
    'Over-declared',
    'Without value',
    'Reported for them',
    'Declared under policies',
  ])
  for (const each of categories) plain([each.category, ...sums(each)])
  bold(['All items', ...sums(all)])
  plain([])
  bold(['Totals by policy', 'Items', 'Value of its items', 'Declared under it', 'Without value', 'Nothing declared'])
  const counts = (cells: (string | number)[]) => {
    const row = sheet.addRow(cells)
    for (const column of [5, 6]) row.getCell(column).numFmt = whole.numFmt
    row.commit()
  }
  for (const each of policies) {
    counts([policyLabel(each), each.items, Number(each.value), Number(each.declared), each.unvalued, each.undeclared])
  }
  counts(['No policy', uncovered.items, Number(uncovered.value), 0, uncovered.unvalued, 0])
  plain([])
  sentence('Value less what is reported as insured is Under-Declared and Not Declared less over-declared.')
  sentence('An item under several policies counts in each of them. An amount that is not recorded adds nothing.')
  for (const disclaimer of disclaimers) sentence(disclaimer)
  sheet.commit()
}
