import type { Outcome } from '../../apps/report/make.ts'
import { grouped } from '../../apps/report/words.ts'
import { printDone, printJson, warn } from '../output.ts'

const counted = (count: number, one: string, many: string) => `${grouped(String(count))} ${count === 1 ? one : many}`

/** Tells what was written on standard output, and what the report could not show on standard error. */
export function tell(path: string, { heading, totals, photos, unprintable, shortened }: Outcome, json: boolean): void {
  const { items, value, declared, unvalued } = totals.all
  if (json) {
    const { studio, day, currency } = heading
    printJson({ file: path, studio, day, currency, items, value, declared, unvalued, photos, unprintable, shortened })
    return
  }
  printDone(
    `${path}: ${counted(items, 'item', 'items')} of ${heading.studio} on ${heading.day}, value ${heading.currency} ${grouped(value)}, declared ${grouped(declared)}`,
  )
  if (unvalued > 0) warn(`${counted(unvalued, 'item has', 'items have')} no value`)
  if (photos.missing > 0) warn(`${counted(photos.missing, 'photo is', 'photos are')} missing`)
  if (photos.unreadable > 0) warn(`${counted(photos.unreadable, 'photo', 'photos')} could not be read as an image`)
  if (photos.omitted > 0)
    warn(`${counted(photos.omitted, 'photo does', 'photos do')} not fit in a spreadsheet; the PDF has all`)
  if (shortened > 0)
    warn(`${counted(shortened, 'entry is', 'entries are')} shortened in the PDF; the XLSX has the whole text`)
  if (unprintable > 0) {
    warn(`${counted(unprintable, 'entry has', 'entries have')} characters that the PDF's font lacks; the XLSX has them`)
  }
}
