import { afterAll, beforeAll } from 'vitest'
import { asOwner } from '../../src/database/session.ts'
import type { Cast } from './cast.ts'
import { createCastDatabase } from './cast-database.ts'
import { asAdmin, type TestDatabase } from './server.ts'
import { type ServiceOptions, startService, type TestService } from './service.ts'
import { makeStudio } from './world.ts'

/**
 * Three cells, and a service on all: eu1 accepts tokens of studio A alone, eu2 of studio B, eu3 of a third studio, though each has the
 * data of A and B.
 */
export type Cells = {
  eu1: TestDatabase
  eu2: TestDatabase
  eu3: TestDatabase
  cast: Cast
  /** A studio with nothing in it, which only eu3 has. */
  third: { id: string; name: string; token: string }
  service: TestService
  /** Another service on all cells, some of which may be reached another way; stopped after the file. */
  start(options?: ServiceOptions): Promise<TestService>
}

/** Gives the test file its cells. To be called at the top of the file. */
export function useCells(options: ServiceOptions = {}): Cells {
  const cells = {} as Cells
  const started: TestService[] = []
  beforeAll(async () => {
    const [first, second, last] = await Promise.all([createCastDatabase(), createCastDatabase(), createCastDatabase()])
    Object.assign(cells, { eu1: first.database, eu2: second.database, eu3: last.database, cast: first.cast })
    const [a, b] = [first.cast.a.token.id, first.cast.b.token.id]
    const [third] = await Promise.all([
      asOwner(cells.eu3.adminUrl, async (transaction) => {
        const { id, token } = await makeStudio(transaction)
        await transaction.query(`update app.studios set name = 'Cellar' where id = $1`, [id])
        return { id, name: 'Cellar', token }
      }),
      setAccepted(cells.eu1, b, false),
      setAccepted(cells.eu2, a, false),
      setAccepted(cells.eu3, a, false),
      setAccepted(cells.eu3, b, false),
    ])
    cells.third = third
    cells.start = async ({ otherCells = {}, ...more } = {}) => {
      const all = { eu2: cells.eu2, eu3: cells.eu3, ...otherCells }
      const service = await startService(cells.eu1, { otherCells: all, ...more })
      started.push(service)
      return service
    }
    cells.service = await cells.start(options)
  })
  afterAll(async () => {
    await Promise.all(started.map((service) => service.stop()))
    await Promise.all([cells.eu1?.drop(), cells.eu2?.drop(), cells.eu3?.drop()])
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
