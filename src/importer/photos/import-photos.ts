import { opendir, rm } from 'node:fs/promises'
import { extname, join } from 'node:path'
import type { BulkTransaction, Transaction } from '../../database/session.ts'
import type { ImportPlan } from '../import-job.ts'
import type { Progress } from '../progress.ts'
import type { RowError } from '../row-errors.ts'
import { type StagedRow, stageErrors, stageRows } from '../staging.ts'
import {
  copyPicture,
  digestOf,
  isLeftover,
  type Listed,
  listName,
  pictureEnding,
  readName,
  readPhotoList,
} from './folder.ts'
import {
  checkingPhotos,
  markSameContent,
  photosToCopy,
  readPhotoChanges,
  resolvingPhotos,
  writingPhotos,
} from './statements.ts'

const columns = ['file', 'item', 'item_in_name', 'position_in_name', 'storage_key']
const endings = ['.png', '.jpg', '.jpeg', '.webp']
const batchSize = 64

export function photosImport(folder: string, photosDir: string): ImportPlan {
  return {
    table: 'item_photos',
    nouns: ['photo', 'photos'],
    stage: (transaction, progress) => stage(transaction, folder, progress),
    prepare: async (transaction) => {
      await markSameContent(transaction, photosDir)
      return []
    },
    resolving: resolvingPhotos,
    checking: checkingPhotos,
    writing: writingPhotos,
    changes: readPhotoChanges,
    notes: [],
    accompany: (transaction, progress, rows) => copyPictures(transaction, folder, photosDir, progress, rows),
  }
}

async function stage(transaction: BulkTransaction, folder: string, progress: Progress): Promise<void> {
  const { files, errors } = await readPhotoList(folder)
  const seen = { line: 0, rows: [] as StagedRow[], errors }
  const flush = async () => {
    await stageRows(transaction, columns, seen.rows.splice(0))
    await stageErrors(transaction, seen.errors.splice(0))
  }
  for await (const entry of await opendir(folder)) {
    const name = entry.name.normalize('NFC')
    const listed = files.get(name)
    if (entry.name === listName || (listed === undefined && isLeftover(entry.name))) continue
    files.delete(name)
    const row = await readPicture(folder, entry.name, entry.isFile() || entry.isSymbolicLink(), listed)
    seen.line += 1
    if ('problem' in row) seen.errors.push(row)
    else seen.rows.push({ line: seen.line, invalid: [], values: row.values })
    progress.at(seen.line, seen.line)
    if (seen.rows.length + seen.errors.length >= batchSize) await flush()
  }
  for (const name of files.keys())
    seen.errors.push(fileError(name, `is in ${listName}, not in the folder`, 'put it there, or remove the line'))
  await flush()
}

const fileError = (name: string, problem: string, remedy: string): RowError => ({
  line: null,
  column: 'file',
  value: name,
  problem,
  remedy,
})

async function readPicture(
  folder: string,
  name: string,
  isFile: boolean,
  listed: Listed | undefined,
): Promise<RowError | { values: (string | null)[] }> {
  const error = (problem: string, remedy: string) => fileError(name, problem, remedy)
  if (!isFile)
    return error('is not a file', 'folders in the folder are not read: put the pictures into it, or move it away')
  if (!endings.includes(extname(name).toLowerCase()))
    return error('is not called a picture', `end its name in ${endings.join(', ')}`)
  const path = join(folder, name)
  const ending = await pictureEnding(path)
  if (ending === null) return error('is not a PNG, JPEG or WebP picture', 'save it as one of them')
  const { whole, key, place } = listed ? { whole: null, key: listed.item, place: listed.place } : readName(name)
  return { values: [name, whole, key, place === null ? null : String(place), `${await digestOf(path)}.${ending}`] }
}

/** Copies the pictures to where they are served. Undoing removes the new ones. */
async function copyPictures(
  transaction: Transaction,
  folder: string,
  photosDir: string,
  progress: Progress,
  rows: number,
): Promise<() => Promise<void>> {
  progress.stage('Copying', rows)
  let copied = 0
  const added: string[] = []
  const undo = async () => {
    for (const storageKey of added) await rm(join(photosDir, storageKey), { force: true })
  }
  try {
    let after = 0
    for (;;) {
      const files = await transaction.query<{ line: string; file: string; storage_key: string }>(photosToCopy, [after])
      if (files.length === 0) return undo
      for (const { file, storage_key } of files) {
        if (await copyPicture(join(folder, file), photosDir, storage_key)) added.push(storage_key)
        copied += 1
        progress.at(copied, copied)
      }
      after = Number(files.at(-1)?.line)
    }
  } catch (error) {
    await undo()
    throw error
  }
}
