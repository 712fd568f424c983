import { chmod, readFile, stat } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { createPool, type Pool } from '../../src/database/pool.ts'
import { offersDemoSignIn, prepareEmbedded, rememberAccess } from '../../src/demo/prepare-demo.ts'
import { seedDemo } from '../../src/demo/seed.ts'
import { demoAccess, demoWasMade } from '../../src/demo/token.ts'
import { makeLogger } from '../../src/log.ts'
import { openDatabase } from '../../src/service/open-database.ts'
import { useFolder } from '../support/folder.ts'
import {
  asAdmin,
  asOwner,
  createTestDatabase,
  databaseUrl,
  type TestDatabase,
  testSecretKey,
  useDatabase,
  withClient,
} from '../support/server.ts'

const database = useDatabase()
const folder = useFolder()
let api: Pool
const log = makeLogger({ level: 'silent' })

const seed = (into: TestDatabase) =>
  seedDemo({ adminUrl: into.adminUrl, writerUrl: into.urlFor('studio_writer'), photosDir: folder.path })
const access = () => demoAccess(folder.path, database.adminUrl, api)

/** Rows of one demo studio; $1 is its name, `s` its row. */
async function rows(text: string, name = 'Northlight Studios'): Promise<Record<string, unknown>[]> {
  return (await asAdmin(database, (admin) => admin.query(text, [name]))).rows
}

/** Every row of everything that seeding writes, with its timestamps. */
async function everything(of: TestDatabase): Promise<unknown> {
  const ofItems = ['items', 'policy_assignments', 'maintenance_records', 'item_photos']
  const tables = ['studios', 'locations', 'policies', ...ofItems]
  return asAdmin(of, async (admin) => {
    const found: unknown[] = []
    for (const table of tables) {
      found.push((await admin.query(`select to_json(t) as row from app.${table} t order by 1::text`)).rows)
    }
    return found
  })
}

beforeAll(async () => {
  api = createPool(database.urlFor('studio_api'), {
    ...{ applicationName: 'test', size: 1, acquireTimeoutMs: 2_000, statementTimeoutMs: 5_000 },
    log,
  })
  await seed(database)
})

afterAll(() => api.close())

test('there are four studios: two on the Studio plan, one on a Pro trial, one whose plan has lapsed', async () => {
  const studios = await asAdmin(database, (admin) =>
    admin.query({
      text: `select s.name, u.status, access.entitled_plan(u) as entitled
       from app.studios s join access.subscriptions u on u.studio_id = s.id order by s.name`,
      rowMode: 'array',
    }),
  )
  expect(studios.rows).toEqual([
    ['Basement Tapes', 'trialing', 'pro'],
    ['Hollow Oak Recording', 'canceled', null],
    ['Kanal 9 Tonstudio', 'active', 'studio'],
    ['Northlight Studios', 'active', 'studio'],
  ])
})

test('Northlight has 250 items in use and 12 archived, in all 16 categories and at 8 locations', async () => {
  const [found] = await rows(
    `select count(*) filter (where i.archived_at is null)::integer as live,
       count(*) filter (where i.archived_at is not null)::integer as archived,
       count(distinct i.category)::integer as categories,
       (select count(*)::integer from app.locations l where l.studio_id = s.id) as locations
     from app.studios s join app.items i on i.studio_id = s.id where s.name = $1 group by s.id`,
  )
  expect(found).toEqual({ live: 250, archived: 12, categories: 16, locations: 8 })
})

test('Northlight looks lived in: tokens with weeks of requests, an audit log in order, months to close', async () => {
  const [found] = await rows(
    `select
       (select count(*)::int from access.tokens t where t.studio_id = s.id and t.revoked_at is not null) as revoked,
       (select count(*)::int from access.tokens t where t.studio_id = s.id
          and t.expires_at between now() and now() + interval '7 days') as expiring,
       (select count(*)::int from access.request_activity a where a.studio_id = s.id
          and a.at < now() - interval '3 weeks') > 50 as weeks,
       (select count(distinct l.event)::int from access.audit_log l where l.studio_id = s.id) as events,
       (select array_agg(l.at order by l.id) = array_agg(l.at order by l.at) from access.audit_log l
          where l.studio_id = s.id) as in_order,
       s.closes_since < now() - interval '1 year' as closes
     from app.studios s where s.name = $1`,
  )
  expect(found).toEqual({ revoked: 1, expiring: 1, weeks: true, events: 5, in_order: true, closes: true })
})

