import { afterEach, expect } from 'vitest'
import { createPool, type Pool, type PoolOptions } from '../../src/database/pool.ts'
import { makeLogger } from '../../src/observability/log.ts'
import type { TestDatabase } from '../support/server.ts'

export const one = { name: 'one', text: 'select 1 as one' }
export const backend = { name: 'backend', text: 'select pg_backend_pid() as pid' }
export const sleep = { name: 'sleep', text: 'select pg_sleep($1)' }

/** The error that something ends with. */
export async function failure(work: Promise<unknown>): Promise<Error & { sqlState?: string }> {
  return work.then(
    () => expect.fail('did not fail'),
    (error) => error,
  )
}

/** Pools of a test file's database; each is closed after its test, and so is what else is put into `open`. */
export function usePools(database: () => TestDatabase) {
  const open: (() => Promise<unknown>)[] = []
  afterEach(async () => {
    for (const close of open.splice(0)) await close()
  })
  /** What was logged. */
  const lines: string[] = []
  const log = makeLogger({ level: 'debug', stream: { write: (line) => void lines.push(line) } })
  function pool(url = database().adminUrl, options: Partial<PoolOptions> = {}): Pool {
    const made = createPool(url, {
      applicationName: 'statement.test',
      size: 1,
      acquireTimeoutMs: 500,
      statementTimeoutMs: 2000,
      log,
      ...options,
    })
    open.push(() => made.close())
    return made
  }
  return { pool, open, lines, log }
}
