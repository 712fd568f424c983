import { LRUCache } from 'lru-cache'
import type { Answer } from '../database/answer.ts'
import { type Body, createBody } from '../http/compression.ts'
import { listEnvelope } from '../http/envelope.ts'
import { type Operation, type Question, valuesOf } from './operation.ts'

/** The keyset cursor of a page: the total and the last key of the page before it, at a version. */
export type Cursor = { version: string; total: string; at: string; id: string }

/**
 * What the cache has for a request. None of it is used unchecked: `version` is sent to the database as a validator
 * (an ETag), and the answer is 304 when it is the studio's current version and the token may read it; `cursor` is used there on
 * the same condition.
 */
export type Cached = { answer?: CachedAnswer; cursor?: Cursor }

/** Headers that stay the same with the body, made once: each takes a signature or a digest. */
export type BodyHeaders = { etag?: string | undefined; link?: string | undefined }

/** What a body is made of whose photo URLs are signed for each answer: the item as JSON text, and the storage keys of its photos. */
export type Unsigned = { data: string | Buffer; photoKeys: readonly string[] }

/** What is sent again: a body, or what it is made of. */
export type Content = Body | Unsigned

export type CachedAnswer = { version: string; content: Content; headers: BodyHeaders }

/** `hits` and `misses` count answers that were sent from here, and those that were read and could be cached. */
export type CacheStats = { entries: number; bytes: number; hits: number; misses: number }

/** Contents of earlier answers, and the cursors of pages. Never across studios: every key begins with the studio's id. */
export type Cache = {
  /** @param studioId the studio that the token had when it was last seen; undefined for one never seen */
  get(studioId: string | undefined, operation: Operation, question: Question): Cached
  /** Stores the content of an answer of status 200, and its headers. */
  set(operation: Operation, question: Question, answer: Answer, content: Content, headers?: BodyHeaders): void
  /** Counts a cached body that the database found to be current and that is sent. */
  revalidated(operation: Operation, question: Question, cached: CachedAnswer): void
  stats(): CacheStats
}

type Entry = { version: string; content?: Content; headers?: BodyHeaders; since?: string; cursor?: Cursor }

/** Approximate size of an entry besides its key and its content. */
const overhead = 1_000

/** The number of studios whose version is stored. */
const maxStudios = 10_000

/**
 * Makes the cache of one process, which evicts the least recently used entries when it is full.
 *
 * @param maxBytes total size of all keys and contents, compressed bodies included; 0 caches nothing
 * @param meta the `_meta` object as JSON text
 */
export function createCache(maxBytes: number, meta: string): Cache {
  const counts = { hits: 0, misses: 0 }
  // lru-cache takes 0 for "no limit".
  const entries = new LRUCache<string, Entry>({ maxSize: Math.max(1, maxBytes) })
  /** The version that each studio was last seen at: an entry of another version would probably fail validation. */
  const versions = new LRUCache<string, string>({ max: maxStudios })
  const emptyBody = emptyBodies(meta)
  const put = (key: string, entry: Entry) =>
    entries.set(key, entry, { size: overhead + 2 * key.length + bytesOf(entry.content) })

  function current(studioId: string, key: string): Entry | undefined {
    const entry = entries.get(key)
    if (entry === undefined || entry.version === versions.get(studioId)) return entry
    entries.delete(key)
    return undefined
  }

  return {
    get(studioId, operation, question) {
      if (studioId === undefined) return {}
      if (question.updated_since !== null) {
        const poll = current(studioId, keyOf('poll', studioId, operation, anySince(question)))
        if (poll?.since !== undefined && poll.since <= question.updated_since) {
          return { answer: { version: poll.version, content: emptyBody(operation, question), headers: {} } }
        }
      }
      const exact = current(studioId, keyOf('body', studioId, operation, question))
      if (exact?.content !== undefined) {
        return { answer: { version: exact.version, content: exact.content, headers: exact.headers ?? {} } }
      }
      if (operation.key === undefined || question.page === 1 || question.cursor !== null) return {}
      const cursor = current(studioId, keyOf('page', studioId, operation, question))?.cursor
      return cursor === undefined ? {} : { cursor }
    },

    set(operation, question, answer, content, headers = {}) {
      const { studio_id: studioId, version, total, last_at: at, last_id: id } = answer
      counts.misses += 1
      if (studioId === null || version === null) return
      versions.set(studioId, version)
      // If nothing was updated since a time, nothing was updated since any later time, until the version changes: one entry for all polls.
      if (total === '0' && question.updated_since !== null) {
        const key = keyOf('poll', studioId, operation, anySince(question))
        const known = entries.peek(key)
        const earlier = known?.version === version && (known.since ?? '') < question.updated_since
        if (!earlier) put(key, { version, since: question.updated_since })
        return
      }
      const key = keyOf('body', studioId, operation, question)
      put(key, { version, content, headers })
      if (isBody(content)) {
        content.grown = () => {
          const entry = entries.peek(key)
          // A new object: for one that it has, lru-cache keeps the size.
          if (entry?.content === content) put(key, { ...entry })
        }
      }
      if (operation.key !== undefined && question.cursor === null && total !== null && at !== null && id !== null) {
        const following = { ...question, page: question.page + 1 }
        put(keyOf('page', studioId, operation, following), { version, cursor: { version, total, at, id } })
      }
    },

    revalidated() {
      counts.hits += 1
    },

    stats: () => ({ entries: entries.size, bytes: entries.calculatedSize, ...counts }),
  }
}

export const isBody = (content: Content): content is Body => 'plain' in content

function bytesOf(content: Content | undefined): number {
  if (content === undefined) return 0
  if (isBody(content)) return content.bytes
  return content.photoKeys.reduce((bytes, key) => bytes + 2 * key.length, content.data.length)
}

const anySince = (question: Question): Question => ({
  ...question,
  page: 1,
  per_page: 1,
  updated_since: '',
  cursor: null,
})

/** The canonical form of a request: its parsed parameters with defaults, in the order of the operation. */
function keyOf(kind: 'body' | 'poll' | 'page', studioId: string, operation: Operation, question: Question): string {
  return `${studioId} ${kind} ${operation.id} ${JSON.stringify(valuesOf(operation.arguments, question))}${question.cursor ?? ''}`
}

/**
 * The body of a page without records. The last one is kept: most polls ask for the first page of the usual size. Of its operation, whose CSV
 * is kept with it.
 */
function emptyBodies(meta: string): (operation: Operation, question: Question) => Body {
  let last: { operation: Operation; page: number; per_page: number; body: Body } | undefined
  return (operation, { page, per_page }) => {
    if (last?.operation !== operation || last.page !== page || last.per_page !== per_page) {
      last = { operation, page, per_page, body: createBody(listEnvelope('', page, per_page, 0, meta)) }
    }
    return last.body
  }
}
