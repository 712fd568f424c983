import { sameName } from '../foreign/mapping.ts'
import type { Header } from './header.ts'
import type { Record } from './records.ts'

/** A row of a table that is no record: the header again, nothing but zeros, or what a person reads
 * (a total, the heading of a group, a remark). */
type NoRecord = { is: 'header' | 'blank' } | { is: 'remark'; problem: string; value: string; column: string | null }

const total =
  /^(?:(?:grand|sub|sum|net|overall)[ -]?)?(?:totals?|sums?|summe|gesamt(?:summe|wert|betrag)?|insgesamt|zwischensumme|total général|somme|totale|subtotale?|suma|totaal|totalt|übertrag|(?:carried|brought) forward|average|durchschnitt|count)(?:[:=]? (?:value|cost|price|amount|items?|assets?|sum|of all|all|inventory|wert|preis|\(?[\d.,]+(?: items?)?\)?|[A-Z]{3}))*\s*[:=]?$/i
/** The label of the total of a group, such as `Microphones total`, where nothing but amounts is next to it. */
const groupTotal =
  /^(?:(?:grand|sub)[ -]?)?(?:total|summe|gesamt|zwischensumme|subtotal)[ :].|. (?:sub)?(?:totals?|summe|gesamt)\s*[:=]?$/i
const remark =
  /^(?:page \d|seite \d|printed|created (?:on|by|with)|generated|exported|report (?:generated|created)|prepared (?:by|for|on)|as of \d|stand:? \d|last updated|end of (?:list|report|file)|notes?:|\*|©|https?:\/\/|www\.)/i
const zero = /^(?:[0\s.,-]+|[\p{Sc}A-Z]{1,3}\s?[0.,-]+|[0.,-]+\s?[\p{Sc}A-Z]{1,3}|false|#n\/a)$/u
const number = /^[\p{Sc}A-Z\s]{0,4}\d[\d\s.,'’]*[\p{Sc}A-Z\s%]{0,4}$/u

/** Says what a row is if it is no record; else undefined. */
export function noRecord(record: Record, header: Header): NoRecord | undefined {
  const { cells, stored } = record
  const begin = cells.findIndex((cell) => cell.trim() !== '')
  const first = { text: (cells[begin] ?? '').trim(), index: begin }
  if (begin < 0) return { is: 'blank' }
  const label = labelOf(record, header, first)
  const isSum = stored?.some((cell) => cell?.isSum) ?? false
  // Most rows are records, which begin with a text that is none of these.
  const isText = !number.test(first.text) && !zero.test(first.text)
  const isHeader = sameName(first.text, header.names[begin] ?? '')
  if (isText && !isHeader && !isSum && label === undefined && cells.findLastIndex((cell) => cell !== '') > begin)
    return undefined

  const filled = cells.flatMap((cell, index) => (cell.trim() === '' ? [] : [{ text: cell.trim(), index }]))
  const repeated = filled.filter(({ text, index }) => sameName(text, header.names[index] ?? '')).length
  if (repeated > 1 && repeated * 2 > filled.length) return { is: 'header' }
  if (filled.every(({ text }) => zero.test(text))) return { is: 'blank' }
  const as = (problem: string, { text, index }: { text: string; index: number }): NoRecord => ({
    ...{ is: 'remark', problem, value: text, column: header.names[index]?.trim() || null },
  })
  const sum = filled.find(({ index }) => stored?.[index]?.isSum)
  if (sum) return as('adds up the rows above it', sum)
  if (label) return as('is the label of a total, not a name', label)
  if (filled.length > 1 && header.width > 2 && filled.every(({ text }) => number.test(text)) && !hasKey(header, cells))
    return as('has amounts and no name, as a total has', first)
  if (filled.length > 1 || header.width < 3) return undefined
  if (remark.test(first.text)) return as('is a remark, not a name', first)
  return isHeading(first.text) ? as('stands alone, as the heading of the rows below it does', first) : undefined
}

type Filled = { text: string; index: number }

/** The label of a total: the first filled cell, or the name. */
function labelOf({ cells }: Record, { places }: Header, first: Filled): Filled | undefined {
  const at = (names: RegExp) => places.find(({ column }) => names.test(column.name))?.indexes[0] ?? -1
  const [index, key] = [at(/^(?:name|title)$/), at(/^external_key$/)]
  const isAmount = (cell: string, place: number) => place === key || cell.trim() === '' || number.test(cell.trim())
  return [first, { text: (cells[index] ?? '').trim(), index }].find(
    (label) =>
      total.test(label.text) ||
      (groupTotal.test(label.text) && cells.every((cell, place) => place === label.index || isAmount(cell, place))),
  )
}

const hasKey = ({ places }: Header, cells: readonly string[]) =>
  places.some(
    ({ column, indexes }) =>
      column.cell.reads === undefined && indexes.some((index) => (cells[index] ?? '').trim() !== ''),
  )

/** `MICROPHONES`, `Microphones:` */
const isHeading = (text: string) =>
  /^[\p{L} &,/-]{3,}:$/u.test(text) || (/^[\p{Lu} &,/-]{4,}$/u.test(text) && / |.{6}/.test(text))
