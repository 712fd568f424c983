import { open } from 'node:fs/promises'
import { openCsv, type Source } from './csv/source.ts'
import type { ImportJob } from './import-job.ts'
import type { Kind } from './kinds/kind.ts'

/** Opens a file of rows and reads its header: a workbook if it begins like one, else CSV.
 * @throws UnreadableFile, and what the file system throws */
export async function openSource(
  path: string,
  kind: Kind,
  options: Pick<ImportJob, 'delimiter' | 'mapping' | 'key' | 'sheet' | 'accepted' | 'maxRows'>,
): Promise<Source> {
  if (!(await isArchive(path))) return openCsv(path, kind, options)
  const { openWorkbook } = await import('./xlsx/source.ts')
  return openWorkbook(path, kind, options)
}

/** Whether a file begins like a ZIP archive, as workbooks do. */
async function isArchive(path: string): Promise<boolean> {
  const file = await open(path)
  try {
    if (!(await file.stat()).isFile()) return false
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, 0)
    return bytesRead === 4 && buffer.toString('latin1') === 'PK\u0003\u0004'
  } finally {
    await file.close()
  }
}
