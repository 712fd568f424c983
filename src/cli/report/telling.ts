import type { Outcome } from '../../apps/report/make.ts'
import { grouped } from '../../apps/report/words.ts'
import { print, remark } from '../output.ts'

const counted = (count: number, one: string, many: string) => `${grouped(String(count))} ${count === 1 ? one : many}`

/** Tells what was written on standard output, and what the report could not show on standard error. */
export function tell(path: string, { heading, totals, photos, unprintable, shortened }: Outcome): void {
  const { items, value, declared, unvalued } = totals.all
  print(
    `${path}: ${counted(items, 'item', 'items')} of ${heading.studio} on ${heading.day}, value ${heading.currency} ${grouped(value)}, declared ${grouped(declared)}`,
  )
  if (unvalued > 0) remark(`${counted(unvalued, 'item has', 'items have')} no value`)
  if (photos.missing > 0) remark(`${counted(photos.missing, 'photo is', 'photos are')} missing`)
  if (photos.unreadable > 0) remark(`${counted(photos.unreadable, 'photo', 'photos')} could not be read as an image`)
  if (photos.omitted > 0)
    remark(`${counted(photos.omitted, 'photo does', 'photos do')} not fit in a spreadsheet; the PDF has all`)
  if (shortened > 0)
    remark(`${counted(shortened, 'entry is', 'entries are')} shortened in the PDF; the XLSX has the whole text`)
  if (unprintable > 0) {
    remark(
      `${counted(unprintable, 'entry has', 'entries have')} characters that the PDF's font lacks; the XLSX has them`,
    )
  }
}
