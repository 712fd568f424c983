import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
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
