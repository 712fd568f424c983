import { randomBytes } from 'node:crypto'
import { link, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { identify, isRunning } from '../../process/identity.ts'
import { giveToOwnerOf } from './files.ts'

/**
 * Runs `work` while no other process runs work under the same lock file. A lock whose process has died is taken over.
 *
 * @param timeoutMs how long to wait for the others
 * @throws when the lock stays taken, naming its holder
 */
export async function withLock<Result>(path: string, work: () => Promise<Result>, timeoutMs = 30_000): Promise<Result> {
  await take(path, Date.now() + timeoutMs)
  try {
    return await work()
  } finally {
    await rm(path, { force: true })
  }
}

async function take(path: string, end: number): Promise<void> {
  const mark = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`
  // Linking a finished file makes the lock appear with its owner's name in it, or not at all.
  await writeFile(mark, (await identify(process.pid)) ?? '', { mode: 0o644 })
  await giveToOwnerOf(dirname(path), mark)
  try {
    for (;;) {
      if (await linked(mark, path)) return await sweep(path)
      const holder = await readFile(path, 'utf8').catch(() => undefined)
      if (holder === undefined) continue
      if (!(await isRunning(holder))) await discard(path, holder, `${mark}.old`)
      else if (Date.now() > end) throw new Error(`process ${holder.split('@')[0]} holds ${path}; wait for it or end it`)
      else await sleep(50)
    }
  } finally {
    await rm(mark, { force: true })
  }
}

async function linked(mark: string, path: string): Promise<boolean> {
  try {
    await link(mark, path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/** Removes a dead process's lock; another one that was taken in the meantime is put back. */
async function discard(path: string, holder: string, aside: string): Promise<void> {
  try {
    await rename(path, aside)
  } catch {
    return // somebody else was quicker
  }
  if ((await readFile(aside, 'utf8')) !== holder) await linked(aside, path)
  await rm(aside, { force: true })
}

/** Removes what processes left behind that were killed while they waited. */
async function sweep(path: string): Promise<void> {
  for (const name of await readdir(dirname(path))) {
    const pid = name.startsWith(`${basename(path)}.`) ? Number(name.slice(basename(path).length + 1).split('.')[0]) : 0
    if (pid > 0 && (await identify(pid)) === undefined) await rm(join(dirname(path), name), { force: true })
  }
}
