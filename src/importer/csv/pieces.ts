import { isSum } from '../foreign/meanings.ts'
import type { Reading } from '../read-cell.ts'
import { doubtAsError, quoted, type RowError } from '../row-errors.ts'
import type { StagedRow } from '../staging.ts'
import type { Header } from './header.ts'
import type { Record } from './records.ts'

/** The most pieces of a row that become items. */
const most = 1000

/** How many rows have several pieces, how many those are, and how much all but the first
 * piece of each cost. */
export type PiecesTally = { rows: number; pieces: number; missing: number; value: number }

/** Makes a row of each piece, if the file has a column of quantities. The first piece has the row's
 * key and serial number, the second the key `…/2`. */
export function createPieces(header: Header, reading: Reading) {
  const tally: PiecesTally = { rows: 0, pieces: 0, missing: 0, value: 0 }
  const { quantities } = header.checked
  const quantityOf = ({ cells }: Record) => quantities.find(({ index }) => (cells[index] ?? '').trim() !== '')
  const placeOf = (name: string) => header.places.findIndex(({ column }) => column.name === name)
  const [key, serial] = [placeOf('external_key'), placeOf('serial_number')]
  const amounts = header.places.flatMap(({ column, indexes }, at) =>
    column.cell.reads === 'amount' ? [{ column, at, index: indexes[0] ?? 0 }] : [],
  )
  const price = amounts.find(({ column }) => column.name === 'purchase_price')?.at ?? amounts[0]?.at ?? -1

  /** Reads the number of pieces of a row. @returns undefined if the cell has no such number */
  function numberOf(record: Record): number | undefined {
    const { cells } = record
    const { singles } = header
    const quantity = quantityOf(record)
    if (quantity === undefined || (singles && cells[singles.index]?.includes(singles.contains))) return 1
    const text = (cells[quantity.index] ?? '').replace(/[\s\u00a0\u202f]/g, '')
    if (text === '' || reading.accepted?.has('sets')) return 1
    // Three digits after a mark may be thousands.
    const [, digits] =
      /^(\d{1,9})(?:[.,]0+(?<![.,]000))?(?:x|pcs?|pieces?|stk|st|each|ea|units?)?\.?$/i.exec(text) ?? []
    return digits === undefined ? undefined : Number(digits)
  }

  /** Refuses an amount that is the sum of the row's pieces, because each piece would get it. */
  function refuseSums(row: StagedRow, pieces: number, errors: RowError[]): void {
    for (const { column, at, index } of amounts) {
      const value = Number(row.values[at] ?? 0)
      const unit = amounts.find((other) => other.at !== at && isTimes(value, Number(row.values[other.at] ?? 0), pieces))
      const name = header.names[index] ?? ''
      if (value === 0 || pieces < 2 || !(unit || isSum(name))) continue
      const problem = unit
        ? `is ${pieces} times ${unit.column.name}: a sum, and not the amount of one piece`
        : `is the sum of ${pieces} pieces, by the name ${quoted(name)}`
      const remedy = 'leave the column out, or write the amount of one piece'
      errors.push({ line: row.line, column: column.name, value: row.values[at] ?? null, problem, remedy })
    }
  }

  return {
    tally,
    of(row: StagedRow, record: Record, errors: RowError[]): StagedRow[] {
      const pieces = numberOf(record)
      const quantity = quantityOf(record)
      if (quantity === undefined || pieces === 1) return [row]
      const { line } = row
      const cell = { line, column: quantity.name.trim(), value: record.cells[quantity.index] ?? '' }
      if (pieces === undefined || pieces > most) {
        const problem = pieces === undefined ? 'is not a number of pieces' : `is more than ${most} pieces`
        errors.push(doubtAsError('sets', { ...cell, problem, remedy: 'write a smaller whole number' }))
        return [row]
      }
      const isAccepted = reading.accepted?.has('quantities')
      if (isAccepted && pieces > 0) refuseSums(row, pieces, errors)
      const each = price < 0 ? 0 : Number(row.values[price] ?? 0)
      tally.rows += 1
      tally.pieces += pieces
      tally.missing += Math.max(pieces - 1, 0)
      tally.value += Math.max(pieces - 1, 0) * each
      if (isAccepted) return Array.from({ length: pieces }, (_, at) => (at === 0 ? row : piece(row, at + 1)))
      const worth = each > 0 ? ` worth ${(each * (pieces - 1)).toFixed(2)}` : ''
      const problem =
        pieces === 0
          ? 'is no piece, and would become an item'
          : `is ${pieces} pieces: one item would leave out ${pieces - 1}${worth}`
      const remedy = `correct it, or --accept sets, which makes one item of the row`
      errors.push(doubtAsError('quantities', { ...cell, problem, remedy }))
      return [row]
    },
  }

  function piece(row: StagedRow, number: number): StagedRow {
    const values = [...row.values]
    if (key >= 0 && values[key] !== null) values[key] = `${values[key]}/${number}`
    if (serial >= 0 && serial !== key) values[serial] = ''
    return { ...row, piece: number, values }
  }
}

const isTimes = (value: number, unit: number, pieces: number) => unit > 0 && Math.abs(value - unit * pieces) < 0.005
