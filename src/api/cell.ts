import { createKnownTokens, type KnownTokens } from '../auth/known-tokens.ts'
import type { Admission } from '../database/admission.ts'
import type { Pool } from '../database/pool.ts'
import type { Replicas } from '../database/replicas.ts'
import type { Activity } from '../domain/activity.ts'
import { type Authenticate, createAuthentication } from './authentication.ts'
import type { Cache } from './cache.ts'
import { type Read, readFromPrimary, readFromReplicas } from './read.ts'

/** A database as the API reads it, with what this process remembers of it: nothing of one cell is ever used for another. */
export type ReadingCell = {
  /** Undefined where there is one database. */
  name: string | undefined
  read: Read
  authenticate: Authenticate
  cache: Cache
  known: KnownTokens
  /** Of the pool of studio_api. */
  admission: Admission
  /** Records one request of a known token; must not throw. */
  record(activity: Activity): void
}

export type CellParts = Pick<ReadingCell, 'cache' | 'record'> & {
  name?: string | undefined
  /** The pool of studio_api. */
  api: Pool
  replicas?: Replicas | undefined
}

/** The cell of a pool: its primary authenticates, and it reads, or its replicas do. */
export function createReadingCell({ name, api, replicas, cache, record }: CellParts): ReadingCell {
  const authenticate = createAuthentication(api)
  return {
    name,
    read: replicas ? readFromReplicas(api, replicas, authenticate) : readFromPrimary(api, authenticate),
    authenticate,
    cache,
    known: createKnownTokens(api),
    admission: api.admission,
    record,
  }
}

/** Tells tokens that have been issued in any of the cells from guesses. */
export function knownInAny(cells: readonly [ReadingCell, ...ReadingCell[]]): KnownTokens {
  const [only] = cells
  if (cells.length === 1) return only.known
  return {
    async has(digest) {
      const answers = await Promise.allSettled(cells.map(({ known }) => known.has(digest)))
      if (answers.some((answer) => answer.status === 'fulfilled' && answer.value)) return true
      const failed = answers.find(({ status }) => status === 'rejected')
      // It may have been issued where nobody can look.
      if (failed?.status === 'rejected') throw failed.reason
      return false
    },
  }
}
