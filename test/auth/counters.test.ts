import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { memoryCounter, sharedCounter } from '../../src/auth/counters.ts'
import { makeLogger } from '../../src/log.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

test('counts in a window that begins with the first count', async () => {
  const counter = memoryCounter(60)
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

test('no more keys are stored than allowed, the least recently used are evicted first', async () => {
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

test('a shared store that is not connected is not waited for: the process counts alone', async () => {
  const asked = vi.fn(() => new Promise(() => {}))
  const store = { status: 'connecting', rlflxIncr: asked, multi: asked }
  const counter = sharedCounter(store, 'minute', 60, makeLogger({ level: 'silent' }))
  for (const consumedPoints of [1, 2]) expect(await counter.add('a')).toMatchObject({ consumedPoints })
  expect(asked).not.toHaveBeenCalled()
})
