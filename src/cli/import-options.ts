import { readFile, stat, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { categories } from '../domain/vocabulary.ts'
import type { DoubtName } from '../importer/doubts.ts'
import { categoriesIn, draftCategoriesFile } from '../importer/foreign/categories.ts'
import { mappingOf } from '../importer/foreign/mapping.ts'
import { tools } from '../importer/foreign/tools.ts'
import type { ImportJob } from '../importer/import-job.ts'
import type { Kind } from '../importer/kinds/kind.ts'
import { numbered } from '../importer/row-keys.ts'
import type { Outcome } from '../importer/run-import.ts'
import { requireConsent, type Terminal } from './dialogue.ts'
import { CommandError } from './failure.ts'
import type { NewCategoriesFile } from './import-output.ts'

export type ForeignOptions = {
  from?: string
  map?: string[]
  key?: string
  dates?: string
  decimal?: 'comma' | 'point'
  categories?: string
  accept?: DoubtName[]
  makeLocations: boolean
}

/** Reads the user's options for a file. Begins a file of categories that was named and does not exist.
 * @throws CommandError for an unreadable file or conflicting options; MappingRefused */
export async function foreignReading(kind: Kind | undefined, options: ForeignOptions) {
  const { dates, decimal, makeLocations, categories: path } = options
  requireFitting(kind, options)
  const said = options.map ?? []
  const tool = options.from === undefined ? undefined : tools[options.from]
  const text = path === undefined ? undefined : await readOrNothing(path)
  const job: Partial<ImportJob> = {
    formats: { ...(dates !== undefined && { dates }), ...(decimal !== undefined && { decimal }) },
    makeLocations,
    accepted: new Set(options.accept),
    ...(options.key !== undefined && { key: options.key }),
    ...(kind && (tool !== undefined || said.length > 0) && { mapping: mappingOf(kind, said, tool) }),
    ...(path !== undefined && text !== undefined && { categories: categoriesIn(text, path) }),
  }
  const beginCategories = async ({ unknownCategories }: Outcome): Promise<NewCategoriesFile> => {
    if (path === undefined || text !== undefined || !unknownCategories?.size) return undefined
    await writeFile(path, draftCategoriesFile(unknownCategories), { flag: 'wx' })
    return { path, categories: unknownCategories.size, ours: categories }
  }
  return { job, beginCategories }
}

function requireFitting(kind: Kind | undefined, options: ForeignOptions): void {
  const { from, map, key, dates, decimal, accept } = options
  const columns = from ?? map?.[0] ?? key ?? dates ?? decimal ?? accept?.[0]
  if (kind === undefined && columns !== undefined) throw new CommandError('photos have no columns, dates or amounts')
  const needs =
    options.categories !== undefined ? '--categories' : options.makeLocations ? '--make-locations' : undefined
  if (needs !== undefined && kind?.name !== 'items') throw new CommandError(`${needs} is for items`)
}

async function readOrNothing(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw new CommandError(`cannot read ${path}: ${error.message}`)
  })
}

/** The singular and plural of a kind that can be archived. @throws CommandError for another kind */
export function archivableNouns(name: string, kind: Kind | undefined, key?: string): readonly [string, string] {
  if (key === numbered) throw new CommandError('--archive-missing needs keys: with --key none every row is new')
  if (kind?.archivable) return kind.nouns
  throw new CommandError(
    `${name} cannot be archived, so --archive-missing does not work for them`,
    'It works for items and policies. An import never deletes anything.',
  )
}

/** @throws CommandError when the file does not exist or is a folder */
export async function requireReadable(path: string, kind: string): Promise<void> {
  const state = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(`cannot read ${path}: ${error.code === 'ENOENT' ? 'there is no such file' : error.message}`)
  })
  if (kind === 'photos' && !state.isDirectory()) throw new CommandError(`${path} is not a folder of photos`)
  if (kind !== 'photos' && state.isDirectory()) throw new CommandError(`${path} is a folder, not a CSV file`)
}

/** @throws CommandError when the report would overwrite the file */
export function requireOther(path: string, reportFile: string | undefined): void {
  if (reportFile !== undefined && resolve(reportFile) === resolve(path)) {
    throw new CommandError('the report would overwrite the file', 'Give another name to --report.')
  }
}

/** Says how many rows the import would archive, and asks for consent unless --yes was given. */
export function archivingAgreed(nouns: readonly [string, string], yes: boolean, tty?: Terminal) {
  return async (rows: number): Promise<true> => {
    const what = `${rows === 1 ? `1 ${nouns[0]} is` : `${rows} ${nouns[1]} are`} not in the file and will be archived.`
    await requireConsent({ what, yes, tty, nothing: 'Nothing was imported.' })
    return true
  }
}
