import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { identify } from '../dev/embedded/processes.ts'

/** How often it is checked whether the processes still run, in milliseconds. */
const intervalMs = 500

/**
 * Resolves when npm, which started this process, has ended: npm does not pass every signal on, and none when it is killed. Between
 * the two there usually is a shell, which outlives npm; where the system does not tell its parent, only the shell is watched.
 * Never keeps the process alive.
 */
export async function starterEnded(): Promise<void> {
  const parent = process.ppid
  const ancestors = [parent, await parentOf(parent)].filter((pid) => pid !== undefined && pid > 1) as number[]
  const known = await Promise.all(ancestors.map(identify))
  for (;;) {
    await sleep(intervalMs, undefined, { ref: false })
    const now = await Promise.all(ancestors.map(identify))
    if (known.some((identity, index) => identity !== now[index])) return
  }
}

/** The parent of a shell; undefined for any other program: what started npm may well end before it. */
async function parentOf(pid: number): Promise<number | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  // The name in parentheses may contain anything. After it: state, parent.
  const [, name, parent] = /^\d+ \((.*)\) \S (\d+) /s.exec(stat) ?? []
  return name !== undefined && /^(?:ba|da|z|a)?sh$/.test(name) ? Number(parent) : undefined
}
