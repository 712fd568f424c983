import { once } from 'node:events'
import type { Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { setImmediate as turn } from 'node:timers/promises'
import type { Illustrated } from './photos.ts'
import type { Heading, Sums, Totals } from './schedule.ts'
import type { Thumbnail } from './thumbnails.ts'
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
import { type Cell, createWorkbook, type Picture, type Sheet, type Style } from './workbook.ts'

/** The report's photos, which wait in memory until the sheet is complete. */
const maxPhotos = 10_000

/** The columns after the photos. A text cell stays text even if it begins like a formula. */
const columns = [
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
    header: 'Declared under policies',
    width: 16,
    kind: 'money',
    of: (item: Illustrated) => number(item.underPolicies),
  },
  { header: 'Policies less reported', width: 16, kind: 'money', of: (item: Illustrated) => number(item.difference) },
  { header: 'Policies', width: 36, kind: 'text', of: (item: Illustrated) => policiesOf(item) },
  { header: 'Book value', width: 16, kind: 'money', of: (item: Illustrated) => number(item.bookValue) },
  { header: 'Replacement cost', width: 16, kind: 'money', of: (item: Illustrated) => number(item.replacementCost) },
  { header: 'Key', width: 16, kind: 'text', of: (item: Illustrated) => item.key },
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
  const workbook = createWorkbook((bytes) => sink.write(bytes), heading.currency)
  const page = pageOf(heading)
  const amounts = widthOfAmounts(totals)
  const sheet = workbook.sheet(
    {
      ...page,
      name: 'Equipment',
      columns: [
        { width: 10, style: 'text' },
        ...columns.map(({ width, kind }) => ({ width: kind === 'money' ? amounts : width, style: kind })),
      ],
    },
    true,
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
      const height = Math.max(lineHeight * linesOf(item), pictured ? photoHeight : 0)
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
  const wide = Math.max(18, amounts)
  const totalsColumns = styles.map((style, at) => ({ width: at === 0 ? 52 : wide, style }))
  writeTotals(workbook.sheet({ ...page, name: 'Totals', columns: totalsColumns }), heading, totals)
  workbook.end('Equipment')
  sink.end()
  await done
  return { omitted }
}

/** What is printed on each page. */
function pageOf(heading: Heading) {
  // The parts of a header have at most 255 characters together, and & begins a code.
  const studio = [...heading.studio].slice(0, 80).join('').replaceAll('&', '&&')
  return {
    // A digit after a size's code would belong to it.
    header: `&L&9${title} · ${studio}&R&9Values of ${dayInWords(heading.day)} in ${heading.currency}`,
    footer: `&L&7${disclaimers.join('\n')}&R&8Page &P of &N`,
  }
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

type Shown = Extract<Thumbnail, object>

const isPicture = (thumbnail: Thumbnail | null): thumbnail is Shown =>
  typeof thumbnail === 'object' && thumbnail !== null

function placed({ jpeg, width, height }: Shown, row: number): Picture {
  const scale = photoEdge / Math.max(width, height, photoEdge)
  return { jpeg, width: Math.round(width * scale), height: Math.round(height * scale), row }
}

/** Amounts have at most 14 digits, which a spreadsheet's number holds exactly. */
const number = (decimal: string | null): number | null => (decimal === null ? null : Number(decimal))

/** The columns of the totals. */
const styles: readonly Style[] = [
  'text',
  'whole',
  ...Array.from({ length: 6 }, () => 'money' as const),
  'whole',
  'money',
  'money',
]
const stylesOfPolicies = styles.with(4, 'whole').with(5, 'whole')

function writeTotals(sheet: Sheet, heading: Heading, totals: Totals): void {
  const { all, categories, policies, uncovered } = totals
  const plain = (cells: (string | number | null)[], looks = styles) =>
    sheet.row(cells.map((value, at): Cell => [value, looks[at] ?? 'plain']))
  const bold = (cells: (string | number)[]) => {
    const looks = styles.map((style) => (style === 'text' ? 'heading' : style === 'whole' ? 'boldWhole' : 'boldMoney'))
    plain(cells, looks)
  }
  const sentence = (words: string) => plain([words], ['sentence'])
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
  for (const { label, amount } of headline(all)) plain([label, null, Number(amount)])
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
  const counts = (cells: (string | number)[]) => plain(cells, stylesOfPolicies)
  for (const each of policies) {
    counts([policyLabel(each), each.items, Number(each.value), Number(each.declared), each.unvalued, each.undeclared])
  }
  counts(['No policy', uncovered.items, Number(uncovered.value), 0, uncovered.unvalued, 0])
  plain([])
  sentence('Value less what is reported as insured is Under-Declared and Not Declared less over-declared.')
  sentence('An item under several policies counts in each of them. An amount that is not recorded adds nothing.')
  for (const disclaimer of disclaimers) sentence(disclaimer)
  sheet.end()
}
