import { createReadStream } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { excelToDate, WorkbookReader } from '@cj-tech-master/excelts'
import { unzip } from '@cj-tech-master/excelts/archive'
import { type KeyChoice, readHeader } from './csv/header.ts'
import type { Batch, Record } from './csv/records.ts'
import type { Source } from './csv/source.ts'
import type { Mapping } from './foreign/mapping.ts'
import type { Kind } from './kinds/kind.ts'
import { UnreadableFile } from './row-errors.ts'

const rowsInBatch = 500

type Sheet = AsyncIterable<SheetRow> & { name: string; state?: string }
type SheetRow = { number: number; eachCell(options: { includeEmpty: boolean }, each: EachCell): void }
type EachCell = (cell: { value: unknown; numFmt?: string }, column: number) => void

/** Opens a workbook and reads its first filled row as the header, of the named sheet or the
 * first visible one. Reads formulas' saved values; days become ISO dates.
 * @throws UnreadableFile, and what the file system throws */
export async function openWorkbook(
  path: string,
  kind: Kind,
  mapping?: Mapping,
  sheetName?: string,
  key?: KeyChoice,
): Promise<Source> {
  await requireBounded(path)
  const stream = createReadStream(path)
  const rows = rowsOf(stream, sheetName)
  try {
    const first = await rows.next()
    if (first.done) throw new UnreadableFile(1, 'is empty', `its first row is the header: ${kind.key},…`)
    const names = first.value.cells
    const header = readHeader(first.value.line, names, kind, mapping, key)
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

/** A sheet's filled rows. Leaving the loop over sheets ends the reader, so rows are read within. */
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

/** Programs omit empty cells at a row's end, or add some beyond the last column. */
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

type Shown = {
  text: string
  /** The spreadsheet knows the type: a number, a day, yes or no. */
  typed: boolean
  /** Its formula failed. */
  failed?: true
}

/** Spreadsheets have 15 digits, so longer numbers have lost some. */
const exact = 1e15

/** A value as the importer takes it. The library leaves days of formulas as numbers.
 * @param format the number format of the cell @param from1904 the workbook counts days from
 * 1904 */
export function shown(value: unknown, format?: string, from1904?: boolean): Shown {
  if (value === null || value === undefined) return { text: '', typed: false }
  if (typeof value === 'string') return { text: value, typed: false }
  if (typeof value === 'number') return { text: numberText(value), typed: true }
  if (typeof value === 'boolean') return { text: String(value), typed: true }
  if (value instanceof Date) return { text: dateText(value), typed: true }
  if (typeof value !== 'object') return { text: String(value), typed: false }
  if ('error' in value) return { text: String(value.error), typed: false, failed: true }
  if ('richText' in value && Array.isArray(value.richText)) {
    return { text: value.richText.map((part: { text?: string | null }) => part.text ?? '').join(''), typed: false }
  }
  if ('formula' in value || 'sharedFormula' in value || 'result' in value) {
    const result = 'result' in value ? value.result : ''
    return shown(typeof result === 'number' && isOfDays(format) ? excelToDate(result, from1904) : result)
  }
  return 'text' in value ? shown(value.text) : { text: '', typed: false }
}

/** Whether a number format shows days: it has their letters outside texts and conditions. */
function isOfDays(format: string | undefined): boolean {
  return format !== undefined && /[ymd]/i.test(format.replace(/"[^"]*"|\\.|\[[^\]]*\]/g, ''))
}

/** A number without binary rounding errors: 0.1 + 0.2 is 0.3. */
function numberText(value: number): string {
  return Math.abs(value) < exact ? String(Number(value.toPrecision(15))) : value.toExponential()
}

/** A day, or a moment in UTC: spreadsheets have no time zones. */
function dateText(value: Date): string {
  if (Number.isNaN(value.getTime())) return ''
  const iso = value.toISOString()
  return iso.endsWith('T00:00:00.000Z') ? iso.slice(0, 10) : iso
}

const mebibyte = 1024 * 1024

/** The largest workbook, packed and unpacked, and its texts, which stay in memory. */
export const limits = { file: 64 * mebibyte, unpacked: 1024 * mebibyte, texts: 128 * mebibyte }

/** Unpacks a workbook without keeping it, to refuse a zip bomb before it fills the memory.
 * @throws UnreadableFile when it is too large, or not a workbook */
export async function requireBounded(path: string, within = limits): Promise<void> {
  const split = 'save its rows in several files, or as "CSV UTF-8"'
  const tooLarge = (what: string, bytes: number) =>
    new UnreadableFile(1, `is too large: ${what} are at most ${bytes / mebibyte} MiB`, split)
  const { size } = await stat(path)
  if (size > within.file) throw tooLarge('workbooks', within.file)
  if (!(await hasEnd(path, size))) throw notWorkbook()
  const stream = createReadStream(path)
  let [unpacked, isWorkbook] = [0, false]
  try {
    for await (const entry of unzip(stream).entries()) {
      if (entry.path === 'xl/workbook.xml') isWorkbook = true
      let bytes = 0
      for await (const chunk of entry.stream()) {
        bytes += chunk.length
        unpacked += chunk.length
        if (unpacked > within.unpacked) throw tooLarge('unpacked workbooks', within.unpacked)
        if (entry.path === 'xl/sharedStrings.xml' && bytes > within.texts) throw tooLarge('its texts', within.texts)
      }
    }
  } catch (error) {
    if (error instanceof UnreadableFile) throw error
    throw notWorkbook()
  } finally {
    stream.destroy()
  }
  if (!isWorkbook) throw notWorkbook()
}

/** Archives end in a directory and a comment of at most 64 KiB. Without it, the library hangs. */
async function hasEnd(path: string, size: number): Promise<boolean> {
  const file = await open(path)
  try {
    const length = Math.min(size, 22 + 65_535)
    const { buffer } = await file.read(Buffer.alloc(length), 0, length, size - length)
    return buffer.includes(Buffer.from('PK\u0005\u0006', 'latin1'))
  } finally {
    await file.close()
  }
}

function notWorkbook(): UnreadableFile {
  return new UnreadableFile(
    1,
    'is a spreadsheet or an archive, not a CSV file or an XLSX workbook',
    'open it in the spreadsheet program and save it as XLSX or "CSV UTF-8"',
  )
}
