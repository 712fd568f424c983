import { describe, expect, it } from 'vitest'
import type { EndedSession } from '../../src/analysts/upkeep.ts'
import { makeLogger } from '../../src/log.ts'
import { watchAnalysts } from '../../src/process/jobs.ts'

/** Watches with these looks in turn, the last one for ever; stops when all were taken. */
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
  it('continues after a failure, and logs the failure and the recovery once each', async () => {
    const lines = await watch([broken, broken, broken, nothing, nothing])
    expect(lines.map(({ level, msg, reason }) => ({ level, msg, reason }))).toEqual([
      { level: 'warn', msg: 'a job fails', reason: 'away' },
      { level: 'info', msg: 'a job works again', reason: undefined },
    ])
  })

  it('says once what it ended, and raises an alarm when a session is still there after that', async () => {
    const stuck: EndedSession = { login: 'analyst_1', pid: 7, action: 'ended', reason: 'its statement runs too long' }
    const lines = await watch([...Array.from({ length: 6 }, () => async () => [stuck]), nothing, async () => [stuck]])
    expect(lines.map(({ level, msg, pid }) => ({ level, msg, pid }))).toEqual([
      { level: 'warn', msg: 'watchdog: ended a session of an analyst', pid: 7 },
      { level: 'error', msg: 'watchdog: a session of an analyst is still there', pid: 7 },
      { level: 'warn', msg: 'watchdog: ended a session of an analyst', pid: 7 },
    ])
  })
})
