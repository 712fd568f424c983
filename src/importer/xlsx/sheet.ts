import { UnreadableFile } from '../row-errors.ts'
import { damaged } from './archive.ts'
import { type Book, type Cell, cellOf, type RawCell } from './cell.ts'
import { isShown, textElements } from './texts.ts'
import { parse } from './xml.ts'

/** The limits of spreadsheets, and the most characters of a row of a CSV file. */
const most = { rows: 1_048_576, columns: 16_384, characters: 1024 * 1024 }

const children = {
  sheetData: ['row'],
  row: ['c', 'extLst'],
  c: ['f', 'v', 'is', 'extLst'],
  ...textElements,
}

/** A row. `line` is its number, from 1. Cells that the sheet does not store are missing. */
export type Row = { line: number; cells: Cell[] }

/** The rows that a sheet stores, in their order. @throws UnreadableFile */
export async function* rowsOf(part: AsyncIterable<Buffer>, book: Book): AsyncGenerator<Row> {
  let found: Row[] = []
  let row: Row = { line: 0, cells: [] }
  let [column, characters] = [0, 0]
  let raw: RawCell = { column: 1, type: 'n', style: 0 }
  const tooLong = () =>
    new UnreadableFile(row.line, 'has more than a million characters', 'check that the row is one of the table')
  const chunks = parse(part, {
    root: 'worksheet',
    children,
    open(name, attribute, parents) {
      if (parents[1] !== 'sheetData') return
      if (parents.length === 2) {
        const said = attribute('r')
        row = { line: placed(said === undefined ? undefined : Number(said), row.line, most.rows), cells: [] }
        column = 0
        characters = 0
      } else if (parents.length === 3 && name === 'c') {
        column = placed(columnIn(attribute('r'), row.line), column, most.columns)
        raw = { column, type: attribute('t') ?? 'n', style: Number(attribute('s') ?? 0) }
      } else if (parents.length === 4) {
        const field = fields[name]
        if (field === undefined) return
        if (raw[field] !== undefined) throw damaged()
        raw[field] = ''
      }
    },
    text(text, parents) {
      if (parents[1] !== 'sheetData' || parents.length < 5) return
      const field = fields[parents[4] ?? '']
      if (field === undefined || (field === 'inline' && !isShown(parents))) return
      raw[field] += text
      if ((raw[field]?.length ?? 0) > most.characters) throw tooLong()
    },
    close(name, parents) {
      if (parents[1] !== 'sheetData') return
      if (parents.length === 2) found.push(row)
      if (parents.length !== 3 || name !== 'c') return
      const cell = cellOf(raw, book)
      characters += cell.text.length
      if (characters > most.characters) throw tooLong()
      row.cells[column - 1] = cell
    },
  })
  for await (const _ of chunks) {
    yield* found
    found = []
  }
}

const fields: Readonly<Record<string, 'value' | 'formula' | 'inline'>> = { v: 'value', f: 'formula', is: 'inline' }

/** The position of a row or cell: the one that it names, else the one after the previous. */
function placed(said: number | undefined, before: number, last: number): number {
  const at = said ?? before + 1
  if (!Number.isInteger(at) || at <= before || at > last) throw damaged()
  return at
}

/** The number of the column in a reference such as `C7`. */
function columnIn(reference: string | undefined, line: number): number | undefined {
  if (reference === undefined) return undefined
  const { column, row } = placeOf(reference)
  if (row !== line) throw damaged()
  return column
}

/** The column and row of a reference, from 1. @throws UnreadableFile when no spreadsheet has it */
export function placeOf(reference: string): { column: number; row: number } {
  const [, letters = '', digits = ''] = /^([A-Z]{1,3})([1-9]\d{0,6})$/.exec(reference) ?? []
  let column = 0
  for (let at = 0; at < letters.length; at += 1) column = column * 26 + letters.charCodeAt(at) - 64
  const row = Number(digits)
  if (column < 1 || column > most.columns || row > most.rows) throw damaged()
  return { column, row }
}
