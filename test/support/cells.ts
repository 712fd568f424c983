import { afterAll, beforeAll } from 'vitest'
import type { Cast } from './cast.ts'
import { createCastDatabase } from './cast-database.ts'
import { asAdmin, type TestDatabase } from './server.ts'
import { type ServiceOptions, startService, type TestService } from './service.ts'

/** Two cells, and a service on both: eu1 accepts tokens of studio A alone, eu2 of studio B, though each has the data of both. */
export type Cells = {
  eu1: TestDatabase
  eu2: TestDatabase
  cast: Cast
  service: TestService
  /** Another service on both cells; stopped after the file. */
  start(options?: ServiceOptions): Promise<TestService>
}

/** Gives the test file its cells. To be called at the top of the file. */
export function useCells(options: ServiceOptions = {}): Cells {
  const cells = {} as Cells
  const started: TestService[] = []
  beforeAll(async () => {
    const [first, second] = await Promise.all([createCastDatabase(), createCastDatabase()])
    Object.assign(cells, { eu1: first.database, eu2: second.database, cast: first.cast })
    await Promise.all([
      setAccepted(cells.eu1, first.cast.b.token.id, false),
      setAccepted(cells.eu2, first.cast.a.token.id, false),
    ])
    cells.start = async (more = {}) => {
      const service = await startService(cells.eu1, { otherCells: { eu2: cells.eu2 }, ...more })
      started.push(service)
      return service
    }
    cells.service = await cells.start(options)
  })
  afterAll(async () => {
    await Promise.all(started.map((service) => service.stop()))
    await Promise.all([cells.eu1?.drop(), cells.eu2?.drop()])
  })
  return cells
}

/** Lets a token be accepted by a database or not, as a move of its studio does. */
export async function setAccepted(database: TestDatabase, tokenId: string, accepted: boolean): Promise<void> {
  const text = 'update access.tokens set revoked_at = case when $2 then null else now() end where id = $1'
  await changeAnyway(database, text, [tokenId, accepted])
}

/** Runs a statement past every rule that protects what it changes. */
export async function changeAnyway(database: TestDatabase, text: string, values: unknown[]): Promise<void> {
  await asAdmin(database, async (client) => {
    await client.query('set session_replication_role = replica')
    await client.query(text, values)
  })
}
