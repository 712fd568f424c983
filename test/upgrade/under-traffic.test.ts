import { rm } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { makeLogger } from '../../src/log.ts'
import { MigrationLockedOut, migrate } from '../../src/migration/migrate.ts'
import { newestMigration, pendingMigrations } from '../../src/migration/migrations.ts'
import { checkReadiness } from '../../src/service/readiness.ts'
import { testSecretKey, withClient } from '../support/server.ts'
import { useWorld } from '../support/world.ts'
import { additiveRelease, nextMigration } from './release.ts'

vi.setConfig({ testTimeout: 120_000 })

const world = useWorld({ poolSize: 4 })
const lines: string[] = []
const log = makeLogger({ level: 'warn', stream: { write: (line) => void lines.push(line) } })

let release: string
beforeAll(async () => {
  release = await additiveRelease()
})
afterAll(() => rm(release, { recursive: true, force: true }))

/** Clients that ask until the test stops them. Returns what they saw, by status. */
function traffic(clients: number): () => Promise<Record<string, number>> {
  const paths = ['', `/${world.cast.a.items.microphone}`].map((path) => `/v1/items${path}`)
  paths.push('/v1/locations', '/v1/maintenance', '/v1/account')
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

/** A transaction that has read the items, and stays open until the function is called. */
async function reading(): Promise<() => Promise<void>> {
  const holding = new AbortController()
  onTestFinished(() => holding.abort())
  const held = withClient(world.database.adminUrl, async (client) => {
    await client.query('begin')
    await client.query('select count(*) from app.items')
    await sleep(60_000, undefined, { signal: holding.signal }).catch(() => undefined)
  })
  await expect.poll(() => locksOnItems()).toBeGreaterThan(0)
  return () => {
    holding.abort()
    return held
  }
}

it('a migration that waits too long for a transaction ends, and names the query that finds its session', async () => {
  const end = await reading()
  const failure = await migrate(world.database.adminUrl, testSecretKey, log, release, 100).catch((error) => error)
  expect(failure).toBeInstanceOf(MigrationLockedOut)
  expect(failure.message).toMatch(/^could not migrate within 0.1 s: other transactions hold a needed lock/)
  expect(failure.hint).toContain('pg_stat_activity')
  expect(await pendingMigrations(world.database.adminUrl, release)).toEqual([nextMigration])
  await end()
})

it('the next release migrates while this one serves: it gives way to a long transaction, no request fails, and this one stays ready', async () => {
  const end = await reading()
  const stop = traffic(3)
  const migrating = migrate(world.database.adminUrl, testSecretKey, log, release).finally(() => sleep(300))
  // Behind a wait without a bound, the requests would run into their own timeouts.
  await expect.poll(() => lines.join(''), { timeout: 30_000 }).toContain('nothing was migrated; retrying')
  await end()
  const [seen, migrated] = [await migrating.then(stop, stop), await migrating]
  expect(migrated).toEqual([nextMigration])
  expect(Object.keys(seen)).toEqual(['200'])
  expect(seen[200]).toBeGreaterThan(50)
  expect((await world.get('/readyz')).json).toEqual({ status: 'ready', schema_version: nextMigration })
  const ready = { ready: true, schemaVersion: nextMigration }
  expect(await checkReadiness(world.service.api, await newestMigration(release))).toEqual(ready)
})

async function locksOnItems(): Promise<number> {
  const held = `select count(*) from pg_locks where relation = 'app.items'::regclass and granted`
  return withClient(world.database.adminUrl, async (client) => Number((await client.query(held)).rows[0].count))
}
