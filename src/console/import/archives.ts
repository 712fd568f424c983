import { createHash, randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, readdir, rename, rm, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

/** The largest archive of photos, in bytes: some 400 photos of a phone. */
export const maxArchive = 2 ** 30

/** An upload in the database lives for an hour. */
const keptMs = 70 * 60_000

/** An archive on the disk, and its content's digest. */
export type StoredArchive = { id: string; sha256: string }

/** The name of a file: its studio's id and one of its own. */
export const archiveId = /^[0-9a-f-]{36}_[0-9a-f-]{36}$/

/** Keeps archives of photos in the folder of photos, which all instances share, until they are
 * imported, replaced by the studio's next one, or an hour has passed. */
export type Archives = ReturnType<typeof createArchives>

export function createArchives(photosDir: string) {
  const folder = join(photosDir, '.uploads')
  const pathOf = (id: string) => join(folder, `${id}.zip`)

  /** Removes what nobody imported. */
  async function sweep(): Promise<void> {
    for (const name of await readdir(folder)) {
      const path = join(folder, name)
      const state = await stat(path).catch(() => undefined)
      if (state && Date.now() - state.mtimeMs > keptMs) await rm(path, { recursive: true, force: true })
    }
  }

  return {
    pathOf,
    remove: (id: string) => rm(pathOf(id), { force: true }),
    /** Removes a studio's archives except its newest, so that a studio has one on the disk. Those that
     * are being received stay. */
    async removeOthers(studioId: string, newest: string): Promise<void> {
      for (const name of await readdir(folder)) {
        const isFormer = name.startsWith(`${studioId}_`) && name.endsWith('.zip') && name !== `${newest}.zip`
        if (isFormer) await rm(join(folder, name), { force: true })
      }
    },
    /** @param bytes its size at most @throws file errors, ENOSPC before the disk is full */
    async receive(studioId: string, stream: Readable, bytes: number): Promise<StoredArchive> {
      await mkdir(folder, { recursive: true })
      await sweep()
      const { bavail, bsize } = await statfs(folder)
      // The archive, the unpacked photos and their copies.
      if (bavail * bsize < 3 * bytes) throw Object.assign(new Error('the disk is full'), { code: 'ENOSPC' })
      const id = `${studioId}_${randomUUID()}`
      const draft = join(folder, `${id}.part`)
      const hash = createHash('sha256')
      async function* hashed(chunks: AsyncIterable<Buffer>) {
        for await (const chunk of chunks) {
          hash.update(chunk)
          yield chunk
        }
      }
      try {
        await pipeline(stream, hashed, createWriteStream(draft, { flags: 'wx', mode: 0o600 }))
        await rename(draft, pathOf(id))
      } catch (error) {
        await rm(draft, { force: true })
        throw error
      }
      return { id, sha256: hash.digest('hex') }
    },
  }
}
