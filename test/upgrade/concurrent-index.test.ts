import { rm } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeEach, expect, it, vi } from 'vitest'
import { makeLogger } from '../../src/log.ts'
import { MigrationLockedOut, migrate } from '../../src/migration/migrate.ts'
import { newestMigration, pendingMigrations } from '../../src/migration/migrations.ts'
import { checkReadiness } from '../../src/service/readiness.ts'
import { testSecretKey, withClient } from '../support/server.ts'
import { useWorld } from '../support/world.ts'
import { concurrentIndex as index, nextMigration, nextRelease } from './release.ts'

vi.setConfig({ testTimeout: 120_000 })

const world = useWorld()
const lines: string[] = []
const log = makeLogger({ level: 'info', stream: { write: (line) => void lines.push(line) } })
const folders: string[] = []
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true }))))

const column =
  'set local role studio_owner;\nalter table app.locations add column if not exists floor text;\nreset role;\n'
let release: string
let endWriting = async () => {}

/** A folder with the migrations of this release and these. */
async function releaseOf(...bodies: string[]): Promise<string> {
  const folder = await nextRelease(...bodies)
  folders.push(folder)
  return folder
}

beforeEach(async () => {
  lines.length = 0
  release = await releaseOf(index)
})
afterEach(async () => {
  await endWriting()
  await admin(`drop index if exists app.items_by_own_name;
    delete from graphile_migrate.migrations where filename > '000999.sql'`)
})

const run = (lockTimeoutMs?: number, folder = release) =>
  migrate(world.database.adminUrl, testSecretKey, log, folder, lockTimeoutMs)

async function admin<Row extends object>(text: string): Promise<Row[]> {
  return withClient(world.database.adminUrl, async (client) => (await client.query<Row>(text)).rows)
}

/** Whether the index can be used; undefined when there is none. */
async function isUsable(): Promise<boolean | undefined> {
  const [row] = await admin<{ usable: boolean }>(
    `select indisvalid as usable from pg_index where indexrelid = to_regclass('app.items_by_own_name')`,
  )
  return row?.usable
}

/** A transaction that has written a row of the table and stays open until the function is called. */
async function writing(): Promise<() => Promise<void>> {
  const { promise: told, resolve: tell } = Promise.withResolvers<void>()
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
  const writer = world.write(async (transaction) => {
    await transaction.query(`update app.items set name = 'Written' where id = $1`, [world.cast.a.items.microphone])
    begin()
    await told
  })
  endWriting = async () => {
    tell()
    await writer
  }
  await Promise.race([begun, writer])
  return endWriting
}

/** Waits until the server has begun the index, which waits for the open transaction. */
const untilBuilding = () => expect.poll(isUsable, { timeout: 60_000 }).toBe(false)

it('people write the table while a migration builds an index of it, and requests are served', async () => {
  const end = await writing()
  const migrating = run(undefined, await releaseOf(column, index))
  await Promise.race([migrating, untilBuilding()])
  for (const name of ['First', 'Second']) await world.add('items', { name })
  expect((await world.get('/v1/items')).status).toBe(200)
  expect(await isUsable()).toBe(false)
  await end()
  expect(await migrating).toEqual(['999998.sql', nextMigration])
  expect(await isUsable()).toBe(true)
})

it('an interrupted build leaves an index that nothing uses, and the next run replaces it', async () => {
  const end = await writing()
  const migrating = run().catch((error: Error) => error)
  await untilBuilding()
  await admin(
    `select pg_terminate_backend(pid) from pg_stat_activity where query like '%index concurrently%items_by_own_name%' and pid <> pg_backend_pid()`,
  )
  expect(await migrating).toMatchObject({ message: expect.stringContaining('terminat') })
  await end()
  expect(await isUsable()).toBe(false)
  expect(await pendingMigrations(world.database.adminUrl, release)).toEqual([nextMigration])
  expect(await checkReadiness(world.service.api, await newestMigration(release))).toMatchObject({ ready: false })
  expect((await world.get('/readyz')).json).toMatchObject({ status: 'ready' })
  expect(await run()).toEqual([nextMigration])
  expect(await isUsable()).toBe(true)
  expect(lines.join('')).toContain('drops an index that was not finished')
})

it('a build waits for a long transaction no longer than the caller allows, and says what to do', async () => {
  const end = await writing()
  const failure = await run(1_500).catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(MigrationLockedOut)
  expect((failure as MigrationLockedOut).hint).toContain('pg_stat_activity')
  await end()
  expect(await run()).toEqual([nextMigration])
  expect(await isUsable()).toBe(true)
})

it('a build whose process was killed goes on in the server: the next run waits for it and keeps the index', async () => {
  const end = await writing()
  const orphan = withClient(world.database.adminUrl, async (client) => {
    // As graphile-migrate's session has it.
    await client.query('select pg_advisory_lock(4727445306447283)')
    await client.query(index)
  })
  await untilBuilding()
  const migrating = run()
  await expect(Promise.race([migrating, sleep(500)])).resolves.toBeUndefined()
  await end()
  await orphan
  expect(await migrating).toEqual([nextMigration])
  expect(await isUsable()).toBe(true)
  expect(lines.join('')).not.toContain('drops an index')
})

it('a migration without a transaction that does anything else is refused before anything runs', async () => {
  const unsafe = [
    'create index concurrently items_by_own_name on app.items (shelf);',
    `${index.replace('--! no-transaction', '')}analyze app.items;`,
    'vacuum app.items;',
  ]
  for (const body of unsafe) {
    const folder = await releaseOf(column, `--! no-transaction\n${body}\n`)
    await expect(run(undefined, folder)).rejects.toThrow(
      `${nextMigration} cannot run without a transaction: write one statement, create index concurrently if not exists`,
    )
  }
  expect(await pendingMigrations(world.database.adminUrl)).toEqual([])
})
