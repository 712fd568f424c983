import { vi } from 'vitest'
import type { Pool } from '../../src/database/pool.ts'

/** The names of the statements that the pools run from now on, until `restore`. */
export function watchStatements(pools: Readonly<Record<string, Pool>>): { names: string[]; restore(): void } {
  const names: string[] = []
  const spies = Object.values(pools).map((pool) => {
    const { query } = pool
    return vi.spyOn(pool, 'query').mockImplementation((statement, values) => {
      names.push(statement.name)
      return query.call(pool, statement, values) as never
    })
  })
  return { names, restore: () => spies.forEach((spy) => void spy.mockRestore()) }
}
