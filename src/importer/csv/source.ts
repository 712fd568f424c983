import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { Accepted } from '../doubts.ts'
import type { Mapping } from '../foreign/mapping.ts'
import type { Kind } from '../kinds/kind.ts'
import { type RowError, type Sheets, UnreadableFile } from '../row-errors.ts'
import { detectDelimiter, findHeader, separatorLine } from './find-header.ts'
import { type Header, type KeyChoice, readHeader } from './header.ts'
import { type Batch, recordsOf } from './records.ts'
import { decode, type Line, linesOf, withoutBreak } from './text.ts'

/** A file after its header. */
export type Source = {
  header: Header
  /** The file's names of its columns. */
  names: readonly string[]
  batches: AsyncIterable<Batch>
  sheets?: Sheets
  /** Bytes read so far, and in all; undefined for a pipe. */
  read(): number
  size: number | undefined
  close(): void
}

const chunkSize = 64 * 1024

/** What the user chose for a file, and the most rows that it may have. `delimiter` is needed only if the header
 * does not show it. */
export type SourceOptions = {
  delimiter?: string | undefined
  mapping?: Mapping | undefined
  key?: KeyChoice
  accepted?: Accepted | undefined
  maxRows?: number | undefined
}

/** Opens a CSV file and reads its header. @throws UnreadableFile, MappingRefused */
export async function openCsv(path: string, kind: Kind, options: SourceOptions): Promise<Source> {
  const { delimiter, mapping, key, accepted, maxRows } = options
  const state = await stat(path)
  if (maxRows !== undefined && state.isFile()) await requireFewLines(path, maxRows)
  const stream = createReadStream(path, { highWaterMark: chunkSize })
  const lines = skipEmpty(linesOf(decode(stream)))
  try {
    const start = await firstOf(lines)
    if (start === undefined) throw new UnreadableFile(1, 'is empty', `its first line is the header: ${kind.key},…`)
    const declared = separatorLine(withoutBreak(start.first.text))
    const top =
      declared === undefined ? start : await firstOf(prepend(start.rest.length > 0 ? [start.rest] : [], lines))
    if (top === undefined) throw new UnreadableFile(1, 'has no header', `it begins, for example: ${kind.key},…`)
    const used = delimiter ?? declared ?? detectDelimiter(withoutBreak(top.first.text), kind, mapping)

    const batches = recordsOf(prepend([[top.first, ...top.rest]], lines), used)
    const { records, errors } = (await batches.next()).value ?? { records: [], errors: [] }
    const at = findHeader(records, kind)
    const [names, ...rest] = records.slice(at)
    if (names === undefined || errors.some((error: RowError) => (error.line ?? 0) <= names.line)) {
      throw new UnreadableFile(top.first.number, 'has a header that cannot be read', 'close every quotation mark in it')
    }
    const header = readHeader(names.line, names.cells, kind, { mapping, key, accepted })
    if (at > 0) header.above = at
    if (withoutBreak(top.first.text) === exactHeader(kind)) header.exact = true
    return {
      header,
      names: names.cells,
      batches: prepend([{ records: rest, errors }], batches),
      read: () => stream.bytesRead,
      size: state.isFile() ? state.size : undefined,
      close: () => stream.destroy(),
    }
  } catch (error) {
    stream.destroy()
    throw error
  }
}

/** The first line of a file of a studio's export: our columns in their order, in quotation marks, which
 * spreadsheets do not write. So the importer knows that the cells are exact. */
export const exactHeader = (kind: Kind): string => kind.columns.map(({ name }) => `"${name}"`).join(',')

/** @throws UnreadableFile for a file of many lines, before its rows are read */
async function requireFewLines(path: string, most: number): Promise<void> {
  let lines = 0
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 })) {
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) lines += 1
  }
  if (lines > most + 1) throw tooManyRows(lines, most)
}

export const tooManyRows = (rows: number, most: number) =>
  new UnreadableFile(
    1,
    `has ${rows.toLocaleString('en-GB')} rows, and the most is ${most.toLocaleString('en-GB')}`,
    'split it, or ask the operator of the service to import it: studio-inventory import',
  )

/** The first line that is not blank, and the lines that came with it. */
async function firstOf(lines: AsyncGenerator<Line[]>): Promise<{ first: Line; rest: Line[] } | undefined> {
  const next = await lines.next()
  const [first, ...rest] = next.value ?? []
  return first === undefined ? undefined : { first, rest }
}

/** Skips empty lines before the header. */
async function* skipEmpty(lines: AsyncGenerator<Line[]>): AsyncGenerator<Line[]> {
  let begun = false
  for await (const some of lines) {
    const from = begun ? 0 : some.findIndex(({ text }) => withoutBreak(text).trim() !== '')
    if (from < 0) continue
    begun = true
    yield some.slice(from)
  }
}

/** Yields the first parts, and then the rest. */
export async function* prepend<Part>(first: readonly Part[], rest: AsyncGenerator<Part>): AsyncGenerator<Part> {
  yield* first
  yield* rest
}
