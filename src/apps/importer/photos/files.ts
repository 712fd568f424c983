import { createHash, randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { copyFile, mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** The endings by which pictures are stored, by what their first bytes say. */
export async function pictureEnding(path: string): Promise<'png' | 'jpg' | 'webp' | null> {
  const file = await open(path)
  try {
    const head = Buffer.alloc(12)
    const { bytesRead } = await file.read(head, 0, 12, 0)
    if (bytesRead < 12) return null
    if (head.toString('hex', 0, 8) === '89504e470d0a1a0a') return 'png'
    if (head.toString('hex', 0, 3) === 'ffd8ff') return 'jpg'
    if (head.toString('latin1', 0, 4) === 'RIFF' && head.toString('latin1', 8, 12) === 'WEBP') return 'webp'
    return null
  } finally {
    await file.close()
  }
}

/** A digest of a file's content, in 32 hexadecimal digits. */
export async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer)
  return hash.digest('hex').slice(0, 32)
}

/**
 * Copies a picture into the folder of photos under its storage key, in one step, unless it is there.
 *
 * @returns whether it was not there before
 */
export async function copyPicture(source: string, photosDir: string, storageKey: string): Promise<boolean> {
  const target = join(photosDir, storageKey)
  if ((await stat(target).catch(() => undefined))?.isFile()) return false
  await mkdir(dirname(target), { recursive: true })
  const draft = `${target}.${randomBytes(4).toString('hex')}`
  try {
    await copyFile(source, draft)
    await rename(draft, target)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
  return true
}
