import { afterAll, beforeAll, expect, it } from 'vitest'
import { createPool, type Pool } from '../../src/database/pool.ts'
import { type RunStatement, withAnalyst } from '../../src/graphql/analyst-transaction.ts'
import { makeLogger } from '../../src/log.ts'
import type { Cast } from '../support/cast.ts'
import { createCastDatabase } from '../support/cast-database.ts'
import type { TestDatabase } from '../support/server.ts'

let database: TestDatabase
let cast: Cast
let pool: Pool
beforeAll(async () => {
  ;({ database, cast } = await createCastDatabase())
  // As if the role had not been told to read only, and to begin no transaction in this way.
  const url = new URL(database.urlFor('studio_graphql'))
  url.searchParams.set('options', '-c default_transaction_read_only=off -c default_transaction_isolation=serializable')
  pool = createPool(url.href.replaceAll('+', '%20'), {
    applicationName: 'test studio_graphql',
    size: 1,
    acquireTimeoutMs: 2_000,
    statementTimeoutMs: 5_000,
    log: makeLogger({ level: 'silent' }),
  })
})
afterAll(async () => {
  await pool?.close()
  await database?.drop()
})

/** Does something in the transaction of the owner of studio A. */
function asOwner<Result>(work: (run: RunStatement) => Promise<Result>) {
  const analyst = { studioId: cast.a.id, userId: cast.a.people.owner.id, email: null }
  return withAnalyst(pool, analyst, { timeMs: 5_000, bytes: 1_000_000 }, work)
}

it("an analyst's transaction reads one snapshot and never writes", async () => {
  const text = `select current_setting('default_transaction_read_only') as read_only`
  const before = await pool.query({ name: 'default', text })
  expect(before).toEqual([{ read_only: 'off' }])
  const { result } = await asOwner(async (run) => {
    const { rows } = await run(
      `select current_setting('transaction_read_only') as read_only, current_setting('transaction_isolation') as isolation`,
    )
    return rows
  })
  expect(result).toEqual([{ read_only: 'on', isolation: 'repeatable read' }])
  await expect(asOwner((run) => run('create temporary table t ()'))).rejects.toThrow('SQLSTATE 25006')
})
