import { vi } from 'vitest'
import type { Pool } from '../../src/database/pool.ts'

/** The names of the statements that a pool runs from now on, until `restore`. */
export function watchStatements(pool: Pool): { names: string[]; restore(): void } {
  const names: string[] = []
  const { query } = pool
  const spy = vi.spyOn(pool, 'query').mockImplementation((statement, values) => {
    names.push(statement.name)
    return query.call(pool, statement, values) as never
  })
  return { names, restore: () => spy.mockRestore() }
}
