import { createWriteStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { type RowError, UnreadableFile } from '../row-errors.ts'
import { limits, openArchive } from '../xlsx/archive.ts'
import { isLeftover } from './folder.ts'

const mebibyte = 1024 * 1024

/** The largest ZIP archive of photos. A larger one would fill the disk. */
export const archiveLimits = { files: 5000, file: 25 * mebibyte, all: 1536 * mebibyte }

/** A file of the archive: its path there, and its name alone. */
type Photo = { path: string; name: string }

/** Unpacks the photos of a ZIP archive into a new folder, by file name alone, without its
 * folders. @returns what is wrong with the archive; the folder is then incomplete @throws file
 * errors */
export async function unpackPhotos(archive: string, folder: string, within = archiveLimits): Promise<RowError[]> {
  await mkdir(folder)
  const zip = await openArchive(archive, {
    ...limits,
    file: Math.max(limits.file, within.all),
    part: within.file,
  }).catch(notAnArchive)
  if ('problem' in zip) return [zip]
  try {
    const photos = zip.paths.flatMap(photoAt)
    const errors = wrongWith(photos, ({ path }) => zip.sizeOf(path), within)
    if (errors.length > 0) return errors
    for (const { path, name } of photos) {
      const target = createWriteStream(join(folder, name), { flags: 'wx', mode: 0o600 })
      const wrong = await pipeline(zip.part(path), target).then(() => undefined, notAnArchive)
      if (wrong) return [{ ...wrong, value: path }]
    }
    return []
  } finally {
    zip.close()
  }
}

/** The last part of its path, without unsafe characters. Empty for folders and leftovers. */
function photoAt(path: string): Photo[] {
  const parts = path.split(/[\\/]/)
  if (path.endsWith('/') || parts.some(isLeftover)) return []
  const name = (parts.at(-1) ?? '').normalize('NFC').replace(/\p{C}/gu, '')
  return isLeftover(name) || name === '' ? [] : [{ path, name }]
}

function wrongWith(
  photos: readonly Photo[],
  sizeOf: (photo: Photo) => number,
  within: typeof archiveLimits,
): RowError[] {
  if (photos.length > within.files) return [wrong(null, `has more than ${within.files} files`, 'split it')]
  const names = new Set<string>()
  const errors: RowError[] = []
  for (const photo of photos) {
    const { path, name } = photo
    const key = name.toLowerCase()
    if (Buffer.byteLength(name) > 200) errors.push(wrong(path, 'has a name of more than 200 bytes', 'shorten it'))
    else if (names.has(key)) errors.push(wrong(path, 'has the name of another file', 'give one of them another name'))
    if (sizeOf(photo) > within.file)
      errors.push(wrong(path, `is larger than ${within.file / mebibyte} MiB`, 'make it smaller'))
    names.add(key)
  }
  const all = photos.reduce((sum, photo) => sum + sizeOf(photo), 0)
  if (all > within.all) errors.push(wrong(null, `has more than ${within.all / mebibyte} MiB unpacked`, 'split it'))
  return errors
}

const wrong = (value: string | null, problem: string, remedy: string): RowError => ({
  ...{ line: null, column: 'file', value, problem, remedy },
})

function notAnArchive(error: unknown): RowError {
  if (!(error instanceof UnreadableFile)) throw error
  return wrong(
    null,
    'is not a ZIP archive of photos, or is damaged',
    'put the pictures into a ZIP archive, without a password',
  )
}
