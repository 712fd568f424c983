import { afterAll, expect } from 'vitest'
import { createConsole } from '../../src/console/console.ts'
import { createImports, type Imports } from '../../src/console/import/imports.ts'
import { sqlState } from '../../src/database/errors.ts'
import { importFile } from '../../src/importer/import-file.ts'
import type { ProcessJob } from '../../src/importer/process.ts'
import { ImportFailed, type startImport } from '../../src/importer/process.ts'
import { testSecretKey } from '../support/server.ts'
import { useWorld } from '../support/world.ts'
import {
  type ConsoleWorld,
  generousConsole,
  method,
  type Page,
  rateLimits,
  signIn,
  type Visitor,
  visitorOf,
} from './support.ts'

/** Runs in this process what the console runs in one of its own. */
export async function importHere(job: ProcessJob) {
  try {
    return await importFile(structuredClone(job))
  } catch (error) {
    throw new ImportFailed((error as Error).message, (error as Error).name, sqlState(error))
  }
}
const here: typeof startImport = (job) => ({ outcome: importHere(job), end: async () => undefined })

/** Gives the test file a world with a console that imports. To be called at the top of the file.
 * @param run instead of this process */
export function useImportConsole(run = here) {
  let imports: Imports | undefined
  const world = useWorld({
    console: ({ url, ...parts }) => {
      imports = createImports({ writerUrl: world.database.urlFor('studio_writer'), photosDir: world.photosDir }, run)
      const config = { publicUrl: url, docsUrl: `${url}/docs`, rateLimits, console: generousConsole }
      return createConsole({ ...parts, config, secretKey: testSecretKey, method, imports })
    },
  }) as ConsoleWorld
  afterAll(() => imports?.close())
  const path = (studioId = world.cast.a.id) => `/console/studios/${studioId}/import`
  /** The items of studio A with a name. */
  async function rows<Row extends object>(columns: string, name: string): Promise<Row[]> {
    const [row] = await world.owner<{ rows: Row[] }>(
      `select set_config('studio.id', $1, true), (select coalesce(json_agg(r), '[]') from (
         select ${columns} from app.items where name = $2 and studio_id = $1::uuid) r) as rows`,
      [world.cast.a.id, name],
    )
    return row?.rows ?? []
  }
  return {
    world,
    /** Path of the import of a studio: A's when none is named. */
    path,
    /** A browser in which somebody is signed in, who has the page of imports before them. */
    async as(person: { email: string }): Promise<Visitor> {
      const visitor = visitorOf(world.service)
      await signIn(visitor, person.email)
      await visitor.get(path())
      return visitor
    },
    /** Uploads a file of items by the form and follows the redirect to its preview. */
    async preview(
      visitor: Visitor,
      file: Blob,
      { name = 'gear.csv', ...fields }: Record<string, string> = {},
    ): Promise<Page & { at: string }> {
      const sent = await visitor.upload(path(), { kind: 'items', from: 'guess', ...fields }, { name, file })
      expect(sent.status, sent.text).toBe(303)
      const at = sent.location ?? ''
      return { ...(await visitor.get(at)), at }
    },
    rows,
    /** How many items of studio A have a name. */
    named: async (name: string) => (await rows('id', name)).length,
  }
}
