import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type Counter, memoryCounter, sharedCounter } from '../../src/auth/counters.ts'
import { makeLogger } from '../../src/log.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** As much of a Redis client as the counters use, over a map that several of them can share. */
function storeOver(values: Map<string, { points: number; until: number }>) {
  const store = {
    status: 'ready',
    fails: false,
    commands: 0,
    async rlflxIncr([key = '', points = '0', seconds = '0']: string[]) {
      store.commands += 1
      if (store.fails) throw new Error('connect ECONNREFUSED')
      const old = values.get(key)
      const value =
        old !== undefined && old.until > Date.now() ? old : { points: 0, until: Date.now() + Number(seconds) * 1000 }
      value.points += Number(points)
      values.set(key, value)
      return [value.points, value.until - Date.now()]
    },
    multi: () => ({
      get: (key: string) => ({
        pttl: () => ({
          async exec() {
            const value = values.get(key)
            return [
              [null, value === undefined ? null : String(value.points)],
              [null, (value?.until ?? 0) - Date.now()],
            ]
          },
        }),
      }),
    }),
  }
  return store
}

function logInto(lines: string[]) {
  return makeLogger({ level: 'debug', stream: { write: (line) => void lines.push(line) } })
}

const counters: [name: string, make: () => Counter][] = [
  ['in memory', () => memoryCounter(60)],
  ['in a shared store', () => sharedCounter(storeOver(new Map()), 'minute', 60, logInto([]))],
]

test.each(counters)('%s: counts in a window that begins with the first count', async (_, make) => {
  const counter = make()
  expect(await counter.add('a')).toMatchObject({ consumedPoints: 1, msBeforeNext: 60_000 })
  await vi.advanceTimersByTimeAsync(20_000)
  const second = await counter.add('a')
  expect(second).toMatchObject({ consumedPoints: 2, msBeforeNext: 40_000 })
  expect(await counter.add('b')).toMatchObject({ consumedPoints: 1, msBeforeNext: 60_000 })
  second.takeBack()
  second.takeBack()
  expect(await counter.add('a')).toMatchObject({ consumedPoints: 2, msBeforeNext: 40_000 })
  await vi.advanceTimersByTimeAsync(40_000)
  expect(await counter.add('a')).toMatchObject({ consumedPoints: 1, msBeforeNext: 60_000 })
})

test('in memory: no more keys are stored than allowed, the least recently used are evicted first', async () => {
  const counter = memoryCounter(60, 100)
  await counter.add('steady')
  for (let index = 0; index < 1_000; index += 1) {
    await counter.add(`once ${index}`)
    await counter.add('steady')
  }
  expect((await counter.add('steady')).consumedPoints).toBe(1_002)
  expect((await counter.add('once 999')).consumedPoints).toBe(2)
  expect((await counter.add('once 800')).consumedPoints).toBe(1)
})

test('a failed store locks no client out: the process counts alone, logs it once, and retries later', async () => {
  const lines: string[] = []
  const store = storeOver(new Map())
  const counter = sharedCounter(store, 'minute', 60, logInto(lines))
  await counter.add('a')
  store.fails = true
  expect((await counter.add('a')).consumedPoints).toBe(1)
  expect((await counter.add('a')).consumedPoints).toBe(2)
  const asked = store.commands
  for (let index = 0; index < 100; index += 1) await counter.add('a')
  expect(store.commands).toBe(asked)
  await vi.advanceTimersByTimeAsync(6_000)
  await counter.add('a')
  expect(store.commands).toBe(asked + 1)
  expect(lines).toHaveLength(1)
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    level: 'error',
    counter: 'minute',
    reason: 'connect ECONNREFUSED',
  })
  store.fails = false
  await vi.advanceTimersByTimeAsync(6_000)
  expect((await counter.add('a')).consumedPoints).toBe(2)
  expect(lines).toHaveLength(1)
})

test('a store that is not connected is not waited for', async () => {
  const store = storeOver(new Map())
  store.status = 'connecting'
  const counter = sharedCounter(store, 'minute', 60, logInto([]))
  expect((await counter.add('a')).consumedPoints).toBe(1)
  expect(store.commands).toBe(0)
})
