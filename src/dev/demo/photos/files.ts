import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { PhotoRow } from '../rows/photos.ts'
import { pictureOf } from './picture.ts'

/** Pictures made at once: drawing takes this thread, packing and writing the others. */
const atOnce = 8

/** Draws and writes the pictures of the photos into the folder of photos, under their storage keys. */
export async function writePhotos(photosDir: string, photos: readonly PhotoRow[]): Promise<void> {
  const folders = new Set(photos.map((photo) => dirname(join(photosDir, photo.storage_key))))
  for (const folder of folders) await mkdir(folder, { recursive: true })
  for (let start = 0; start < photos.length; start += atOnce) {
    await Promise.all(
      photos.slice(start, start + atOnce).map(async (photo) => {
        const picture = await pictureOf(photo.category, photo.item_id, photo.position)
        await writeFile(join(photosDir, photo.storage_key), picture)
      }),
    )
  }
}
