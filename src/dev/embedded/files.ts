import { randomBytes } from 'node:crypto'
import { chmod, chown, link, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { z } from 'zod'

/** What is remembered about the embedded server between starts; secrets are in files of their own. */
export type State = {
  /** Where PostgreSQL keeps the data. In the file it is relative when below the data folder, which may be moved. */
  dataDirectory: string
  port: number
  /** The processes that use the server; the last one stops it. */
  users: string[]
}

const stateFile = z.object({
  dataDirectory: z.string().min(1),
  port: z.number().int().min(1).max(65535),
  users: z.array(z.string()),
})

/** Reads the state file; undefined when there is none or it is unreadable (it can be made again). */
export async function readState(path: string): Promise<State | undefined> {
  const content = await readFile(path, 'utf8').catch(ifMissing(undefined))
  if (content === undefined) return undefined
  try {
    return stateFile.parse(JSON.parse(content))
  } catch {
    return undefined
  }
}

/** Replaces the state file in one step. */
export async function writeState(path: string, state: State): Promise<void> {
  const draft = `${path}.${process.pid}`
  await writeFile(draft, `${JSON.stringify(state, null, 2)}\n`, { mode: 0o644 })
  await giveToOwnerOf(dirname(path), draft)
  await rename(draft, path)
}

/** Makes a folder that the server's account can enter, if it may enter the folders above. */
export async function makeFolder(path: string): Promise<void> {
  const made = await mkdir(path, { recursive: true })
  // The mode given to mkdir would be narrowed by a strict umask.
  if (made !== undefined) await chmod(path, 0o755)
}

/**
 * Reads a secret from its file, or generates it there: 32 random bytes as base64url, readable by the file's owner only.
 * Processes that do this at the same time get the same secret.
 */
export async function keepSecret(path: string): Promise<string> {
  const kept = await readFile(path, 'utf8').catch(ifMissing(''))
  if (kept !== '') {
    const secret = kept.trim()
    if (secret.length < 32) throw new Error(`${path} is damaged: it should contain a secret of at least 32 characters`)
    return secret
  }
  const draft = `${path}.${randomBytes(4).toString('hex')}`
  await writeFile(draft, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flush: true })
  await giveToOwnerOf(dirname(path), draft)
  try {
    await link(draft, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    await rm(draft, { force: true })
  }
  return keepSecret(path)
}

/** When root helps out in another user's folder, the files stay that user's. */
export async function giveToOwnerOf(folder: string, file: string): Promise<void> {
  if (process.getuid?.() !== 0) return
  const { uid, gid } = await stat(folder)
  await chown(file, uid, gid)
}

export async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() ?? false
}

function ifMissing<Value>(value: Value): (error: NodeJS.ErrnoException) => Value {
  return (error) => {
    if (error.code === 'ENOENT') return value
    throw error
  }
}
