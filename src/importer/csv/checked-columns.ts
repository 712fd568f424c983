import type { Kind } from '../kinds/kind.ts'

/** A column of the file, by its place. */
type FileColumn = { index: number; name: string }

/** Columns that are not stored, and change what the others mean. They are checked in each row, even
 * if somebody leaves them out. */
export type CheckedColumns = {
  /** The number of pieces in a row: in the first of these that is filled. */
  quantities: FileColumn[]
  /** The currency of its amounts. */
  currency?: FileColumn
  /** What has become of it: sold, lost, archived. */
  states: FileColumn[]
}

const quantityNames =
  /^(?:(?:current |total |stock )?(?:qty|quantity|count|pieces|pcs|units|stock|number of (?:items|pieces|units))(?: on hand| in stock| owned)?|no of (?:items|pieces|units)|anzahl|menge|stück(?:zahl)?|stk|quantité|qté|cantidad|quantità|aantal|antal)$/
const currencyNames = /^(?:.* )?(?:currency(?: code)?|währung|devise|moneda|valuta|ccy)$/
const stateNames =
  /^(?:(?:asset |item )?(?:status|state|disposition)|zustand|statut|estado|archived|deleted|deleted at|disposed|disposed on|date disposed|disposal date|sold|sold on|sold date|date sold|sale date|date of sale|retirement date|abgang|verkaufsdatum|retired|lost|stolen|verkauft(?: am)?)$/

/** Finds the columns to check among those that are not read. @param isRead by place */
export function checkedColumns(
  kind: Kind,
  names: readonly string[],
  isRead: (index: number) => boolean,
): CheckedColumns {
  const found: CheckedColumns = { quantities: [], states: [] }
  for (const [index, name] of names.entries()) {
    if (isRead(index)) continue
    const words = name
      .replace(/^HB\./i, '')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, ' ')
      .trim()
    if (kind.name === 'items' && quantityNames.test(words)) found.quantities.push({ index, name })
    else if (currencyNames.test(words)) found.currency ??= { index, name }
    else if (kind.archivable && stateNames.test(words)) found.states.push({ index, name })
  }
  return found
}
