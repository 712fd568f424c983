import { CsvError, parse } from 'csv-parse/sync'
import type { Hint, ValueForm } from '../cells.ts'
import type { RowError } from '../row-errors.ts'
import { type Line, withoutBreak } from './text.ts'

/** A row of the table. `line` is the line on which it begins. */
export type Record = {
  line: number
  cells: string[]
  /** The types of the cells of a workbook; undefined for a cell of text. */
  stored?: (Stored | undefined)[]
}

/** A cell's type in a workbook. Columns that it `fits` read its text; other columns read `otherwise`, or refuse
 * the cell for that reason. */
export type Stored = {
  fits: readonly ValueForm[]
  otherwise: string | Hint
  /** The sign or code of a currency, if the cell shows one. */
  currency?: string
  /** The cell is merged with the one above it. */
  isMerged?: true
  /** A formula that adds up cells above it. */
  isSum?: true
  /** The whole number from 1900 to 2100 that is stored in a cell of days. */
  typedYear?: number
}

export type Batch = { records: Record[]; errors: RowError[] }

/** The longest row, in characters. A longer one has an unclosed quotation mark. */
const longestRecord = 1024 * 1024

type Raw = { line: number; text: string }

/** Reads a CSV file's rows. Quoted cells may contain line breaks. Misplaced quotation marks are
 * an error on the row's first line, except in tab-separated text, and reading continues with the next
 * line. Skips empty rows. */
export async function* recordsOf(lines: AsyncIterable<Line[]>, delimiter: string): AsyncGenerator<Batch> {
  const assemble = assembler(delimiter)
  for await (const some of lines) yield assemble(some, false)
  yield assemble([], true)
}

function parseAll(texts: readonly string[], delimiter: string): string[][] {
  if (delimiter === '\t' && !texts.some(beginsQuoted)) return texts.map((text) => text.split('\t'))
  return parse(texts.join('\n'), { delimiter, record_delimiter: '\n', relax_column_count: true })
}

/** Whether a cell of tab-separated text begins with a quotation mark. Elsewhere a mark is text: some
 * programs write such files without quoting anything. */
const beginsQuoted = (text: string) => /(?:^|\t)"/.test(text)

/** Joins lines until every quotation mark is closed. */
function assembler(delimiter: string) {
  let open: { lines: Line[]; length: number } | undefined

  return (lines: readonly Line[], last: boolean): Batch => {
    const batch: Batch = { records: [], errors: [] }
    let raw: Raw[] = []
    const queue = [...lines].reverse()
    const giveUp = (broken: Line[]) => {
      flush()
      const [first, ...rest] = broken as [Line, ...Line[]]
      addBroken(first.number, withoutBreak(first.text), delimiter, batch)
      queue.push(...rest.reverse())
      open = undefined
    }
    const flush = () => {
      readAll(raw, delimiter, batch)
      raw = []
    }

    for (;;) {
      const line = queue.pop()
      if (line === undefined) {
        if (!last || open === undefined) break
        giveUp(open.lines)
        continue
      }
      const isText = delimiter === '\t' && open === undefined && !beginsQuoted(line.text)
      const odd = !isText && hasOddQuotes(line.text)
      if (open === undefined) {
        if (odd) open = { lines: [line], length: line.text.length }
        else raw.push({ line: line.number, text: withoutBreak(line.text) })
        continue
      }
      open.lines.push(line)
      open.length += line.text.length
      if (odd) {
        const text = withoutBreak(open.lines.map((part) => part.text).join(''))
        const cells = tryCells(text, delimiter)
        if (cells === null) {
          giveUp(open.lines)
        } else {
          flush()
          add(batch, { line: open.lines[0]?.number ?? 0, cells })
          open = undefined
        }
      } else if (open.length > longestRecord) {
        giveUp(open.lines)
      }
    }
    flush()
    return batch
  }
}

/** Reads one-line rows: all at once, or one by one if that fails. */
function readAll(raw: readonly Raw[], delimiter: string, batch: Batch): void {
  const filled = raw.filter(({ text }) => text !== '')
  if (filled.length === 0) return
  let all: string[][] | undefined
  try {
    all = parseAll(
      filled.map(({ text }) => text),
      delimiter,
    )
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
  }
  for (const [index, { line, text }] of filled.entries()) {
    const cells = all?.length === filled.length ? (all[index] ?? null) : tryCells(text, delimiter)
    if (cells === null) addBroken(line, text, delimiter, batch)
    else add(batch, { line, cells })
  }
}

/** A row whose quotation marks do not fit: an error, or in tab-separated text a row of plain cells. */
function addBroken(line: number, text: string, delimiter: string, batch: Batch): void {
  if (delimiter === '\t') add(batch, { line, cells: text.split('\t') })
  else batch.errors.push(badQuotes(line, text))
}

/** The cells of a row; null for misplaced quotation marks. */
export function tryCells(text: string, delimiter: string): string[] | null {
  try {
    return parseAll([text], delimiter)[0] ?? []
  } catch (error) {
    if (error instanceof CsvError) return null
    throw error
  }
}

function add(batch: Batch, record: Record): void {
  if (record.cells.some((cell) => cell.trim() !== '')) batch.records.push(record)
}

function hasOddQuotes(text: string): boolean {
  let odd = false
  for (let at = text.indexOf('"'); at >= 0; at = text.indexOf('"', at + 1)) odd = !odd
  return odd
}

function badQuotes(line: number, text: string): RowError {
  return {
    line,
    column: null,
    value: text,
    problem: 'has a quotation mark that is not closed, or is inside a cell',
    remedy: 'put the whole cell in quotation marks and double those inside, such as "12"" speaker"',
  }
}
