import { expect, test } from 'vitest'
import type { OperationRow } from '../../src/database/operation-row.ts'
import { replicasOf } from '../../src/database/replicas.ts'
import { makeLogger } from '../../src/log.ts'
import { fakePool } from '../support/fake-pool.ts'

/** Replicas that answer as `behave` says for their number, and the order in which they were
 * asked. */
function start(count: number, behave: (replica: number) => object, { connections = 4, pauseMs = 60_000 } = {}) {
  const asked: string[] = []
  const pools = Array.from({ length: count }, (_, index) => ({
    name: `replica ${index + 1}`,
    pool: fakePool(async () => {
      asked.push(`replica ${index + 1}`)
      return [await behave(index + 1)]
    }, connections),
  }))
  const replicas = replicasOf(pools, { pauseMs, log: makeLogger({ level: 'silent', fileDescriptor: 2 }) })
  const read = async () => {
    const current = ({ data }: OperationRow) => data !== 'old'
    const primary = async () => ({ data: 'of the primary' }) as OperationRow
    return (await replicas.query({ name: 'words', text: 'words' }, [], current, primary)).data
  }
  return { asked, read, states: replicas.states }
}

const fails = () => Promise.reject(Object.assign(new Error('the connection was reset'), { code: 'ECONNRESET' }))

test('replicas are asked in turn', async () => {
  const { read } = start(2, (replica) => ({ data: `of ${replica}` }))
  expect([await read(), await read(), await read()]).toEqual(['of 1', 'of 2', 'of 1'])
})

test('a failed replica is paused; the primary answers its request', async () => {
  const { asked, read, states } = start(2, (replica) => (replica === 1 ? fails() : { data: 'of 2' }))
  expect([await read(), await read(), await read()]).toEqual(['of the primary', 'of 2', 'of 2'])
  expect(asked).toEqual(['replica 1', 'replica 2', 'replica 2'])
  expect(states().map(({ inUse, failed }) => ({ inUse, failed }))).toEqual([
    { inUse: false, failed: 1 },
    { inUse: true, failed: 0 },
  ])
})

test('after the pause one request tries the replica, and an answer brings it back', async () => {
  let isUp = false
  const { asked, read, states } = start(1, () => (isUp ? { data: 'of 1' } : fails()), { pauseMs: 50 })
  await read()
  await new Promise((resolve) => setTimeout(resolve, 60))
  expect(await Promise.all([read(), read(), read()])).toEqual(Array(3).fill('of the primary'))
  expect(asked).toHaveLength(2)
  isUp = true
  await new Promise((resolve) => setTimeout(resolve, 60))
  expect([await read(), await read()]).toEqual(['of 1', 'of 1'])
  expect(states()[0]?.inUse).toBe(true)
})

test('the primary reads what would wait long for a replica', async () => {
  const ends: (() => void)[] = []
  const slowly = () => new Promise<object>((resolve) => ends.push(() => resolve({ data: 'of 1' })))
  const { read } = start(1, slowly, { connections: 1 })
  const waiting = Array.from({ length: 8 }, read)
  expect(await read()).toBe('of the primary')
  for (const end of ends) end()
  expect(new Set(await Promise.all(waiting))).toEqual(new Set(['of 1']))
})
