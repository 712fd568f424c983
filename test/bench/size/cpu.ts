import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Place } from './server.ts'

/** Seconds by the clock, and of PostgreSQL's processor time. */
export type Time = { seconds: number; cpu: number }

const ticksASecond = 100

/**
 * Times some work. `cpu` is what the sessions took that began and ended meanwhile: on a machine that others use too it says more than the
 * clock. Not a number where there is no /proc.
 */
export async function timed<Result>(place: Place, work: () => Promise<Result>): Promise<Time & { result: Result }> {
  const before = await ofChildren(place.pid)
  const began = performance.now()
  const result = await work()
  const seconds = (performance.now() - began) / 1_000
  // A session's time is its server's when that has noticed its end.
  await sleep(300)
  return { result, seconds, cpu: (await ofChildren(place.pid)) - before }
}

/** Seconds of processor time of a process so far, without its children. */
export async function cpuOf(pid: number): Promise<number> {
  const fields = await statOf(pid)
  return (Number(fields[11]) + Number(fields[12])) / ticksASecond
}

async function ofChildren(pid: number): Promise<number> {
  const fields = await statOf(pid)
  return (Number(fields[13]) + Number(fields[14])) / ticksASecond
}

/** /proc/PID/stat, after the name in brackets: its own time, and that of children that have ended. */
async function statOf(pid: number): Promise<string[]> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}
