import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { MigrationLockedOut, migrate } from '../../src/database/migrate.ts'
import { makeLogger } from '../../src/observability/log.ts'
import { checkReadiness } from '../../src/process/readiness.ts'
import { testSecretKey, withClient } from '../support/server.ts'
import { useWorld } from '../support/world.ts'
import { nextMigration, nextRelease } from './release.ts'

const world = useWorld({ poolSize: 4 })
const lines: string[] = []
const log = makeLogger({ level: 'warn', stream: { write: (line) => void lines.push(line) } })
const source = (file: string) => readFile(join(import.meta.dirname, '../../sql', file), 'utf8')

let release: string
beforeAll(async () => {
  const view = await source('api_v1/views/locations.sql')
  release = await nextRelease(
    [
      'set local role studio_owner;',
      // A column of a large table, and a view that shows a new column.
      'alter table app.items add column shelf text;',
      'alter table app.locations add column floor integer not null default 0;',
      'grant select (floor) on app.locations to studio_api;',
      view.replace('l.updated_at\nfrom', 'l.updated_at, l.floor\nfrom'),
      // A function that becomes another object with the same name.
      'drop function api_v1.list_locations;',
      await source('api_v1/functions/list_locations.sql'),
      'grant execute on function api_v1.list_locations to studio_api;',
      await source('api_v1/functions/list_items.sql'),
      'reset role;',
    ].join('\n'),
  )
})
afterAll(() => rm(release, { recursive: true, force: true }))

/** Clients that ask one path after another until they are told to stop; what they saw, by status. */
function traffic(clients: number): () => Promise<Record<string, number>> {
  const paths = [
    '/v1/items',
    `/v1/items/${world.cast.a.items.microphone}`,
    '/v1/locations',
    '/v1/maintenance',
    '/v1/account',
  ]
  const seen: Record<string, number> = {}
  let going = true
  onTestFinished(() => {
    going = false
  })
  const asking = Array.from({ length: clients }, async (_, client) => {
    for (let turn = client; going; turn++) {
      const { status } = await world.get(paths[turn % paths.length] ?? '')
      seen[status] = (seen[status] ?? 0) + 1
    }
  })
  return async () => {
    going = false
    await Promise.all(asking)
    return seen
  }
}

describe('a migration that has to wait for a long transaction', () => {
  it('gives in, so that nobody behind it waits for long, and in the end says who has to end', async () => {
    const holding = new AbortController()
    onTestFinished(() => holding.abort())
    const held = withClient(world.database.adminUrl, async (client) => {
      await client.query('begin')
      await client.query('select count(*) from app.items')
      await sleep(60_000, undefined, { signal: holding.signal }).catch(() => undefined)
    })
    await expect.poll(() => locksOnItems()).toBeGreaterThan(0)
    const stop = traffic(3)
    const began = Date.now()
    const failure = await migrate(world.database.adminUrl, testSecretKey, log, release, 2_000).catch((error) => error)
    const seen = await stop()
    expect(failure).toBeInstanceOf(MigrationLockedOut)
    expect(failure.message).toMatch(/^could not migrate within 2 s: others hold what has to be locked/)
    expect(failure.hint).toContain('pg_stat_activity')
    expect(Date.now() - began).toBeGreaterThan(1_000)
    expect(lines.join('')).toContain('nothing was migrated; trying again')
    // Behind a wait without a bound they would have run into their own timeouts.
    expect(Object.keys(seen)).toEqual(['200'])
    holding.abort()
    await held
  })
})

describe('the next release', () => {
  it('is not ready on the schema of this one, and says which migration is missing', async () => {
    const state = await checkReadiness(world.service.api, nextMigration)
    expect(state.ready).toBe(false)
    expect(!state.ready && state.reason).toMatch(
      /^the database is not up to date \(it has 0\d{5}\.sql, this release needs 999999\.sql\): run studio-inventory migrate$/,
    )
  })

  it('migrates while this one serves: no request fails', async () => {
    const stop = traffic(6)
    await sleep(300)
    const migrating = migrate(world.database.adminUrl, testSecretKey, log, release).finally(() => sleep(500))
    const [seen, migrated] = [await migrating.then(stop, stop), await migrating]
    expect(migrated).toEqual([nextMigration])
    expect(Object.keys(seen)).toEqual(['200'])
    expect(seen[200]).toBeGreaterThan(50)
  })

  it('leaves this one ready: its processes go on beside the new schema', async () => {
    expect((await world.get('/readyz')).json).toEqual({ status: 'ready', schema_version: nextMigration })
    expect(await checkReadiness(world.service.api, nextMigration)).toEqual({
      ready: true,
      schemaVersion: nextMigration,
    })
  })
})

async function locksOnItems(): Promise<number> {
  const held = `select count(*) from pg_locks where relation = 'app.items'::regclass and granted`
  return withClient(world.database.adminUrl, async (client) => Number((await client.query(held)).rows[0].count))
}
