import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, vi } from 'vitest'
import { createLogin, dropLogin } from '../../src/analysts/logins.ts'
import { asAdministrator, asOwner, enterStudio } from '../../src/database/session.ts'
import { demoStudios } from '../../src/demo/studios.ts'
import { type Demo, startDemo } from '../openapi/demo.ts'
import { startHeartbeats } from '../support/heartbeat.ts'
import { generous } from '../support/service.ts'

/** Limits that a recipe reaches, so that it has to wait. */
const tight = { ...generous, studio: { perSecond: 2, perMinute: 1_000 } }

/** The running demo, and what its studio's data says in SQL: the rows of a query, one at least. */
export type Tool = Demo & { sql<Row>(query: string): Promise<[Row, ...Row[]]> }

/** The demo with heartbeats (for `Next-Updated-Since`), and with limits that recipes reach. */
export async function startTool(limits: typeof generous = tight): Promise<Tool> {
  const demo = await startDemo(limits)
  const stopBeats = await startHeartbeats(demo.database)
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
      await stopBeats()
      await demo.close()
    },
  }
}

/** A login for the demo's studio. To be dropped with dropLogin(). */
function makeAnalyst({ database: { adminUrl } }: Tool): Promise<{ login: string; url: string }> {
  return asAdministrator(adminUrl, async (transaction) => {
    const named = 'select id from app.studios where name = $1'
    const [studio] = await transaction.query<{ id: string }>(named, [demoStudios[0].name])
    const limits = { userId: null, validDays: 1, connections: 2, timeout: 60 }
    return createLogin(transaction, adminUrl, { studioId: studio?.id ?? '', ...limits })
  })
}

/** Gives the test file the demo, an empty folder, and an analyst's connection string. Call it at
 * the top. */
export function useTool(options: { limits?: typeof generous; analyst?: boolean } = {}) {
  const tool = {} as Tool & { folder: string; analystUrl: string }
  let login: string | undefined
  beforeAll(async () => {
    Object.assign(tool, await startTool(options.limits))
    tool.folder = await mkdtemp(join(tmpdir(), 'studio-inventory-recipe-'))
    if (!options.analyst) return
    const made = await makeAnalyst(tool)
    login = made.login
    tool.analystUrl = made.url
  })
  afterAll(async () => {
    if (login !== undefined) await dropLogin(tool.database.adminUrl, login)
    await tool.close?.()
    if (tool.folder) await rm(tool.folder, { recursive: true, force: true })
  })
  return tool
}
