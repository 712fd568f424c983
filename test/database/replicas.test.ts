import { expect, test } from 'vitest'
import type { OperationRow } from '../../src/database/operation-row.ts'
import { replicasOf } from '../../src/database/replicas.ts'
import { makeLogger } from '../../src/log.ts'
import { fakePool } from '../support/fake-pool.ts'

test('the primary reads what would wait long for a replica', async () => {
  const ends: (() => void)[] = []
  const slowly = () => new Promise<object[]>((resolve) => ends.push(() => resolve([{ data: 'of the replica' }])))
  const log = makeLogger({ level: 'silent', fileDescriptor: 2 })
  const replicas = replicasOf([{ name: 'replica 1', pool: fakePool(slowly, 1) }], { pauseMs: 60_000, log })
  const primary = async () => ({ data: 'of the primary' }) as OperationRow
  const read = async () => (await replicas.query({ name: 'words', text: 'words' }, [], () => true, primary)).data
  const waiting = Array.from({ length: 8 }, read)
  expect(await read()).toBe('of the primary')
  for (const end of ends) end()
  expect(new Set(await Promise.all(waiting))).toEqual(new Set(['of the replica']))
})
