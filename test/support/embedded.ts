import { readFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** The process number of the PostgreSQL server of a data folder, while it runs. */
export async function serverOf(folder: string): Promise<number | undefined> {
  const file = await readFile(join(folder, 'postgres', 'postmaster.pid'), 'utf8').catch(() => '')
  const pid = Number(file.split('\n')[0])
  return pid > 0 && (await runs(pid)) ? pid : undefined
}

/** Stops a data folder's server, if one runs. After SIGQUIT and SIGKILL the next start recovers. */
export async function stopServerOf(folder: string, signal: 'SIGINT' | 'SIGQUIT' | 'SIGKILL' = 'SIGINT'): Promise<void> {
  const pid = await serverOf(folder)
  if (pid === undefined) return
  process.kill(pid, signal)
  while (await runs(pid)) await sleep(15)
}

/** Whether a process runs; one that has ended and is not collected yet does not. */
export async function runs(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
  return !/\) Z /.test(await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ''))
}

/** The status of an answer; 0 without one. */
export const statusOf = (url: string): Promise<number> =>
  fetch(url).then(
    ({ status }) => status,
    () => 0,
  )

/** Whether something listens on a port. */
export function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false))
    socket.on('connect', () => socket.destroy())
  })
}
