import { stat } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import { type Entry, openPromise } from 'yauzl'
import { UnreadableFile } from '../row-errors.ts'

const mebibyte = 1024 * 1024

/** The most bytes of a workbook; and unpacked, of its sheet, of its shared texts (which stay in memory) and of
 * any other part. */
export const limits = { file: 64 * mebibyte, sheet: 1024 * mebibyte, texts: 128 * mebibyte, part: 16 * mebibyte }

/** The most parts. A report has one for each photo. */
const maxParts = 50_000

/** The parts of a workbook. Case does not matter in their names, so these are in lower case. */
export type Archive = {
  names: ReadonlySet<string>
  /** Their names as they are written. */
  paths: readonly string[]
  /** The bytes of a part. The loop throws UnreadableFile if it is missing, too large or damaged. */
  part(name: string, limit?: keyof typeof limits): AsyncIterable<Buffer>
  /** How many bytes it has. */
  sizeOf(name: string): number
  close(): void
}

/** Opens a ZIP archive. @throws UnreadableFile when too large or damaged, or a file error */
export async function openArchive(path: string, within = limits): Promise<Archive> {
  if ((await stat(path)).size > within.file) throw tooLarge('workbooks', within.file)
  const entries = new Map<string, Entry>()
  const zip = await refusing(openPromise(path, { lazyEntries: true, autoClose: false }))
  async function list() {
    for await (const entry of zip.eachEntry()) {
      const name = entry.fileName.toLowerCase()
      if (entries.has(name) || entries.size >= maxParts) throw damaged()
      entries.set(name, entry)
    }
  }
  async function* read(entry: Entry | undefined, limit: keyof typeof limits): AsyncGenerator<Buffer> {
    if (entry === undefined) throw damaged()
    const what = { file: 'workbooks', sheet: 'unpacked sheets', texts: 'its texts', part: 'its unpacked parts' }[limit]
    if (entry.uncompressedSize > within[limit]) throw tooLarge(what, within[limit])
    const stream = await refusing(zip.openReadStreamPromise(entry))
    let sum = 0
    try {
      for await (const chunk of stream as AsyncIterable<Buffer>) {
        sum = crc32(chunk, sum)
        yield chunk
      }
    } catch (error) {
      throw refusalOf(error)
    } finally {
      stream.destroy()
    }
    if (sum !== entry.crc32) throw damaged()
  }
  try {
    await refusing(list())
  } catch (error) {
    zip.close()
    throw error
  }
  return {
    names: new Set(entries.keys()),
    paths: [...entries.values()].map(({ fileName }) => fileName),
    part: (name, limit = 'part') => read(entries.get(name.toLowerCase()), limit),
    sizeOf: (name) => entries.get(name.toLowerCase())?.uncompressedSize ?? 0,
    close: () => zip.close(),
  }
}

export const damaged = () =>
  new UnreadableFile(1, 'is a damaged workbook', 'open it in the spreadsheet program and save it again, as XLSX')

/** Says that a file has more bytes, or its cells more characters, than the importer reads. */
export const tooLarge = (what: string, bytes: number) =>
  new UnreadableFile(
    1,
    `is too large: ${what} are at most ${bytes / mebibyte} MiB`,
    'save its rows in several files, or as "CSV UTF-8"',
  )

const refusing = <Result>(work: Promise<Result>): Promise<Result> =>
  work.catch((error: unknown) => Promise.reject(refusalOf(error)))

/** Errors of the archive's reader are the file's fault, except those of the file system. */
function refusalOf(error: unknown): unknown {
  return error instanceof UnreadableFile || (error instanceof Error && 'syscall' in error) ? error : damaged()
}
