import { vi } from 'vitest'
import { createPool } from '../../src/database/pool.ts'
import { asOwner, enterStudio } from '../../src/database/session.ts'
import { demoStudios } from '../../src/dev/demo/studios.ts'
import { makeLogger } from '../../src/observability/log.ts'
import { startHeartbeat } from '../../src/process/jobs.ts'
import { type Demo, startDemo } from '../openapi/demo.ts'
import { generous } from '../support/service.ts'

const log = makeLogger({ level: 'error', fileDescriptor: 2 })

/** Limits that a recipe reaches, so that it has to wait. */
const tight = { ...generous, studio: { perSecond: 2, perMinute: 1_000 } }

/** The running demo, and what its studio's data says in SQL: the rows of a query, one at least. */
export type Tool = Demo & { sql<Row>(query: string): Promise<[Row, ...Row[]]> }

/** The demo with the heartbeats of a running service (lists say `Next-Updated-Since`), and with limits that recipes reach. */
export async function startTool(limits: typeof generous = tight): Promise<Tool> {
  const demo = await startDemo(limits)
  const waits = { acquireTimeoutMs: 2_000, statementTimeoutMs: 5_000 }
  const pool = createPool(demo.database.urlFor('studio_recorder'), {
    applicationName: 'test heartbeat',
    size: 1,
    ...waits,
    log,
  })
  const heartbeat = await startHeartbeat(pool, log)
  const known = async () => (await demo.service.get('/v1/items', { token: demo.token })).headers['next-updated-since']
  await vi.waitUntil(known, { timeout: 10_000 })
  return {
    ...demo,
    sql: <Row>(query: string) =>
      asOwner(demo.database.adminUrl, async (transaction) => {
        const named = 'select id from app.studios where name = $1'
        const [studio] = await transaction.query<{ id: string }>(named, [demoStudios[0].name])
        await enterStudio(transaction, studio?.id ?? '')
        return (await transaction.query(query)) as [Row, ...Row[]]
      }),
    async close() {
      await heartbeat.stop()
      await pool.close()
      await demo.close()
    },
  }
}
