import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createPool, type Pool } from '../../src/database/pool.ts'
import { rememberAccess } from '../../src/demo/prepare-demo.ts'
import { seedDemo } from '../../src/demo/seed.ts'
import { demoAccess, demoWasMade } from '../../src/demo/token.ts'
import { makeLogger } from '../../src/log.ts'
import { asOwner, createTestDatabase, type TestDatabase } from '../support/server.ts'

let database: TestDatabase
let folder: string
let api: Pool

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'studio-inventory-demo-'))
  database = await createTestDatabase()
  api = createPool(database.urlFor('studio_api'), {
    ...{ applicationName: 'test', size: 1, acquireTimeoutMs: 2_000, statementTimeoutMs: 5_000 },
    log: makeLogger({ level: 'silent' }),
  })
})

afterAll(async () => {
  await api.close()
  await database.drop()
  await rm(folder, { recursive: true, force: true })
})

const access = () => demoAccess(folder, database.adminUrl, api)

test('without the demo studio there is no token, and nothing is kept', async () => {
  expect(await access()).toBeNull()
  expect(await demoWasMade(folder)).toBe(false)
})

test('one token is issued, kept where only its owner can read it, and given again as long as it works', async () => {
  await seedDemo({ adminUrl: database.adminUrl, writerUrl: database.urlFor('studio_writer'), photosDir: folder })
  const first = await access()
  expect(first).toMatchObject({ studio: 'Northlight Studios', token: expect.stringMatching(/^svc_studio_\w{32}$/) })
  expect((await stat(join(folder, 'demo.json'))).mode & 0o777).toBe(0o600)
  expect(await access()).toEqual(first)
  expect(await demoWasMade(folder)).toBe(true)

  const shown = rememberAccess({ dataDir: folder }, database, api)
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
  const file = join(folder, 'demo.json')
  for (const content of ['{"studio": "North', '[]', '{"token": 1}']) {
    await writeFile(file, content)
    await chmod(file, 0o644)
    const found = await access()
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual(found)
    expect((await stat(file)).mode & 0o777).toBe(0o600)
  }
})
