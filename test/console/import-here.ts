import { afterAll, expect } from 'vitest'
import { createImports, type Imports } from '../../src/console/import/imports.ts'
import { sqlState } from '../../src/database/errors.ts'
import type { ProcessJob } from '../../src/importer/import-process.ts'
import { ImportFailed, type startImport } from '../../src/importer/import-process.ts'
import { importUpload } from '../../src/importer/import-upload.ts'
import { consoleOf, type Page, useConsole, type Visitor } from './support.ts'

/** The console runs this in a process of its own; here it runs in the test's. */
export async function importHere(job: ProcessJob) {
  try {
    return await importUpload(structuredClone(job))
  } catch (error) {
    const { message, name, code, syscall } = error as NodeJS.ErrnoException
    throw new ImportFailed(message, syscall === undefined ? name : String(code), sqlState(error))
  }
}
const here: typeof startImport = (job) => ({ outcome: importHere(job), end: async () => undefined })

/** Gives the test file a world with a console that imports. To be called at the top of the file.
 * @param run instead of this process */
export function useImportConsole(run = here) {
  let imports: Imports | undefined
  const world = useConsole((parts) => {
    imports = createImports({ writerUrl: world.database.urlFor('studio_writer'), photosDir: world.photosDir }, run)
    return consoleOf()({ ...parts, imports })
  })
  afterAll(() => imports?.close())
  const path = (studioId?: string) => world.page('import', studioId)
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

/** A CSV file of these lines. */
export const csv = (...lines: string[]) => new Blob([`${lines.join('\n')}\n`], { type: 'text/csv' })

/** A CSV file of items: their names by their keys. */
export const items = (names: Record<string, string>) =>
  csv('external_key,name,category', ...Object.entries(names).map(([key, name]) => `${key},${name},Microphones`))

/** What a browser sends of the unchanged form that has this button. */
export function formOf({ text }: Page, button: string): Record<string, string> {
  const form = text.split('<form').find((part) => part.split('</form>')[0]?.includes(`>${button}</button>`)) ?? ''
  const fields: Record<string, string> = {}
  for (const [, name = '', value = ''] of form.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)) {
    fields[name] = value.replaceAll('&amp;', '&')
  }
  for (const [, name = ''] of form.matchAll(/<input name="([^"]*)" type="checkbox" value="on" checked>/g))
    fields[name] = 'on'
  for (const [, name = '', options = ''] of form.matchAll(/<select id="[^"]*" name="([^"]*)"[^>]*>(.*?)<\/select>/gs)) {
    const chosen = /<option value="([^"]*)" selected>/.exec(options) ?? /<option value="([^"]*)"/.exec(options)
    fields[name] = (chosen?.[1] ?? '').replaceAll('&amp;', '&')
  }
  return fields
}