test('seeding again, or twice at once, changes nothing', async () => {
  const before = await everything(database)
  expect(await Promise.all([seed(database), seed(database)])).toEqual([[], []])
  expect(await everything(database)).toEqual(before)
})

test("somebody's own studio of the same name is left alone; one whose making was interrupted is filled", async () => {
  const other = await createTestDatabase()
  try {
    await asOwner(other, (owner) =>
      owner.query(
        `select access.create_studio('kanal 9 tonstudio', 'me@mine.example', 'Me'),
           access.create_studio('Northlight Studios', 'imogen@northlight.example', 'Imogen Hart')`,
      ),
    )
    expect(await seed(other)).toEqual(['Northlight Studios', 'Basement Tapes', 'Hollow Oak Recording'])
    const counts = await asAdmin(other, (admin) =>
      admin.query(
        `select s.name, count(i.id)::integer as items from app.studios s
         left join app.items i on i.studio_id = s.id group by s.id order by s.name collate "C"`,
      ),
    )
    expect(counts.rows).toEqual([
      { name: 'Basement Tapes', items: 35 },
      { name: 'Hollow Oak Recording', items: 43 },
      { name: 'Northlight Studios', items: 262 },
      { name: 'kanal 9 tonstudio', items: 0 },
    ])
  } finally {
    await other.drop()
  }
})

test('one token is issued, kept where only its owner can read it, and given again as long as it works', async () => {
  const first = await access()
  expect(first).toMatchObject({ studio: 'Northlight Studios', token: expect.stringMatching(/^svc_studio_\w{32}$/) })
  expect((await stat(folder.at('demo.json'))).mode & 0o777).toBe(0o600)
  expect(await access()).toEqual(first)
  expect(await demoWasMade(folder.path)).toBe(true)

  const shown = rememberAccess({ dataDir: folder.path }, database, api)
  expect(await shown()).toEqual(first)
  await asOwner(database, (owner) =>
    owner.query(`select access.revoke_token(t.studio_id, t.id, t.issued_by) from access.tokens t`),
  )
  // A service that is running hands it out no longer.
  expect(await shown()).toBeNull()
  const second = await access()
  expect(second?.token).not.toBe(first?.token)
  expect(await access()).toEqual(second)
})

test('a file that was cut short, or contains something else, is replaced and protected', async () => {
  const file = folder.at('demo.json')
  for (const content of ['{"studio": "North', '[]', '{"token": 1}']) {
    await folder.file('demo.json', content)
    await chmod(file, 0o644)
    const found = await access()
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual(found)
    expect((await stat(file)).mode & 0o777).toBe(0o600)
  }
})

test('a new database gets the demo, though the data folder has the token of an earlier one', async () => {
  expect(await demoWasMade(folder.path)).toBe(true)
  const name = `${database.name}_new`
  await asAdmin(database, (admin) => admin.query(`create database ${name}`))
  const config = { ...readConfig({ DATA_DIR: folder.path }), secretKey: testSecretKey }
  const opened = await openDatabase({ ...config, databaseUrl: databaseUrl(database.adminUrl, name) }, log)
  await prepareEmbedded(config, opened, log)
  const studios = await withClient(opened.adminUrl, (admin) => admin.query('select from app.studios'))
  expect(studios.rowCount).toBe(4)
})

const secretKey = 'a secret key that is long enough, for tests'
const own = { DATABASE_URL: 'postgresql://db.example/studio_inventory', SECRET_KEY: secretKey }
const issuer = {
  CONSOLE_ISSUER: 'https://id.example.com/',
  CONSOLE_CLIENT_ID: 'studio-inventory',
  CONSOLE_CLIENT_SECRET: 'a secret of the client',
  PUBLIC_URL: 'https://api.example.com',
}

test.each([
  ['with the embedded server', {}, true],
  ['with the embedded server without the console', { CONSOLE: 'false' }, false],
  ["with a database of one's own, where /console answers 404", own, false],
  ['with an identity provider, which does not know the demo users', { ...own, ...issuer }, false],
])('%s the demo leads to the console: %s', (_title, env, expected) => {
  expect(offersDemoSignIn(readConfig(env as Record<string, string>))).toBe(expected)
})
