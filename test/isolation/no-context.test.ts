import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import { describe, expect, it } from 'vitest'
import type { Operation } from '../../src/api/operation.ts'
import { operations } from '../../src/api/operations.ts'
import { readParameters } from '../../src/api/parameters.ts'
import { statementFor } from '../../src/api/read.ts'
import { digestOf } from '../../src/auth/token.ts'
import { queryOperation } from '../../src/database/operation-row.ts'
import { createPool } from '../../src/database/pool.ts'
import type { LoginRole } from '../../src/database/roles.ts'
import { makeLogger } from '../../src/log.ts'
import { useCast } from '../support/cast-database.ts'
import { asRole } from '../support/server.ts'
import { readAll, readableViews } from './support.ts'

const stage = useCast()

/** Values of the setting that name no studio. At first it has none. */
const settings: Record<string, () => string | undefined> = {
  'no setting': () => undefined,
  'an empty setting': () => '',
  garbage: () => `'; drop table app.items; --`,
  'an unknown studio': () => randomUUID(),
  'an id in braces': () => `{${stage.cast.a.id}}`,
  'an id in capitals': () => stage.cast.a.id.toUpperCase(),
  'an id with a hyphen elsewhere': () => stage.cast.a.id.replace(/^(.{7})(.)-/, '$1-$2'),
  'a wildcard': () => '%',
}

const tables = [
  ...['items', 'locations', 'policies', 'policy_assignments', 'maintenance_records', 'item_photos'],
  ...['market_values', 'depreciation_changes'],
]

/** Runs `work` in a session of a login, with one value of the setting after the other. */
const withEach = (role: LoginRole, work: (client: pg.Client, what: string) => Promise<void>) =>
  asRole(stage.database, role, async (client) => {
    for (const [what, setting] of Object.entries(settings)) {
      await set(client, setting())
      await work(client, what)
    }
  })

describe('a session that names no studio', () => {
  it.each(['studio_api', 'studio_graphql'] as const)('of %s reads views without a row or an error', (role) =>
    withEach(role, async (client, what) => {
      const seen = await readAll(client)
      expect(Object.keys(seen).length).toBeGreaterThanOrEqual(6)
      expect(Object.values(seen).flat(), what).toEqual([])
    }),
  )

  it('of studio_writer reads and changes nothing', () =>
    withEach('studio_writer', async (client, what) => {
      for (const table of tables) expect((await client.query(`select * from app.${table}`)).rows, what).toEqual([])
      expect((await client.query(`update app.items set name = 'seen'`)).rowCount, what).toBe(0)
    }))
})

it('an operation with an unknown token answers 401, even if its session names a studio', async () => {
  await asRole(stage.database, 'studio_api', async (client) => {
    await set(client, stage.cast.a.id)
    for (const operation of operations) {
      const { statement, values } = question(operation, 'svc_studio_unknown')
      const { rows } = await client.query(statement.text, values)
      expect(rows, operation.id).toEqual([expect.objectContaining({ status: 401, token_id: null, studio_id: null })])
      expect(rows[0].data || null).toBeNull()
    }
  })
})

it('a studio that is named is seen, so that seeing nothing proves something', async () => {
  for (const role of ['studio_api', 'studio_graphql'] as const) {
    await asRole(stage.database, role, async (client) => {
      await set(client, stage.cast.a.id)
      for (const [view, rows] of Object.entries(await readAll(client))) expect(rows, view).not.toHaveLength(0)
    })
  }
})

it('a request’s studio is gone with its statement: the next one on the same connection sees nothing', async () => {
  const pool = createPool(stage.database.urlFor('studio_api'), {
    ...{ applicationName: 'one connection', size: 1, acquireTimeoutMs: 5000, statementTimeoutMs: 5000 },
    log: makeLogger({ level: 'silent', fileDescriptor: 2 }),
  })
  try {
    const views = await asRole(stage.database, 'studio_api', readableViews)
    for (const operation of operations) {
      const { statement, values } = question(operation, stage.cast.a.token.token)
      const answer = await queryOperation(pool, statement, values)
      expect(answer.status, operation.id).toBe(200)

      for (const view of views) {
        const text = `select (select count(*) from ${view})::int as rows, current_setting('studio.id', true) as studio`
        const [left] = await pool.query<{ rows: number; studio: string }>({ name: `bare ${view}`, text })
        expect(left, `${view} after ${operation.id}`).toEqual({ rows: 0, studio: '' })
      }
    }
    expect(pool.stats().size).toBe(1)
  } finally {
    await pool.close()
  }
})

/** The token's digest, no filters, and A's microphone or its policy. */
function question(operation: Operation, token: string) {
  const { items, policies } = stage.cast.a
  const { values } = readParameters(operation.parameters, '')
  const id = operation.path.startsWith('/policies') ? policies.active : items.microphone
  return statementFor(operation, { digest: digestOf(token), address: null, id, values, position: null })
}

async function set(client: pg.Client, studio: string | undefined): Promise<void> {
  if (studio !== undefined) await client.query(`select set_config('studio.id', $1, false)`, [studio])
}
