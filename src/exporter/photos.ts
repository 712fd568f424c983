import { constants } from 'node:fs'
import { copyFile, mkdir, writeFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { stringify } from 'csv-stringify/sync'
import type { Transaction } from '../database/session.ts'
import { contentTypeOf } from '../domain/vocabulary.ts'
import { listColumns, listName } from '../importer/photos/folder.ts'
import { selectPhotos } from './statements.ts'

/** How many photos were copied, and how many were not: those are in a bucket, missing, or no pictures. */
export type CopiedPhotos = { photos: number; photos_elsewhere: number }

/** Copies the photos of the session's studio into a new folder and lists them in its
 * `photos.csv`, with their item and their place from 1. Only counts missing photos.
 * @param photosDir undefined: the photos are not files of this machine */
export async function copyPhotos(
  transaction: Transaction,
  folder: string,
  photosDir: string | undefined,
): Promise<CopiedPhotos> {
  const photos = await transaction.query<{ key: string; storage_key: string; place: number }>(selectPhotos)
  const copied: (string | number)[][] = []
  if (photosDir !== undefined && photos.length > 0) {
    await mkdir(folder)
    for (const [index, { key, storage_key, place }] of photos.entries()) {
      if (contentTypeOf(storage_key) === null) continue
      // No two photos have the same number, so no two files have the same name.
      const stem = `${String(index + 1).padStart(4, '0')}-${encodeURIComponent(key).replaceAll('*', '%2A')}`
      const file = `${stem.slice(0, 200)}${extname(storage_key)}`
      if (await copyIfThere(join(photosDir, storage_key), join(folder, file))) copied.push([file, key, place])
    }
    const text = stringify([listColumns, ...copied], { quoted_match: /^\s|\s$|\r/ })
    await writeFile(join(folder, listName), text, { flag: 'wx' })
  }
  return { photos: copied.length, photos_elsewhere: photos.length - copied.length }
}

async function copyIfThere(from: string, to: string): Promise<boolean> {
  try {
    await copyFile(from, to, constants.COPYFILE_EXCL)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return false
  }
}
