import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { runDaily } from '../../src/process/daily.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const [minute, hour] = [60_000, 3_600_000]

test('runs at once and then every 24 hours, until it is stopped', async () => {
  const work = vi.fn(async () => undefined)
  const stop = runDaily(work, () => undefined)
  expect(work).toHaveBeenCalledTimes(1)
  await vi.advanceTimersByTimeAsync(24 * hour - 1)
  expect(work).toHaveBeenCalledTimes(1)
  await vi.advanceTimersByTimeAsync(1)
  expect(work).toHaveBeenCalledTimes(2)
  stop()
  await vi.advanceTimersByTimeAsync(72 * hour)
  expect(work).toHaveBeenCalledTimes(2)
})

test('a failure is reported and tried again after ten minutes; after the end it is nobody’s concern', async () => {
  const failed = vi.fn()
  const work = vi.fn(async () => {
    throw new Error('away')
  })
  const stop = runDaily(work, failed)
  await vi.advanceTimersByTimeAsync(10 * minute)
  expect(work).toHaveBeenCalledTimes(2)
  expect(failed).toHaveBeenCalledTimes(2)
  stop()
  await vi.advanceTimersByTimeAsync(hour)
  expect(failed).toHaveBeenCalledTimes(2)
})
