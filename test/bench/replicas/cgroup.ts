import { existsSync } from 'node:fs'
import { mkdir, readFile, rmdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** A control group: what its processes may take of the processor, before all others, and what they have taken. */
export type Cgroup = {
  /** Moves a process and those it has started here; what they start later is here as well. */
  add(pid: number): Promise<void>
  /** Processor time for each second, in milliseconds; undefined: any. */
  limit(msPerSecond: number | undefined): Promise<void>
  /** Processor time taken so far, in milliseconds. */
  usedMs(): Promise<number>
  /** Removes the group. Its processes have to have ended. */
  remove(): Promise<void>
}

const mounted = '/sys/fs/cgroup'
/** What a group gets in each period, in microseconds: the least that Linux takes, so that nobody waits long for the next period. */
const quotaUs = 1_000
const periodUs = (msPerSecond: number) => Math.round((quotaUs * 1_000) / msPerSecond)

/**
 * Makes a control group, of version 2 where the machine has it, else of version 1.
 *
 * @throws when this process may not: it says what is missing
 */
export async function openCgroup(name: string): Promise<Cgroup> {
  try {
    return await (existsSync(join(mounted, 'cgroup.controllers')) ? openVersion2(name) : openVersion1(name))
  } catch (error) {
    throw new Error(
      `each PostgreSQL gets a control group with a quota of processor time, which cannot be made here: run it as root on Linux, with ${mounted} writable (${(error as Error).message})`,
    )
  }
}

async function openVersion2(name: string): Promise<Cgroup> {
  const folder = join(mounted, name)
  await writeFile(join(mounted, 'cgroup.subtree_control'), '+cpu')
  await mkdir(folder)
  await writeFile(join(folder, 'cpu.weight'), '10000')
  return {
    add: (pid) => move(pid, [folder]),
    limit: (ms) => writeFile(join(folder, 'cpu.max'), ms === undefined ? 'max' : `${quotaUs} ${periodUs(ms)}`),
    async usedMs() {
      const stat = await readFile(join(folder, 'cpu.stat'), 'utf8')
      return Number(/^usage_usec (\d+)$/m.exec(stat)?.[1]) / 1_000
    },
    remove: () => removeEmpty(folder),
  }
}

async function openVersion1(name: string): Promise<Cgroup> {
  const [cpu, account] = [join(mounted, 'cpu', name), join(mounted, 'cpuacct', name)]
  // Often both are one hierarchy.
  for (const folder of [cpu, account]) await mkdir(folder, { recursive: true })
  await writeFile(join(cpu, 'cpu.shares'), '100000')
  return {
    add: (pid) => move(pid, [cpu, account]),
    async limit(ms) {
      if (ms !== undefined) await writeFile(join(cpu, 'cpu.cfs_period_us'), String(periodUs(ms)))
      await writeFile(join(cpu, 'cpu.cfs_quota_us'), String(ms === undefined ? -1 : quotaUs))
    },
    usedMs: async () => Number(await readFile(join(account, 'cpuacct.usage'), 'utf8')) / 1e6,
    async remove() {
      for (const folder of [cpu, account]) if (existsSync(folder)) await removeEmpty(folder)
    },
  }
}

async function move(pid: number, folders: string[]): Promise<void> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')
  for (const one of [String(pid), ...children.split(' ').filter(Boolean)]) {
    for (const folder of folders) {
      await writeFile(join(folder, 'cgroup.procs'), one).catch((error) => {
        if (error.code !== 'ESRCH') throw error
      })
    }
  }
}

/** Removes a group as soon as its processes are gone, which takes the kernel a moment after they have ended. */
async function removeEmpty(folder: string): Promise<void> {
  const end = performance.now() + 10_000
  for (;;) {
    try {
      return await rmdir(folder)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EBUSY' || performance.now() > end) throw error
      await sleep(50)
    }
  }
}
