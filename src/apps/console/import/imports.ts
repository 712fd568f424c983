import { createHash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ProcessJob, ProcessOutcome } from '../../importer/messages.ts'
import { startImport } from '../../importer/process.ts'
import { inCell } from '../../report/reports.ts'
import type { Upload } from './choices.ts'

/** How many imports a process runs at once: each has a process and a connection of its own. */
const maxAtOnce = 2

/** After how long an import is ended, in milliseconds: it keeps a transaction open. */
const timeoutMs = 5 * 60_000

/** An import is not run because too many are: `studio` is one of the same studio. */
export class ImportBusy extends Error {
  override name = 'ImportBusy'
  readonly reason: 'studio' | 'all'

  constructor(reason: 'studio' | 'all') {
    super('too many imports are running')
    this.reason = reason
  }
}

/** Who confirmed an import. */
export type Confirmation = { session: Buffer; digest: Buffer }

/** The id of a studio, and the name of its cell where there are several. */
export type ImportedStudio = { id: string; cell?: string }

/** How studios are written: by `writerUrl`, or where there are several cells by that of the studio's. */
export type ImportsOptions = Pick<ProcessJob, 'writerUrl' | 'photosDir'> & {
  writerUrls?: Readonly<Record<string, string>>
}

/** Runs imports for the console: one at a time for a studio, and few for all. */
export type Imports = {
  /** Imports an upload if it is confirmed, else only says what it would do. @throws ImportBusy; ImportFailed; OutOfMemory */
  run(studio: ImportedStudio, upload: Upload, confirmation?: Confirmation): Promise<ProcessOutcome>
  /** Ends the imports that are running; nothing of them is written. */
  close(): Promise<void>
}

export function createImports({ writerUrls = {}, ...options }: ImportsOptions, start = startImport): Imports {
  const running = new Map<string, ReturnType<typeof startImport> | null>()
  return {
    async run({ id: studioId, cell }, upload, confirmation) {
      const writerUrl = inCell(cell, options.writerUrl, writerUrls)
      if (running.has(studioId)) throw new ImportBusy('studio')
      if (running.size >= maxAtOnce) throw new ImportBusy('all')
      running.set(studioId, null)
      const folder = await mkdtemp(join(tmpdir(), 'studio-inventory-import-')).catch((error) => {
        running.delete(studioId)
        throw error
      })
      try {
        const path = join(folder, 'upload')
        await writeFile(path, upload.content, { mode: 0o600 })
        const started = start({ ...options, writerUrl, studioId, path, ...jobOf(upload, confirmation) }, timeoutMs)
        running.set(studioId, started)
        return await started.outcome
      } finally {
        running.delete(studioId)
        await rm(folder, { recursive: true, force: true })
      }
    },
    async close() {
      await Promise.all([...running.values()].map((started) => started?.end()))
    },
  }
}

function jobOf({ content, choices }: Upload, confirmation: Confirmation | undefined) {
  const { kind, file, from, dates, decimal, makeLocations, columns, categories } = choices
  const sha256 = createHash('sha256').update(content).digest('hex')
  return {
    kindName: kind,
    choice: { from, said: columns.map(([theirs, ours]) => `${theirs}=${ours}`) },
    formats: { ...(dates !== '' && { dates }), ...(decimal !== '' && { decimal }) },
    makeLocations,
    categories: new Map(categories.map(([theirs, ours]) => [theirs.trim().toLowerCase(), ours])),
    ...(confirmation && {
      confirmed: {
        session: confirmation.session.toString('hex'),
        digest: confirmation.digest.toString('hex'),
        summary: { file, sha256 },
      },
    }),
  } satisfies Partial<ProcessJob>
}
