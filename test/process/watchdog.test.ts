import { describe, expect, it } from 'vitest'
import type { EndedSession } from '../../src/analysts/watch.ts'
import { makeLogger } from '../../src/log.ts'
import { watchAnalysts } from '../../src/process/jobs.ts'

/** Watches with these looks, one after the other, the last one for ever; stops when all were taken. */
async function watch(looks: (() => Promise<EndedSession[]>)[]): Promise<Record<string, unknown>[]> {
  const lines: Record<string, unknown>[] = []
  const log = makeLogger({ level: 'debug', stream: { write: (line) => void lines.push(JSON.parse(line)) } })
  let taken = 0
  const stop = await new Promise<() => Promise<void>>((resolve) => {
    const stopWatching = watchAnalysts(
      () => {
        const look = looks[taken]
        taken += 1
        if (taken > looks.length) queueMicrotask(() => resolve(stopWatching))
        return look ? look() : Promise.resolve([])
      },
      log,
      1,
    )
  })
  await stop()
  return lines
}

const nothing = async () => []
const broken = () => Promise.reject(new Error('away'))

describe('the watchdog of the service', () => {
  it('goes on after a failure, which it says once, as it says that it works again', async () => {
    const lines = await watch([broken, broken, broken, nothing, nothing])
    expect(lines.map(({ level, msg, reason }) => ({ level, msg, reason }))).toEqual([
      { level: 'warn', msg: 'a job fails', reason: 'away' },
      { level: 'info', msg: 'a job works again', reason: undefined },
    ])
  })
})
