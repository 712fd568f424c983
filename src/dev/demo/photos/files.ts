import { copyFile, mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { PhotoRow } from '../rows/photos.ts'

/** Files copied at once. */
const concurrency = 8

/** Copies the demo pictures into the folder of photos, under the storage keys of the photos. */
export async function writePhotos(photosDir: string, photos: readonly PhotoRow[]): Promise<void> {
  const folders = new Set(photos.map((photo) => dirname(join(photosDir, photo.storage_key))))
  for (const folder of folders) await mkdir(folder, { recursive: true })
  for (let start = 0; start < photos.length; start += concurrency) {
    await Promise.all(
      photos
        .slice(start, start + concurrency)
        .map((photo) => copyFile(pictureFor(photo), join(photosDir, photo.storage_key))),
    )
  }
}

/** The first photo of an item shows its category's picture, the second a detail of it, the third the plate on the back. */
function pictureFor({ category, position }: Pick<PhotoRow, 'category' | 'position'>): URL {
  const subject = category.toLowerCase().replace(/[^a-z]+/g, '-')
  const name = [subject, `${subject}-detail`, 'back'][position]
  return new URL(`${name}.png`, import.meta.url)
}
