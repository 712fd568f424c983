import { createReadStream } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { unzip } from '@cj-tech-master/excelts/archive'
import { UnreadableFile } from '../row-error.ts'

const mebibyte = 1024 * 1024

/** How large a workbook may be, and unpacked. Its texts are kept in memory, so they have a limit of their own. */
export const limits = { file: 64 * mebibyte, unpacked: 1024 * mebibyte, texts: 128 * mebibyte }

/**
 * Unpacks a workbook without keeping anything, so that one that is small only as long as it is packed is refused before it fills the
 * memory.
 *
 * @throws UnreadableFile when it is too large, or no workbook
 */
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

/** Archives end in a record of their contents, and a comment of at most 64 KiB. The library waits for ever where it is missing. */
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

/** The error for an archive that is not a workbook. */
function notWorkbook(): UnreadableFile {
  return new UnreadableFile(
    1,
    'is a spreadsheet or an archive, not a CSV file or an XLSX workbook',
    'open it in the spreadsheet program and save it as XLSX or "CSV UTF-8"',
  )
}
