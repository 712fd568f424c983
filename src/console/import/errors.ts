import { Busy, OutOfMemory } from '../../child-process/start-child.ts'
import { StatementFailed } from '../../database/errors.ts'
import { ImportFailed } from '../../importer/import-process.ts'
import { PageError } from '../guards.ts'
import { importTimeoutMs } from './imports.ts'

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
