import { expect, test } from 'vitest'
import { type Readiness, rememberReadiness } from '../../src/http/readiness.ts'

/** A check that answers what `answer` resolves to, on a clock of its own. */
function remembered(answer: (call: number) => Promise<Readiness>) {
  let [calls, time] = [0, 0]
  const check = rememberReadiness(
    () => answer(++calls),
    () => time,
  )
  return {
    check,
    calls: () => calls,
    after(milliseconds: number) {
      time += milliseconds
      return check()
    },
  }
}

const ready = async (call: number): Promise<Readiness> => ({ ready: true, schemaVersion: String(call) })

test('however often it is asked, the database is asked once a second', async () => {
  const { check, calls, after } = remembered(ready)
  for (let ask = 0; ask < 100; ask += 1) expect(await check()).toEqual({ ready: true, schemaVersion: '1' })
  expect(await after(999)).toEqual({ ready: true, schemaVersion: '1' })
  expect(calls()).toBe(1)
  expect(await after(1)).toEqual({ ready: true, schemaVersion: '2' })
})

test('a check that takes long is shared, and its result is a second old at most from when it came', async () => {
  const { check, calls, after } = remembered(
    () => new Promise((resolve) => setImmediate(resolve, { ready: false, reason: 'slow' })),
  )
  const [one, other] = [check(), after(5_000)]
  expect(await Promise.all([one, other])).toEqual(Array(2).fill({ ready: false, reason: 'slow' }))
  await after(999)
  expect(calls()).toBe(1)
})

test('a check that fails is forgotten after a second too', async () => {
  const { check, after } = remembered((call) => (call === 1 ? Promise.reject(new Error('broken')) : ready(call)))
  await expect(check()).rejects.toThrow('broken')
  await expect(check()).rejects.toThrow('broken')
  expect(await after(1_000)).toEqual({ ready: true, schemaVersion: '2' })
})
