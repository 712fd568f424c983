import { createKnownTokens, type KnownTokens } from '../auth/known-tokens.ts'
import type { Pool } from '../database/pool.ts'
import type { Replicas } from '../database/replicas.ts'
import type { Activity } from '../domain/activity.ts'
import type { Cache } from './cache.ts'
import { type Read, readFromPrimary, readFromReplicas } from './read.ts'

/** The database as the API reads it, with what this process remembers of it. */
export type Reading = {
  read: Read
  cache: Cache
  known: KnownTokens
  /** Records one request of a known token; must not throw. */
  record(activity: Activity): void
}

export type ReadingParts = Pick<Reading, 'cache' | 'record'> & {
  /** The pool of studio_api. */
  api: Pool
  replicas?: Replicas | undefined
}

/** The primary authenticates, and it reads, or its replicas do. */
export function createReading({ api, replicas, cache, record }: ReadingParts): Reading {
  return {
    read: replicas ? readFromReplicas(api, replicas) : readFromPrimary(api),
    cache,
    known: createKnownTokens(api),
    record,
  }
}
