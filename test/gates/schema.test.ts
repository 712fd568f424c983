import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { compile } from 'graphile-migrate'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { asAdmin, createTestDatabase, type TestDatabase } from '../support/server.ts'
import { dumpSchema, surfaceOf } from './dump.ts'

const root = join(import.meta.dirname, '../..')
const manifest = readFile(join(root, 'sql/all.sql'), 'utf8')

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

// After an intended change: npx vitest run test/gates -u, and read the difference.
describe('the schema', () => {
  it('made by the committed migrations on an empty database equals the checked-in dump', async () => {
    const dump = await dumpSchema(database)
    await expect(`${dump.join('\n')}\n`).toMatchFileSnapshot('schema.txt')
  })

  it('shows outsiders exactly the checked-in surface', async () => {
    const surface = surfaceOf(await dumpSchema(database))
    await expect(`${surface.join('\n')}\n`).toMatchFileSnapshot('surface.txt')
  })

  it('is not changed by running sql/all.sql again: sql/ is what is installed, and it can be run again', async () => {
    const before = await dumpSchema(database)
    const text = await compile(
      {
        connectionString: database.adminUrl,
        databaseOwner: 'studio_owner',
        migrationsFolder: join(root, 'migrations'),
      },
      await manifest,
    )
    await asAdmin(database, (admin) => admin.query(`begin; ${text}; commit`))
    expect(await dumpSchema(database)).toEqual(before)
  })
})

describe('the manifest', () => {
  it('names every file of sql/ once and no other', async () => {
    const included = [...(await manifest).matchAll(/^--!include (\S+)$/gm)].map((match) => match[1])
    const files = (await readdir(join(root, 'sql'), { recursive: true })).filter(
      (file) => file.endsWith('.sql') && file !== 'all.sql',
    )
    expect(included.toSorted()).toEqual(files.toSorted())
  })

  it('is the folder that migrations include from', async () => {
    const viaMigrations = await readFile(join(root, 'migrations/fixtures/all.sql'), 'utf8')
    expect(viaMigrations).toBe(await manifest)
  })
})
