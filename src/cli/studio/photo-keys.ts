import { appendFile, readFile, rm, writeFile } from 'node:fs/promises'
import { CommandError } from '../failure.ts'

/** A file that gets the storage keys of a studio's photos, one a line. */
export type KeysFile = {
  /** Adds the keys that it does not have; returns the number of keys in it. */
  add(keys: readonly string[]): Promise<number>
  /** Removes it, if it was made now. */
  discard(): Promise<void>
}

/**
 * Opens the file before anything is removed: whoever cannot write it removes nothing.
 *
 * @param goesOn whether the removal was interrupted: then the file may have keys already, of photos that are removed by now
 * @throws CommandError when it exists although the removal has not begun, and when it cannot be written
 */
export async function openKeysFile(path: string, goesOn: boolean): Promise<KeysFile> {
  await writeFile(path, '', { flag: goesOn ? 'a' : 'wx' }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST')
      throw new CommandError(`cannot write ${path}: ${error.message}`, 'Nothing was removed.')
    throw new CommandError(`${path} is there already`, 'Name a new file with --photo-keys. Nothing was removed.')
  })
  return {
    async add(keys) {
      const there = new Set((await readFile(path, 'utf8')).split('\n').filter(Boolean))
      const missing = keys.filter((key) => !there.has(key))
      await appendFile(path, missing.map((key) => `${key}\n`).join(''))
      return there.size + missing.length
    },
    async discard() {
      if (!goesOn) await rm(path, { force: true })
    },
  }
}
