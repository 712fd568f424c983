import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { memoryCounter, sharedCounter } from '../../src/auth/counters.ts'
import { createLimiter, type Limiter } from '../../src/auth/limiter.ts'
import { readConfig } from '../../src/config/config.ts'
import { makeLogger } from '../../src/log.ts'

const { rateLimits } = readConfig({})

let limiter: Limiter
beforeEach(async () => {
  vi.useFakeTimers()
  limiter = await createLimiter({ rateLimits, redisUrl: undefined }, makeLogger({ level: 'silent' }))
})
afterEach(() => {
  vi.useRealTimers()
})

/** Asks every 100 ms until the limiter refuses. Returns how many it admitted, and for how long to
 * wait. */
async function untilRefused(key: string): Promise<{ admitted: number; retryAfter: number }> {
  for (let admitted = 0; ; admitted += 1) {
    const { retryAfterSeconds } = await limiter.admit(key)
    if (retryAfterSeconds > 0) return { admitted, retryAfter: retryAfterSeconds }
    await vi.advanceTimersByTimeAsync(100)
  }
}

test('Retry-After of a used-up minute is true: one second less is too early, waiting it out is enough', async () => {
  const { admitted, retryAfter } = await untilRefused('a token')
  expect(admitted).toBe(300)
  expect(retryAfter).toBe(30)
  await vi.advanceTimersByTimeAsync((retryAfter - 1) * 1000)
  expect((await limiter.admit('a token')).retryAfterSeconds).toBe(1)
  await vi.advanceTimersByTimeAsync(1_000)
  expect((await limiter.admit('a token')).retryAfterSeconds).toBe(0)
})

test('a burst costs its second, not its minute', async () => {
  for (let count = 0; count < 1_000; count += 1) await limiter.admit('a token')
  await vi.advanceTimersByTimeAsync(1_000)
  const { allowances } = await limiter.admit('a token')
  expect(allowances.map(({ remaining }) => remaining)).toEqual([19, 300 - 21])
})

const guessed = async (address: string, isKnown = false) =>
  (await limiter.admitUnknown(address, async () => isKnown)).retryAfterSeconds

test('what was no failure is taken back, and never from a window that has not counted it', async () => {
  for (let count = 0; count < 1_000; count += 1)
    (await limiter.admitUnknown('203.0.113.7', async () => false)).takeBack()
  expect(await guessed('203.0.113.7')).toBe(0)
  const late = await limiter.admitUnknown('203.0.113.8', async () => false)
  await vi.advanceTimersByTimeAsync(60_000)
  late.takeBack()
  for (let count = 0; count < 30; count += 1) expect(await guessed('203.0.113.8')).toBe(0)
  expect(await guessed('203.0.113.8')).toBe(60)
})

test('what a request was charged is taken back of both of its windows, and of no later one', async () => {
  for (let count = 0; count < 1_000; count += 1) (await limiter.admit('a token')).takeBack()
  expect((await limiter.admit('a token')).allowances.map(({ remaining }) => remaining)).toEqual([19, 299])
  const late = await limiter.admit('a token')
  await vi.advanceTimersByTimeAsync(1_000)
  late.takeBack()
  expect((await limiter.admit('a token')).allowances.map(({ remaining }) => remaining)).toEqual([19, 298])
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
