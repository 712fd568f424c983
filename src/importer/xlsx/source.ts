import { quoted as shellWord } from '../../domain/text.ts'
import { findHeader, rowsBefore } from '../csv/find-header.ts'
import { readHeader } from '../csv/header.ts'
import type { Batch, Record } from '../csv/records.ts'
import { prepend, type Source, type SourceOptions, tooManyRows } from '../csv/source.ts'
import type { Kind } from '../kinds/kind.ts'
import { quoted, type Sheets, UnreadableFile } from '../row-errors.ts'
import { limits, tooLarge } from './archive.ts'
import type { Cell } from './cell.ts'
import { createMergeFiller, scanSheet } from './merges.ts'
import { type Row, rowsOf } from './sheet.ts'
import { readWorkbook, type Tab } from './workbook.ts'

/** A batch is full at this many rows, or at this size: its characters, and 16 for each cell. */
const rowsInBatch = 500
const sizeOfBatch = 4 * 1024 * 1024

/** Opens a workbook and reads its header: the first filled row of the named or first visible sheet,
 * or the one below a title. Reads formulas' saved values; days become ISO dates. @throws UnreadableFile, and what
 * the file system throws */
export async function openWorkbook(
  path: string,
  kind: Kind,
  { mapping, key, accepted, maxRows, sheet: sheetName }: SourceOptions & { sheet?: string | undefined } = {},
): Promise<Source> {
  const { archive, tabs, book } = await readWorkbook(path)
  let sheets: Sheets | undefined
  try {
    const tab = chosen(tabs, sheetName)
    const others = tabs.filter((other) => other !== tab && !other.hidden).map(({ name }) => name)
    sheets = { names: tabs.filter((each) => each === tab || !each.hidden).map(({ name }) => name), read: tab.name }
    const elsewhere = `name the sheet: ${others
      .slice(0, 5)
      .map((name) => `--sheet ${shellWord(name)}`)
      .join(' or ')}`
    let bytes = 0
    async function* counted() {
      for await (const chunk of archive.part(tab.part, 'sheet')) {
        bytes += chunk.length
        yield chunk
      }
    }
    const { merges, rows: stored } = await scanSheet(() => archive.part(tab.part, 'sheet'))
    if (maxRows !== undefined && stored > maxRows + rowsBefore) throw tooManyRows(stored, maxRows)
    const rows = filled(rowsOf(counted(), book))
    const first = await rows.next()
    if (first.done) {
      if (others.length === 0) throw new UnreadableFile(1, 'is empty', `its first row is the header: ${kind.key},…`)
      throw new UnreadableFile(1, `has nothing in its sheet ${quoted(tab.name)}`, elsewhere)
    }
    const spread = createMergeFiller(merges)
    const begun = [first.value, ...(await taken(rows, rowsBefore))]
    const at = findHeader(
      begun.map((row) => recordOf(row, 0)),
      kind,
    )
    const headerRow = begun[at] ?? first.value
    const { line } = headerRow
    const top = recordOf(headerRow, 0)
    const { cells: names, stored: types } = top
    const width = names.length
    const isBroken = types?.some((cell) => cell?.fits.length === 0)
    if (isBroken || merges.some(({ top, bottom, left }) => top <= line && bottom >= line && left <= width)) {
      const remedy = 'write the name of each column in a cell of its own, in one row'
      throw new UnreadableFile(line, 'has a header with merged cells, or with formulas that failed', remedy)
    }
    const header = readHeader(line, names, kind, { mapping, key, accepted })
    if (at > 0) header.above = at
    if (header.places.length === 0 && others.length > 0) {
      const problem = `has none of our columns in the first row of its sheet ${quoted(tab.name)}`
      header.errors = [{ line, column: null, value: null, problem, remedy: elsewhere }]
      header.elsewhere = true
    }
    return {
      header,
      names,
      sheets,
      batches: batchesOf(prepend(begun.slice(at + 1), rows), width, spread),
      read: () => bytes,
      size: archive.sizeOf(tab.part),
      close: () => archive.close(),
    }
  } catch (error) {
    archive.close()
    if (error instanceof UnreadableFile && sheets) error.sheets = sheets
    throw error
  }
}

/** The next rows, at most this many. */
async function taken(rows: AsyncGenerator<Row>, most: number): Promise<Row[]> {
  const found: Row[] = []
  while (found.length < most) {
    const next = await rows.next()
    if (next.done) break
    found.push(next.value)
  }
  return found
}

function chosen(tabs: readonly Tab[], name: string | undefined): Tab {
  const tab = tabs.find((each) => (name === undefined ? !each.hidden : each.name === name))
  if (tab !== undefined) return tab
  const all = tabs.map((each) => each.name).join(', ') || 'none'
  throw new UnreadableFile(1, `has no sheet ${name ?? 'that is shown'}`, `its sheets: ${all}`)
}

const isFilled = ({ text }: Cell) => text.trim() !== ''

async function* filled(rows: AsyncGenerator<Row>): AsyncGenerator<Row> {
  for await (const row of rows) if (row.cells.some(isFilled)) yield row
}

const empty: Cell = { text: '' }

/** A row with as many cells as the header, or more if they are filled. */
function recordOf({ line, cells: stored }: Row, width: number): Record {
  const length = Math.max(width, stored.findLastIndex((cell) => cell !== undefined && isFilled(cell)) + 1)
  const cells = Array.from({ length }, (_, index) => stored[index] ?? empty)
  return { line, cells: cells.map(({ text }) => text), stored: cells.map((cell) => cell.stored) }
}

async function* batchesOf(
  rows: AsyncGenerator<Row>,
  width: number,
  spread: ReturnType<typeof createMergeFiller>,
): AsyncGenerator<Batch> {
  let batch: Batch = { records: [], errors: [] }
  let [size, total] = [0, 0]
  for await (const row of rows) {
    spread(row, width)
    const record = recordOf(row, width)
    const taken = record.cells.reduce((sum, text) => sum + text.length + 16, 0)
    size += taken
    total += taken
    // A file stores a shared text once. In memory, each cell with it has a copy.
    if (total > limits.sheet) throw tooLarge('unpacked sheets', limits.sheet)
    batch.records.push(record)
    if (batch.records.length < rowsInBatch && size < sizeOfBatch) continue
    yield batch
    batch = { records: [], errors: [] }
    size = 0
  }
  yield batch
}
