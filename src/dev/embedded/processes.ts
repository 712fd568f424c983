import { execFile } from 'node:child_process'
import { readdir, readFile, readlink, realpath } from 'node:fs/promises'
import { promisify } from 'node:util'
import { identify } from '../../process/identity.ts'

const run = promisify(execFile)

/** Whether a process is a PostgreSQL server on this data directory (its working directory, once it has started). */
export async function isServerOf(pid: number, dataDirectory: string): Promise<boolean> {
  if ((await identify(pid)) === undefined) return false
  try {
    return (await readlink(`/proc/${pid}/cwd`)) === (await realpath(dataDirectory))
  } catch (error) {
    // A process that is ending has no folder any more. Otherwise: another user's process, or a system without /proc.
    if (process.platform === 'linux' && (error as NodeJS.ErrnoException).code === 'ENOENT') return false
    return (await commandLine(pid)).includes('postgres')
  }
}

/**
 * Whether anything of a PostgreSQL server still works in a data directory, its sub-processes included: they may outlive
 * it for a moment.
 *
 * @param pid the server's own number
 */
export async function isInUse(dataDirectory: string, pid: number): Promise<boolean> {
  if (await isServerOf(pid, dataDirectory)) return true
  // Without /proc, PostgreSQL decides about what a dead server left behind; only another program's number is certain.
  if (process.platform !== 'linux') return (await identify(pid)) === undefined
  const directory = await realpath(dataDirectory)
  const numbers = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const folders = await Promise.all(numbers.map((number) => readlink(`/proc/${number}/cwd`).catch(() => undefined)))
  return folders.includes(directory)
}

async function commandLine(pid: number): Promise<string> {
  const fromProc = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
  if (fromProc !== '') return fromProc
  const { stdout } = await run('ps', ['-o', 'command=', '-p', String(pid)]).catch(() => ({ stdout: '' }))
  return stdout
}
