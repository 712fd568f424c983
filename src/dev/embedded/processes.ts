import { execFile } from 'node:child_process'
import { readdir, readFile, readlink, realpath } from 'node:fs/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)

/**
 * Names a running process so that a later one that gets the same number is not taken for it: number and start time.
 *
 * @returns undefined when no such process runs
 */
export async function identify(pid: number): Promise<string | undefined> {
  if (!exists(pid)) return undefined
  const started = await startTime(pid)
  return started === 'ended' ? undefined : `${pid}@${started}`
}

/** Whether the process of a name given by `identify` still runs. */
export async function isRunning(identity: string): Promise<boolean> {
  const [pid, started] = identity.split('@')
  const now = (await identify(Number(pid)))?.split('@')[1]
  // Where the system does not tell start times, the number has to do.
  return now !== undefined && (now === '' || started === '' || now === started)
}

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

function exists(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Opaque; '' when the system does not tell, 'ended' for a process that only waits to be collected by its parent. */
async function startTime(pid: number): Promise<string> {
  if (process.platform === 'linux') {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
    if (stat === '' && !exists(pid)) return 'ended'
    // The name before the last ')' may contain anything. Then: state, 18 fields, start time.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return fields[0] === 'Z' ? 'ended' : (fields[19] ?? '')
  }
  const { stdout } = await run('ps', ['-o', 'lstart=', '-p', String(pid)]).catch(() => ({ stdout: '' }))
  return stdout.trim().replace(/\s+/g, '-')
}

async function commandLine(pid: number): Promise<string> {
  const fromProc = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
  if (fromProc !== '') return fromProc
  const { stdout } = await run('ps', ['-o', 'command=', '-p', String(pid)]).catch(() => ({ stdout: '' }))
  return stdout
}
