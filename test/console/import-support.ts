import { afterAll, expect } from 'vitest'
import { createConsole } from '../../src/apps/console/console.ts'
import { createImports, type Imports } from '../../src/apps/console/import/imports.ts'
import type { startImport } from '../../src/apps/importer/process.ts'
import { testSecretKey } from '../support/server.ts'
import { useWorld } from '../support/world.ts'
import { type ConsoleWorld, generousConsole, method, type Page, signIn, type Visitor, visitorOf } from './support.ts'

/** What a process of an import would do, in this one. */
const here: typeof startImport = (job) => ({
  outcome: import('./import-here.ts').then(({ importHere }) => importHere(job)),
  end: async () => undefined,
})

export type ImportWorld = ConsoleWorld & {
  /** The page of the imports of a studio: A's when none is named. */
  path(studioId?: string): string
  /** Uploads a file by the form and follows the redirect to its preview. */
  preview(visitor: Visitor, file: Blob, fields?: Record<string, string>): Promise<Page & { at: string }>
  /** How many items of studio A have a name. */
  named(name: string): Promise<number | undefined>
}

/** Gives the test file a world whose console imports. To be called at the top of the file. @param run instead of a process */
export function useImports(run: typeof startImport = here): ImportWorld {
  let imports: Imports
  const world = useWorld({
    console: ({ url, ...parts }) => {
      imports = createImports({ writerUrl: world.database.urlFor('studio_writer'), photosDir: world.photosDir }, run)
      const config = { publicUrl: url, docsUrl: `${url}/docs`, console: generousConsole }
      return createConsole({ ...parts, config, secretKey: testSecretKey, method, imports })
    },
  }) as ImportWorld
  afterAll(() => imports?.close())
  world.path = (studioId = world.cast.a.id) => `/console/studios/${studioId}/import`
  world.as = async (person) => {
    const visitor = visitorOf(world.service)
    await signIn(visitor, person.email)
    await visitor.get('/console/studios')
    await visitor.get(world.path())
    return visitor
  }
  world.preview = async (visitor, file, fields = {}) => {
    const form = { kind: 'items', from: 'guess', ...fields }
    const sent = await visitor.upload(world.path(), form, { name: 'gear.csv', file })
    expect(sent.status, sent.text).toBe(303)
    const at = sent.location ?? ''
    return { ...(await visitor.get(at)), at }
  }
  world.named = (name) =>
    world
      .owner<{ n: number }>(
        `select set_config('studio.id', $1, true), (select count(*)::int from app.items where name = $2 and studio_id = $1::uuid) as n`,
        [world.cast.a.id, name],
      )
      .then(([row]) => row?.n)
  return world
}

/** A CSV file of these lines. */
export const csv = (...lines: string[]) => new Blob([`${lines.join('\n')}\n`], { type: 'text/csv' })

/** A CSV file of items: their names by their keys. */
export const items = (names: Record<string, string>) =>
  csv('external_key,name,category', ...Object.entries(names).map(([key, name]) => `${key},${name},Microphones`))

/** What a browser sends of the form of a page that has this button, when nothing is changed in it. */
export function formOf({ text }: Page, button: string): Record<string, string> {
  const form = text.split('<form').find((part) => part.split('</form>')[0]?.includes(`>${button}</button>`)) ?? ''
  const fields: Record<string, string> = {}
  for (const [, name = '', value = ''] of form.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)) {
    fields[name] = value.replaceAll('&amp;', '&')
  }
  for (const [, name = '', options = ''] of form.matchAll(/<select id="[^"]*" name="([^"]*)">(.*?)<\/select>/gs)) {
    const chosen = /<option value="([^"]*)" selected>/.exec(options) ?? /<option value="([^"]*)"/.exec(options)
    fields[name] = (chosen?.[1] ?? '').replaceAll('&amp;', '&')
  }
  return fields
}
