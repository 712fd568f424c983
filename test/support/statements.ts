import { vi } from 'vitest'
import type { Pool } from '../../src/database/pool.ts'

/** The names of the statements that a pool is asked to run from now on, however it is asked. Until `restore`. */
export function watchStatements(pool: Pool): { names: string[]; restore(): void } {
  const names: string[] = []
  const { queryUninstrumented, queryPipelined } = pool
  const spies = [
    vi.spyOn(pool, 'queryUninstrumented').mockImplementation((statement, values) => {
      names.push(statement.name)
      return queryUninstrumented.call(pool, statement, values)
    }),
    vi.spyOn(pool, 'queryPipelined').mockImplementation((requests) => {
      names.push(...requests.map(({ statement }) => statement.name))
      return queryPipelined.call(pool, requests)
    }),
  ]
  return { names, restore: () => spies.map((spy) => spy.mockRestore()) }
}
