import { readFile, writeFile } from 'node:fs/promises'
import { beginning, categoriesIn } from '../../apps/importer/foreign/categories.ts'
import { mappingOf, pairsIn } from '../../apps/importer/foreign/mapping.ts'
import { tools } from '../../apps/importer/foreign/tools.ts'
import type { Kind } from '../../apps/importer/kinds/kind.ts'
import type { Outcome } from '../../apps/importer/run.ts'
import type { ImportJob } from '../../apps/importer/work.ts'
import { categories } from '../../domain/vocabulary.ts'
import { CommandError } from '../failure.ts'

/** What the user says of a file that is in another form. */
export type ForeignOptions = {
  from?: string
  map?: string[]
  mapFile?: string
  dates?: string
  decimal?: 'comma' | 'point'
  categories?: string
  makeLocations: boolean
}

/** A file of categories that was begun, with the categories that are ours. */
export type Begun = { path: string; categories: number; ours: readonly string[] } | undefined

/**
 * Reads what the user says of a file: for the importer, and what begins a file of categories that was named and does not exist.
 *
 * @throws CommandError for a file that cannot be read, or options that do not fit; MappingRefused
 */
export async function foreignReading(kind: Kind | undefined, options: ForeignOptions) {
  const { dates, decimal, makeLocations, categories: path } = options
  requireFitting(kind, options)
  const said = [...(await pairsOf(options.mapFile)), ...(options.map ?? [])]
  const tool = options.from === undefined ? undefined : tools[options.from]
  const text = path === undefined ? undefined : await readOrNothing(path)
  const job: Partial<ImportJob> = {
    formats: { ...(dates !== undefined && { dates }), ...(decimal !== undefined && { decimal }) },
    makeLocations,
    ...(kind && (tool !== undefined || said.length > 0) && { mapping: mappingOf(kind, said, tool) }),
    ...(path !== undefined && text !== undefined && { categories: categoriesIn(text, path) }),
  }
  const beginCategories = async ({ unknownCategories }: Outcome): Promise<Begun> => {
    if (path === undefined || text !== undefined || !unknownCategories?.size) return undefined
    await writeFile(path, beginning(unknownCategories), { flag: 'wx' })
    return { path, categories: unknownCategories.size, ours: categories }
  }
  return { job, beginCategories }
}

function requireFitting(kind: Kind | undefined, options: ForeignOptions): void {
  const columns = options.from ?? options.mapFile ?? options.map?.[0] ?? options.dates ?? options.decimal
  if (kind === undefined && columns !== undefined) throw new CommandError('photos have no columns, dates or amounts')
  const [needs] = [
    ...(options.categories === undefined ? [] : ['--categories']),
    ...(options.makeLocations ? ['--make-locations'] : []),
  ]
  if (needs !== undefined && kind?.name !== 'items') throw new CommandError(`${needs} is for items`)
}

async function pairsOf(path: string | undefined): Promise<string[]> {
  if (path === undefined) return []
  const text = await readOrNothing(path)
  if (text === undefined) throw new CommandError(`cannot read ${path}: there is no such file`)
  return pairsIn(text)
}

async function readOrNothing(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw new CommandError(`cannot read ${path}: ${error.message}`)
  })
}
