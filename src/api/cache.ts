import { LRUCache } from 'lru-cache'
import type { Answer } from '../database/answer.ts'
import { type Body, createBody } from '../http/compression.ts'
import { listEnvelope } from '../http/envelope.ts'
import type { Operation } from './operation.ts'
import type { Values } from './parameters.ts'

/** An item with photos, whose URLs are signed for each answer: its JSON text, and the storage keys of its photos. */
export type Unsigned = { data: string; photoKeys: readonly string[] }

/** An earlier answer of status 200, with the headers that belong to it. Valid while the version is that of the studio. */
export type CachedAnswer = { version: string; content: Body | Unsigned; headers: Readonly<Record<string, string>> }

/** What is asked: an operation, its parameters and the id of its path, in a format. */
export type Question = { operation: Operation; values: Values; id: string | null; format: 'json' | 'csv' }

/** `hits` and `misses` count answers that were sent from here, and those that were read and could be cached. */
export type CacheStats = { entries: number; bytes: number; hits: number; misses: number }

/**
 * Answers to earlier requests. An answer must not be sent before PostgreSQL, after the request arrived, has found its version current.
 * Never across studios: every key begins with the studio's id.
 */
export type Cache = {
  find(studioId: string, question: Question): CachedAnswer | undefined
  store(question: Question, answer: Answer, cached: Omit<CachedAnswer, 'version'>): void
  /** Counts an answer that is sent from here. */
  hit(): void
  stats(): CacheStats
}

/** The time of a poll that found nothing: nothing was updated since any later time either, until the version changes. */
type EmptyPoll = { version: string; since: string }

/** Approximate size of an entry besides its key and its content, in bytes. */
const overhead = 1_000

/** The text that tells one question of a studio from another. What is not given is left out: parameters may be added. */
export function keyOf({ operation, values, id, format }: Question): string {
  return `${queryKeyOf(operation, values)} ${id} ${values.cursor ?? values.page} ${format}`
}

/** The same for the whole list: without the page. */
export function queryKeyOf({ id, parameters }: Operation, values: Values): string {
  const names = Object.keys(parameters).filter((name) => name !== 'page' && name !== 'cursor' && values[name] !== null)
  return `${id} ${JSON.stringify(names.map((name) => [name, values[name]]))}`
}

const pollKeyOf = ({ operation, values, format }: Question) =>
  `poll ${queryKeyOf(operation, { ...values, updated_since: null, per_page: null })} ${format}`

/**
 * Makes the cache of one process, which evicts the least recently used entries when it is full.
 *
 * @param maxBytes the total size of all keys and contents; 0 caches nothing
 * @param meta the `_meta` object as JSON text
 */
export function createCache(maxBytes: number, meta: string): Cache {
  const counts = { hits: 0, misses: 0 }
  // lru-cache takes 0 for "no limit".
  const entries = new LRUCache<string, CachedAnswer | EmptyPoll>({ maxSize: Math.max(1, maxBytes) })
  const put = (key: string, entry: CachedAnswer | EmptyPoll, bytes = 0) =>
    entries.set(key, entry, { size: overhead + 2 * key.length + bytes })
  const emptyPage = emptyPages(meta)

  return {
    find(studioId, question) {
      const { values, format } = question
      const since = values.updated_since
      if (since !== null && since !== undefined && format === 'json') {
        const poll = entries.get(`${studioId} ${pollKeyOf(question)}`)
        if (poll && 'since' in poll && poll.since <= String(since)) {
          return { version: poll.version, content: emptyPage(values), headers: {} }
        }
      }
      const found = entries.get(`${studioId} ${keyOf(question)}`)
      return found && 'content' in found ? found : undefined
    },

    store(question, { studio_id: studioId, version, total }, cached) {
      counts.misses += 1
      if (studioId === null || version === null) return
      const since = question.values.updated_since
      if (total === '0' && typeof since === 'string' && question.format === 'json') {
        const key = `${studioId} ${pollKeyOf(question)}`
        const known = entries.peek(key)
        const isEarlier = known?.version === version && 'since' in known && known.since <= since
        if (!isEarlier) put(key, { version, since })
        return
      }
      put(`${studioId} ${keyOf(question)}`, { version, ...cached }, bytesOf(cached.content))
    },

    hit() {
      counts.hits += 1
    },
    stats: () => ({ entries: entries.size, bytes: entries.calculatedSize, ...counts }),
  }
}

/** What is compressed later counts as well: all forms together are at most as long as the body once more. */
function bytesOf(content: Body | Unsigned): number {
  if ('plain' in content) return 2 * content.plain.length
  return content.photoKeys.reduce((bytes, key) => bytes + 2 * key.length, 2 * content.data.length)
}

/** The body of a page without records. The last one is kept: most polls ask for the first page of the usual size. */
function emptyPages(meta: string): (values: Values) => Body {
  let last: { page: number; perPage: number; body: Body } | undefined
  return (values) => {
    const [page, perPage] = [Number(values.page), Number(values.per_page)]
    if (last?.page !== page || last.perPage !== perPage) {
      last = { page, perPage, body: createBody(listEnvelope({ elements: '', page, perPage, total: 0 }, meta)) }
    }
    return last.body
  }
}
