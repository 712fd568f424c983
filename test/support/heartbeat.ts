import { createPool } from '../../src/database/pool.ts'
import { makeLogger } from '../../src/log.ts'
import { createJobs } from '../../src/service/job-runner.ts'
import { startHeartbeat } from '../../src/service/jobs.ts'
import type { TestDatabase } from './server.ts'

/** Starts the heartbeats of a process; `reach` leads them to the database through a pooler. Returns
 * what ends them. */
export async function startHeartbeats(
  database: TestDatabase,
  reach?: (url: string) => string,
): Promise<() => Promise<void>> {
  const log = makeLogger({ level: 'silent' })
  const url = database.urlFor('studio_recorder')
  const pool = createPool(reach?.(url) ?? url, {
    ...{ applicationName: 'test heartbeat', size: 1, acquireTimeoutMs: 5_000, statementTimeoutMs: 5_000, log },
    preparedStatements: reach === undefined,
  })
  const heartbeat = await startHeartbeat(pool, createJobs(log))
  return async () => {
    await heartbeat.stop()
    await pool.close()
  }
}
