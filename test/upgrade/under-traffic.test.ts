import { rm } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { makeLogger } from '../../src/log.ts'
import { MigrationLockedOut, migrate } from '../../src/migration/migrate.ts'
import { newestMigration } from '../../src/migration/migrations.ts'
import { checkReadiness } from '../../src/service/readiness.ts'
import { testSecretKey, withClient } from '../support/server.ts'
import { useWorld } from '../support/world.ts'
import { additiveRelease, nextMigration } from './release.ts'

const world = useWorld({ poolSize: 4 })
const lines: string[] = []
const log = makeLogger({ level: 'warn', stream: { write: (line) => void lines.push(line) } })

let release: string
beforeAll(async () => {
  release = await additiveRelease()
})
afterAll(() => rm(release, { recursive: true, force: true }))

/** Clients that ask until they are told to stop; what they saw, by status. */
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

it('a migration that has to wait for a long transaction gives way, so that the queue behind it never waits long, and finally names the blocking session', async () => {
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
  expect(failure.message).toMatch(/^could not migrate within 2 s: other transactions hold a needed lock/)
  expect(failure.hint).toContain('pg_stat_activity')
  expect(Date.now() - began).toBeGreaterThan(1_000)
  expect(lines.join('')).toContain('nothing was migrated; retrying')
  // Behind a wait without a bound they would have run into their own timeouts.
  expect(Object.keys(seen)).toEqual(['200'])
  holding.abort()
  await held
})

it('the next release migrates while this one serves: no request fails, and this one stays ready', async () => {
  const stop = traffic(3)
  await sleep(200)
  const migrating = migrate(world.database.adminUrl, testSecretKey, log, release).finally(() => sleep(300))
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
