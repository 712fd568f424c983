import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createRecorder } from '../../src/auth/recorder.ts'
import type { Activity } from '../../src/http/request-log.ts'
import { makeLogger } from '../../src/log.ts'

let lines: string[]
let batches: number[][]
let failures: number
let blocked: Promise<void> | undefined
beforeEach(() => {
  vi.useFakeTimers()
  lines = []
  batches = []
  failures = 0
  blocked = undefined
})
afterEach(() => void vi.useRealTimers())

function recorder(maxWaiting = 10_000) {
  return createRecorder({
    log: makeLogger({ level: 'debug', stream: { write: (line) => void lines.push(line) } }),
    maxWaiting,
    batchSize: 100,
    earlySize: 100,
    async write(batch) {
      await blocked
      if (failures > 0) {
        failures -= 1
        throw new Error('away')
      }
      batches.push(batch.map(({ status }) => status))
    },
  })
}

/** Numbered by its status. */
function activity(status: number, tokenId = `token ${status}`): Activity {
  const asked = { endpoint: 'GET /v1/items', query: '', parameters: [], ignored: [], address: null, agent: '' }
  return { tokenId, at: new Date(), status, durationMs: 1, requestId: '', bytes: 0, cached: false, ...asked }
}

const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index)

test('a batch that fails is retried once, then dropped; the next is written', async () => {
  const { record } = recorder()
  failures = 1
  record(activity(1))
  await vi.advanceTimersByTimeAsync(2_000)
  expect(batches).toEqual([[1]])
  expect(lines).toEqual([])
  failures = 2
  record(activity(2))
  await vi.advanceTimersByTimeAsync(2_000)
  record(activity(3))
  await vi.advanceTimersByTimeAsync(2_000)
  expect(batches).toEqual([[1], [3]])
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { level: 'warn', reason: 'away' },
    { level: 'error', dropped: 1 },
  ])
})

test('no more wait than allowed: the oldest are dropped, and counted', async () => {
  const { promise, resolve: release } = Promise.withResolvers<void>()
  blocked = promise
  const { record, flush } = recorder(300)
  for (const number of numbers(0, 1_000)) record(activity(number))
  release()
  await flush()
  expect(batches.flat()).toEqual([...numbers(0, 100), ...numbers(700, 1_000)])
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ level: 'error', dropped: 600 })
})

test('writes of each token no more than its activity shows, the oldest first', async () => {
  const written: Activity[][] = []
  const { record } = createRecorder({
    log: makeLogger({ level: 'silent' }),
    write: async (batch) => void written.push([...batch]),
  })
  for (const number of numbers(0, 360)) record(activity(number, number % 4 === 0 ? 'busy' : 'busier'))
  await vi.advanceTimersByTimeAsync(1_000)
  const statuses = (tokenId: string) => written.flat().flatMap((one) => (one.tokenId === tokenId ? [one.status] : []))
  expect(written).toHaveLength(1)
  expect(statuses('busy')).toEqual(numbers(0, 90).map((number) => number * 4))
  const others = numbers(0, 360).filter((number) => number % 4 !== 0)
  expect(statuses('busier')).toEqual(others.slice(-100))
})
