import { createWriteStream } from 'node:fs'
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { stringify } from 'csv-stringify'
import type { Transaction } from '../database/session.ts'
import { exactHeader } from '../importer/csv/source.ts'
import { kinds } from '../importer/kinds/index.ts'
import type { Kind } from '../importer/kinds/kind.ts'
import { type CopiedPhotos, copyPhotos } from './photos.ts'
import { selectOf } from './statements.ts'

/** The target is a file, or a folder that is not empty. */
export class FolderInUse extends Error {
  override name = 'FolderInUse'
}

/** The rows written to each file, and the photos. */
export type Exported = { rows: Record<Kind['name'], number> } & CopiedPhotos

const batchSize = 2_000

/** Writes what an import of one studio can restore: `studio.json`, a CSV file of each kind, and
 * photos. The folder appears when it is complete; an error leaves none.
 * @param transaction reads one snapshot
 * @throws FolderInUse */
export async function exportStudio(
  transaction: Transaction,
  studioId: string,
  directory: string,
  photosDir: string | undefined,
): Promise<Exported> {
  const target = resolve(directory)
  const isThere = await isEmptyFolder(target, directory)
  // An empty folder may be a mount point, which nobody can replace. So the draft goes inside it.
  const draft = isThere ? join(target, `.partial-${process.pid}`) : `${target}.partial-${process.pid}`
  await mkdir(draft, { recursive: true })
  try {
    await writeFile(
      join(draft, 'studio.json'),
      `${JSON.stringify(await aboutStudio(transaction, studioId), null, 2)}\n`,
    )
    const rows: Partial<Record<Kind['name'], number>> = {}
    for (const kind of kinds) rows[kind.name] = await writeKind(transaction, kind, join(draft, `${kind.name}.csv`))
    const photos = await copyPhotos(transaction, join(draft, 'photos'), photosDir)
    await (isThere ? moveOut(draft, target) : rename(draft, target))
    return { rows: rows as Exported['rows'], ...photos }
  } catch (error) {
    await rm(draft, { recursive: true, force: true })
    throw error
  }
}

/** Whether there is an empty folder; false if there is none. @throws FolderInUse for anything else */
async function isEmptyFolder(target: string, given: string): Promise<boolean> {
  try {
    if ((await readdir(target)).length === 0) return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return false
    if (code !== 'ENOTDIR') throw error
    throw new FolderInUse(`${given} is not a folder`)
  }
  throw new FolderInUse(`${given} is not empty`)
}

async function moveOut(draft: string, target: string): Promise<void> {
  for (const name of await readdir(draft)) await rename(join(draft, name), join(target, name))
  await rm(draft, { recursive: true })
}

/** The studio's settings, for the command that creates it again. */
async function aboutStudio(transaction: Transaction, studioId: string): Promise<object> {
  const [studio] = await transaction.query(
    `select s.name, s.timezone, s.currency, s.financial_year_start_month, s.first_period,
       coalesce(to_json(s.category_terms), '[]') as category_terms, p.plan
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
      const rows = await transaction.query<{ cells: (string | null)[] }>(`fetch ${batchSize} from exported`)
      for (const { cells } of rows) yield cells
      count += rows.length
      if (rows.length < batchSize) return
    }
  }
  const lines = stringify({ quoted_match: /^\s|\s$|\r/ })
  lines.push(`${exactHeader(kind)}\n`)
  await pipeline(Readable.from(records()), lines, createWriteStream(path))
  await transaction.query('close exported')
  return count
}
