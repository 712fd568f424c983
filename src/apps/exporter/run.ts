import { createWriteStream } from 'node:fs'
import { mkdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { stringify } from 'csv-stringify'
import type { Transaction } from '../../database/session.ts'
import { kinds } from '../importer/kinds/index.ts'
import type { Kind } from '../importer/kinds/kind.ts'
import { type CopiedPhotos, copyPhotos } from './photos.ts'
import { selectOf } from './statements.ts'

/** The folder for an export is there, and is not empty. */
export class FolderInUse extends Error {
  override name = 'FolderInUse'
}

/** What was written: rows of each file, and photos. */
export type Exported = { rows: Record<Kind['name'], number> } & CopiedPhotos

const rowsAtOnce = 2_000

/**
 * Writes everything of one studio that an import can bring back: `studio.json`, a CSV file of each kind, and the photos that are in
 * the folder of photos. The folder appears when it is complete.
 *
 * @param transaction a read-only one that sees one moment of the studio, as `withStudioReader` opens it
 * @param photosDir where photos are stored by their keys; undefined: they are not files of this machine
 * @throws FolderInUse, and what the file system or the database throws; then there is no folder
 */
export async function exportStudio(
  transaction: Transaction,
  studioId: string,
  directory: string,
  photosDir: string | undefined,
): Promise<Exported> {
  const target = resolve(directory)
  await requireFree(target, directory)
  const draft = `${target}.partial-${process.pid}`
  await mkdir(draft, { recursive: true })
  try {
    await writeFile(
      join(draft, 'studio.json'),
      `${JSON.stringify(await aboutStudio(transaction, studioId), null, 2)}\n`,
    )
    const rows: Partial<Record<Kind['name'], number>> = {}
    for (const kind of kinds) rows[kind.name] = await writeKind(transaction, kind, join(draft, `${kind.name}.csv`))
    const photos = await copyPhotos(transaction, join(draft, 'photos'), photosDir)
    await rename(draft, target)
    return { rows: rows as Exported['rows'], ...photos }
  } catch (error) {
    await rm(draft, { recursive: true, force: true })
    throw error
  }
}

async function requireFree(target: string, directory: string): Promise<void> {
  if ((await stat(target).catch(() => undefined)) !== undefined) throw new FolderInUse(`${directory} is there already`)
}

/** What belongs to the studio itself and is given when a studio is created. */
async function aboutStudio(transaction: Transaction, studioId: string): Promise<object> {
  const [studio] = await transaction.query(
    `select s.name, s.timezone, s.currency, s.financial_year_start_month, p.plan
     from app.studios s left join access.subscriptions p on p.studio_id = s.id where s.id = $1`,
    [studioId],
  )
  return studio ?? {}
}

async function writeKind(transaction: Transaction, kind: Kind, path: string): Promise<number> {
  let count = 0
  await transaction.query(`declare exported no scroll cursor for ${selectOf(kind)}`)
  async function* records() {
    while (true) {
      const rows = await transaction.query<{ cells: (string | null)[] }>(`fetch ${rowsAtOnce} from exported`)
      for (const { cells } of rows) yield cells
      count += rows.length
      if (rows.length < rowsAtOnce) return
    }
  }
  const lines = stringify({ header: true, columns: kind.columns.map(({ name }) => name), quoted_match: /^\s|\s$|\r/ })
  await pipeline(Readable.from(records()), lines, createWriteStream(path))
  await transaction.query('close exported')
  return count
}
