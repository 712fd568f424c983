import { createHash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Busy, OutOfMemory, requireTurn } from '../../child-process/start-child.ts'
import { StatementFailed } from '../../database/errors.ts'
import type { Shown } from '../../importer/changes.ts'
import { ImportFailed, type ProcessJob, type ProcessOutcome, startImport } from '../../importer/import-process.ts'
import { PageError } from '../guards.ts'
import { type Archives, createArchives } from './archives.ts'
import type { Upload } from './choices.ts'

/** After how long an import is ended, in milliseconds: it keeps a transaction open. */
export const importTimeoutMs = 5 * 60_000

/** The most rows of a file. More take longer than the time limit on a busy machine. */
export const maxRows = 200_000

/** Files up to this size, in bytes, have turns of their own, so that large ones do not keep them waiting. */
const smallFile = 256 * 1024

/** How long to wait for the studio's dry run, which ends when its page is left or reloaded. */
const dryRunWaitMs = 2_000

/** Who confirmed an import. */
type Confirmation = { session: Buffer; digest: Buffer }

/** How studios are written. */
type ImportsOptions = Pick<ProcessJob, 'writerUrl' | 'photosDir'> & { photos?: boolean }

/** Runs imports for the console: one at a time for a studio, and for all
 * studios two of small files and two of large ones. */
export type Imports = {
  /** Photos are files of this service, not in a bucket. */
  photos: boolean
  archives: Archives
  /** Imports a confirmed upload, else says what it would do. @param how `until` ends it when it
   * aborts
   * @throws Busy; ImportFailed; OutOfMemory */
  run(
    studioId: string,
    upload: Upload,
    how: { confirmation?: Confirmation; until?: AbortSignal; shown?: Shown },
  ): Promise<ProcessOutcome>
  /** Ends the imports that are running; nothing of them is written. */
  close(): Promise<void>
}

export function createImports({ photos = true, ...options }: ImportsOptions, start = startImport): Imports {
  const running = new Map<string, Running>()
  const archives = createArchives(options.photosDir)
  return {
    photos,
    archives,
    async run(studioId, upload, { confirmation, until, shown }) {
      const before = running.get(studioId)
      if (before?.isDry) await Promise.race([before.gone, sleep(dryRunWaitMs, undefined, { ref: false })])
      const isSmall = upload.choices.archive === undefined && upload.content.length <= smallFile
      requireTurn(new Map([...running].filter(([id, other]) => id === studioId || other.isSmall === isSmall)), studioId)
      const { promise: gone, resolve: leave } = Promise.withResolvers<void>()
      const mine: Running = { isDry: confirmation === undefined, isSmall, gone, end: async () => undefined }
      running.set(studioId, mine)
      let folder: string | undefined
      const end = () => void mine.end()
      try {
        const { archive } = upload.choices
        let path = archive && archives.pathOf(archive.id)
        if (path === undefined) {
          folder = await mkdtemp(join(tmpdir(), 'studio-inventory-import-'))
          path = join(folder, 'upload')
          await writeFile(path, upload.content, { mode: 0o600 })
        }
        const started = start({ ...options, studioId, path, shown, ...jobOf(upload, confirmation) }, importTimeoutMs)
        mine.end = started.end
        until?.addEventListener('abort', end, { once: true })
        if (until?.aborted) end()
        const outcome = await started.outcome
        if (archive && confirmation && outcome.errors.count === 0) await archives.remove(archive.id)
        return outcome
      } finally {
        until?.removeEventListener('abort', end)
        running.delete(studioId)
        leave()
        if (folder !== undefined) await rm(folder, { recursive: true, force: true })
      }
    },
    async close() {
      await Promise.all([...running.values()].map(({ end }) => end()))
    },
  }
}

/** An import that is running; `gone` resolves when another one of its studio may begin. */
type Running = { isDry: boolean; isSmall: boolean; gone: Promise<void>; end(): Promise<void> }

function jobOf({ content, choices }: Upload, confirmation: Confirmation | undefined) {
  const { kind, file, from, dates, decimal, makeLocations, sheet, key, archive, columns, categories, accept } = choices
  const sha256 = archive?.sha256 ?? createHash('sha256').update(content).digest('hex')
  return {
    kindName: kind,
    choice: { from, said: columns.map(([theirs, ours]) => `${theirs}=${ours}`) },
    formats: { ...(dates !== '' && { dates }), ...(decimal !== '' && { decimal }) },
    makeLocations,
    accepted: new Set(accept),
    maxRows,
    recalls: choices.isNew,
    ...(sheet !== '' && { sheet }),
    ...(key !== '' && { key }),
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

/** How long to wait when others import, in seconds. */
const retrySeconds = 15

export const busy = (why: string) => new PageError(429, 'One import at a time', why, retrySeconds)
const tooLarge = (why: string) => new PageError(413, 'Too large', `${why} Split it and import the parts.`)
export const gone = () =>
  new PageError(
    404,
    'No such file',
    'This file was already imported, replaced by a later upload, or uploaded more than an hour ago. Please upload it again.',
  )

const unwritable = /^(?:EACCES|EROFS|EPERM|ENOSPC)$/
const cannotStore = () => {
  const why = 'This service cannot store photos, so nothing was imported. Its operator must make PHOTOS_DIR writable.'
  return new PageError(503, 'Not available', why)
}

/** @throws PageError when a file could not be written, else the error itself */
export function refuseToStore(error: unknown): never {
  throw error instanceof Error && 'code' in error && unwritable.test(String(error.code)) ? cannotStore() : error
}

/** The message when an import fails and the file is not the reason. */
export function pageErrorOf(error: unknown): unknown {
  if (error instanceof Busy) return busy(importBusy[error.reason])
  if (error instanceof OutOfMemory) return tooLarge('The file needs more memory than is available.')
  if (!(error instanceof ImportFailed)) return error
  const { sqlState, reason } = error
  if (sqlState === 'SI409') return gone()
  if (sqlState === '55P03') return busy(importBusy.studio)
  if (sqlState?.startsWith('SI') || sqlState === '42501') return new StatementFailed('import', sqlState, error.message)
  if (reason === 'Timeout') {
    return tooLarge(`The file took more than ${importTimeoutMs / 60_000} minutes, so nothing was imported.`)
  }
  if (reason === 'Stopping') {
    const why = 'The service is restarting, so nothing was imported. Please try again shortly.'
    return new PageError(503, 'Not available', why, retrySeconds)
  }
  if (unwritable.test(reason)) return cannotStore()
  if (reason === 'ENOENT') return gone()
  if (reason !== 'RowsRefused') return error
  const why = 'Someone changed the studio’s records, so nothing was imported. Please check the file again.'
  return new PageError(409, 'The records have changed', why)
}

const importBusy = {
  studio: 'Another file of this studio is being read or imported. Please try again when that is finished.',
  all: 'Other files are being imported. Please try again shortly.',
} as const
