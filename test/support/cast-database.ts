import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, inject } from 'vitest'
import { type Cast, createStudios, type Studios, withAnalysts } from './cast.ts'
import { createTestDatabase, dropDatabase, type TestDatabase, withClient } from './server.ts'

/** Copies the run's database with the cast. The analysts' logins belong to the copy. Drop it at the
 * end. */
export async function createCastDatabase(): Promise<{ database: TestDatabase; cast: Cast }> {
  const { template, studios } = await templateWithCast()
  const database = await createTestDatabase(template)
  return { database, cast: await withAnalysts(database, studios) }
}

export type Stage = { database: TestDatabase; cast: Cast }

/** Gives the test file a database of its own with the cast. Call it at the top of the file. */
export function useCast(): Stage {
  const stage = {} as Stage
  beforeAll(async () => {
    Object.assign(stage, await createCastDatabase())
  })
  afterAll(() => stage.database?.drop())
  return stage
}

/** The database to copy, made when nobody has made it, and who is in it. */
async function templateWithCast(): Promise<{ template: string; studios: Studios }> {
  const { adminUrl, run, folder } = inject('testServer')
  const template = `${run}_cast`
  const file = join(folder, 'cast.json')
  const written = await readStudios(file)
  if (written) return { template, studios: written }
  return withClient(adminUrl, async (admin) => {
    // One worker makes the database. The others wait until it has made it or failed.
    await admin.query('select pg_advisory_lock(hashtextextended($1, 0))', [template])
    const made = await readStudios(file)
    if (made) return { template, studios: made }
    await dropDatabase(admin, template)
    const studios = await createStudios(await createTestDatabase(undefined, template))
    await admin.query(`alter database ${template} allow_connections false`)
    await writeFile(file, JSON.stringify(studios))
    return { template, studios }
  })
}

async function readStudios(file: string): Promise<Studios | undefined> {
  const text = await readFile(file, 'utf8').catch(() => undefined)
  return text === undefined ? undefined : (JSON.parse(text) as Studios)
}
