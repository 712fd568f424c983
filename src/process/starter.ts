import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { identify } from './identity.ts'

/** How often it is checked whether the processes still run, in milliseconds. */
const intervalMs = 500

/** A shell and the command line's launcher are between npm and this process. */
const maxBetween = 4

/**
 * Resolves when npm, which started this process, or one between the two has ended: npm does not pass every signal on, and none when it is
 * killed. Where the system does not tell who started whom, only the parent is watched. Never keeps the process alive.
 */
export async function starterEnded(): Promise<void> {
  const ancestors = await ancestorsUpToNpm()
  const known = await Promise.all(ancestors.map(identify))
  for (;;) {
    await sleep(intervalMs, undefined, { ref: false })
    const now = await Promise.all(ancestors.map(identify))
    if (known.some((identity, index) => identity !== now[index])) return
  }
}

/** The processes from the parent to npm, by their numbers; the parent alone when npm is not among its ancestors. */
async function ancestorsUpToNpm(): Promise<number[]> {
  const found: number[] = []
  for (let pid = process.ppid; pid > 1 && found.length <= maxBetween; ) {
    found.push(pid)
    const { name, parent } = await describe(pid)
    if (name.startsWith('npm')) return found
    pid = parent
  }
  return found.slice(0, 1)
}

async function describe(pid: number): Promise<{ name: string; parent: number }> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  // The name in parentheses may contain anything. After it: state, parent.
  const [, name = '', parent = '0'] = /^\d+ \((.*)\) \S (\d+) /s.exec(stat) ?? []
  return { name, parent: Number(parent) }
}
