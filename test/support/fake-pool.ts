import { type Pool, poolOf } from '../../src/database/pool.ts'

export type FakeQuery = { name?: string; text: string; values: unknown[] }

/**
 * A pool without a database, whose statements are answered by `answer`: its rows, or the error that a driver would throw. With
 * connections to spare nothing is batched unless it has to be.
 */
export function fakePool(answer: (query: FakeQuery) => Promise<object[]>, size = 1_000): Pool {
  const none = { totalCount: 0, idleCount: 0, waitingCount: 0 }
  return poolOf(
    {
      ...none,
      query: async <Row extends object>(query: FakeQuery) => ({ rows: (await answer(query)) as Row[] }),
      connect: () => Promise.reject(new Error('a pool without a database has no connections')),
      end: async () => undefined,
    },
    { size },
  )
}
