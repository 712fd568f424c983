import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import type { Writable } from 'node:stream'
import { CommandError } from '../failure.ts'

/**
 * Writes a file as a whole or not at all: under another name beside it, which becomes its name at the end. What was there before
 * stays until then.
 *
 * @throws CommandError when it cannot be written; what `work` throws
 */
export async function writeWholeFile<Result>(path: string, work: (sink: Writable) => Promise<Result>): Promise<Result> {
  const target = resolve(path)
  const refused = (error: NodeJS.ErrnoException) => {
    throw new CommandError(`cannot write ${path}: ${reasons[error.code ?? ''] ?? error.message}`)
  }
  if ((await stat(target).catch(() => undefined))?.isDirectory()) throw new CommandError(`${path} is a folder`)
  const unfinished = join(dirname(target), `.${basename(target)}.${randomBytes(4).toString('hex')}.part`)
  const file = createWriteStream(unfinished, { flags: 'wx', flush: true })
  await once(file, 'open').catch(refused)
  const remove = () => rm(unfinished, { force: true })
  const interrupted = () => void remove().finally(() => process.exit(130))
  process.once('SIGINT', interrupted)
  try {
    const closed = once(file, 'close')
    closed.catch(() => undefined)
    const result = await work(file)
    await closed
    await rename(unfinished, target).catch(refused)
    return result
  } catch (error) {
    file.destroy()
    await remove()
    throw error
  } finally {
    process.removeListener('SIGINT', interrupted)
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such folder',
  ENOTDIR: 'there is no such folder',
  EACCES: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
}
