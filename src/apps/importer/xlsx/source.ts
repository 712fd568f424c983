import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { WorkbookReader } from '@cj-tech-master/excelts'
import { readHeader } from '../csv/header.ts'
import type { Batch, Record } from '../csv/records.ts'
import type { Source } from '../csv/source.ts'
import type { Mapping } from '../foreign/mapping.ts'
import type { Kind } from '../kinds/index.ts'
import { UnreadableFile } from '../row-error.ts'
import { shown } from './cells.ts'
import { requireBounded } from './size.ts'

const rowsInBatch = 500

type Sheet = AsyncIterable<SheetRow> & { name: string; state?: string }
type SheetRow = { number: number; eachCell(options: { includeEmpty: boolean }, each: EachCell): void }
type EachCell = (cell: { value: unknown; numFmt?: string }, column: number) => void

/**
 * Opens a workbook and reads its header, the first row with anything in it. Of a formula its value is read, as the program that saved
 * it had calculated it; days are ISO dates. Rows are read one after the other.
 *
 * @param sheetName the sheet to read; else the first that is not hidden
 * @throws UnreadableFile, and what the file system throws
 */
export async function openWorkbook(path: string, kind: Kind, mapping?: Mapping, sheetName?: string): Promise<Source> {
  await requireBounded(path)
  const stream = createReadStream(path)
  const rows = rowsOf(stream, sheetName)
  try {
    const first = await rows.next()
    if (first.done) throw new UnreadableFile(1, 'is empty', `its first row is the header: ${kind.key},…`)
    const names = first.value.cells
    const header = readHeader(first.value.line, names, kind, mapping)
    return {
      header,
      names,
      batches: batchesOf(rows, names.length),
      read: () => stream.bytesRead,
      size: (await stat(path)).size,
      close: () => stream.destroy(),
    }
  } catch (error) {
    stream.destroy()
    throw error
  }
}

/** The rows of a sheet that have anything in them. The reader ends with the loop over its sheets, so that rows are read within. */
async function* rowsOf(stream: NodeJS.ReadableStream, sheetName: string | undefined): AsyncGenerator<Record> {
  const reader = new WorkbookReader(stream as never, {
    worksheets: 'emit',
    sharedStrings: 'cache',
    styles: 'cache',
    hyperlinks: 'ignore',
    entries: 'ignore',
  })
  const names: string[] = []
  for await (const sheet of reader as unknown as AsyncIterable<Sheet>) {
    names.push(sheet.name)
    const isWanted = sheetName === undefined ? (sheet.state ?? 'visible') === 'visible' : sheet.name === sheetName
    for await (const row of sheet) {
      const read = isWanted ? readRow(row, reader.properties?.model?.date1904) : undefined
      if (read?.cells.some((cell) => cell.trim() !== '')) yield read
    }
    if (isWanted) return
  }
  throw new UnreadableFile(
    1,
    `has no sheet ${sheetName ?? 'that is shown'}`,
    `its sheets: ${names.join(', ') || 'none'}`,
  )
}

function readRow(row: SheetRow, from1904: boolean | undefined): Record {
  const cells: ReturnType<typeof shown>[] = []
  row.eachCell({ includeEmpty: true }, ({ value, numFmt }, column) => {
    cells[column - 1] = shown(value, numFmt, from1904)
  })
  const all = Array.from(cells, (cell) => cell ?? shown(null))
  return {
    line: row.number,
    cells: all.map(({ text }) => text),
    typed: all.map(({ typed }) => typed),
    failed: all.map(({ failed }) => failed ?? false),
  }
}

/** Empty cells at the end of a row are not stored, and programs store some beyond the last column. */
function fitted(record: Record, width: number): Record {
  const filled = record.cells.findLastIndex((cell) => cell.trim() !== '') + 1
  const length = Math.max(width, filled)
  return { ...record, cells: Array.from({ length }, (_, index) => record.cells[index] ?? '') }
}

async function* batchesOf(rows: AsyncGenerator<Record>, width: number): AsyncGenerator<Batch> {
  let batch: Batch = { records: [], errors: [] }
  for await (const record of rows) {
    batch.records.push(fitted(record, width))
    if (batch.records.length < rowsInBatch) continue
    yield batch
    batch = { records: [], errors: [] }
  }
  yield batch
}
