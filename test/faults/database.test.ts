import { connect } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { asAdmin } from '../support/server.ts'
import { type Outcome, pause, send, untilHealthy } from './load.ts'
import { startLoad } from './steady.ts'
import { useStage } from './support.ts'

const stage = useStage()

/** The acceptance promises 5 s. A busy machine gets twice that before a test turns red. */
const bound = 10_000

afterEach(() => {
  expect(stage.service.alive()).toBe(true)
  expect(stage.service.output()).not.toContain('"level":"fatal"')
})

/** Loads both studios, and notes answers that cannot be right. */
function watchedLoad(connections: number) {
  const wrong: unknown[] = []
  const load = startLoad(stage.service.port, stage.callers, connections, (outcome, caller) => {
    try {
      stage.verify(outcome, caller)
    } catch (error) {
      wrong.push(error)
    }
  })
  return { load, wrong }
}

/** Breaks something under the load of both studios, fixes it, and waits until it has recovered. */
async function through(
  lasting: number,
  break_: () => unknown,
  fix: () => unknown = () => undefined,
): Promise<Outcome[]> {
  const { load, wrong } = watchedLoad(16)
  await pause(1_000)
  const brokenAt = performance.now()
  await break_()
  await pause(lasting)
  await fix()
  const recovered = await untilHealthy(stage.service.port, stage.callers[0])
  await pause(500)
  const outcomes = await load.stop()
  expect(wrong).toEqual([])
  expect(outcomes.filter(({ result }) => result !== 200 && result !== 503)).toEqual([])
  expect(recovered).toBeLessThan(bound)
  return outcomes.filter(({ at, ms }) => at + ms >= brokenAt)
}

const count = (outcomes: Outcome[], status: number) => outcomes.filter(({ result }) => result === status).length

test('the database refuses connections for three seconds: 503 at once, then all is well', async () => {
  const during = await through(3_000, stage.proxy.down, stage.proxy.up)
  expect(count(during, 503)).toBeGreaterThan(0)
  expect((await send(stage.service.port, { token: null, path: '/readyz' })).result).toBe(200)
})

test('the network swallows everything for six seconds: 503 within the time limits', async () => {
  const during = await through(6_000, stage.proxy.silence, stage.proxy.up)
  expect(count(during, 503)).toBeGreaterThan(0)
  for (const { ms } of during) expect(ms).toBeLessThan(4_000 + 500 + 3_000)
})

test('the database forgets all connections without a word: new ones take their place', async () => {
  await through(0, stage.proxy.halfOpen)
})

test('a slow database makes answers late, never partial or refused', async () => {
  const during = await through(
    3_000,
    () => stage.proxy.delay(300),
    () => stage.proxy.delay(0),
  )
  expect(count(during, 200)).toBeGreaterThan(0)
  expect(count(during, 503)).toBe(0)
})

test('two studios on 64 connections each while sessions are killed at random: each sees its own, or 503', async () => {
  const { load, wrong } = watchedLoad(128)
  const until = performance.now() + 8_000
  const killed = await asAdmin(stage.database, async (admin) => {
    let sessions = 0
    while (performance.now() < until) {
      const { rowCount } = await admin.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and usename = 'studio_api' order by random() limit 1`,
      )
      sessions += rowCount ?? 0
      await pause(40)
    }
    return sessions
  })
  await untilHealthy(stage.service.port, stage.callers[0])
  const outcomes = await load.stop()
  expect(wrong).toEqual([])
  expect(killed).toBeGreaterThan(10)
  expect(outcomes.filter(({ result }) => result !== 200 && result !== 503)).toEqual([])
  expect(count(outcomes, 200)).toBeGreaterThan(100)
})

test('a thousand clients leave in the middle: every connection is idle again', async () => {
  const [{ token }] = stage.callers
  const leave = (index: number) =>
    new Promise<void>((resolve) => {
      const socket = connect(stage.service.port, '127.0.0.1', () => {
        socket.write(`GET /v1/items HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`)
        setTimeout(() => socket.destroy(), (index * 7) % 6)
      })
      socket.on('error', () => undefined).on('close', () => resolve())
    })
  for (let round = 0; round < 20; round += 1) await Promise.all(Array.from({ length: 50 }, (_, index) => leave(index)))
  await untilHealthy(stage.service.port, stage.callers[0])
  const metric = (part: string) => stage.service.metric(`pool_${part}{pool="studio_api"}`)
  expect(await metric('idle')).toBe(await metric('size'))
  expect(await metric('waiting')).toBe(0)
})
