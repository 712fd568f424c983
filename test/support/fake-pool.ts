import type pg from 'pg'
import { type Pool, poolOf } from '../../src/database/pool.ts'

export type FakeQuery = { name?: string; text: string; values: unknown[] }

/** A pool without a database. `answer` answers its statements. */
export function fakePool(answer: (query: FakeQuery) => Promise<object[]>, size = 1_000): Pool {
  const none = { totalCount: 0, idleCount: 0, waitingCount: 0 }
  const query = async <Row extends object>(given: FakeQuery) => ({ rows: (await answer(given)) as Row[] })
  return poolOf(
    {
      ...none,
      query,
      connect: async () => ({ query, release: () => undefined }) as unknown as pg.PoolClient,
      end: async () => undefined,
    },
    { size, acquireTimeoutMs: 2_000 },
  )
}
