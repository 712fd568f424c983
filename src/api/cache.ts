import { LRUCache } from 'lru-cache'
import type { Answer } from '../database/answer.ts'
import { type Body, createBody } from '../http/compression.ts'
import { listEnvelope } from '../http/envelope.ts'
import type { Operation } from './operation.ts'
import type { Values } from './parameters.ts'

/** An item with photos, whose URLs are signed for each answer: its JSON text, and the storage keys of its photos. */
export type Unsigned = { data: string; photoKeys: readonly string[] }

/** What an answer of status 200 is sent as, with the headers that belong to it. */
export type Content = { content: Body | Unsigned; headers: Readonly<Record<string, string>> }

/** An earlier answer. Valid while the version is that of the studio. */
export type CachedAnswer = Content & { version: string }

/** What is asked: an operation, its parameters and the id of its path, in a format. */
export type RequestKey = { operation: Operation; values: Values; id: string | null; format: 'json' | 'csv' }

/** `hits` and `misses` count answers that were sent from here, and those that were read and could be cached. */
export type CacheStats = { entries: number; bytes: number; hits: number; misses: number }

/** Answers to earlier requests, to be sent once PostgreSQL has found their version current. Every key begins with the studio's id. */
export type Cache = ReturnType<typeof createCache>

/** The time of a poll that found nothing: nothing was updated since any later time either, until the version changes. */
type EmptyPoll = { version: string; since: string }

/** Approximate size of an entry besides its key and its content, in bytes. */
const overhead = 1_000

/** The text that tells one requestKey of a studio from another. What is not given is left out: parameters may be added. */
export function keyOf({ operation, values, id, format }: RequestKey): string {
  return `${queryKeyOf(operation, values)} ${id} ${values.cursor ?? values.page} ${format}`
}

/** The same for the whole list: without the page. */
export function queryKeyOf({ id, parameters }: Operation, values: Values): string {
  const names = Object.keys(parameters).filter((name) => name !== 'page' && name !== 'cursor' && values[name] !== null)
  return `${id} ${JSON.stringify(names.map((name) => [name, values[name]]))}`
}

/** The time that a poll asks for, and the key that all polls of the same list share; undefined: no poll. */
function pollOf(
  { operation, values, format }: RequestKey,
  studioId: string,
): { since: string; key: string } | undefined {
  const since = values.updated_since
  if (typeof since !== 'string' || format !== 'json') return undefined
  return { since, key: `${studioId} poll ${queryKeyOf(operation, { ...values, updated_since: null, per_page: null })}` }
}

/** Makes the cache of one process. `maxBytes` is the size of all keys and contents, 0 caches nothing; `meta` is `_meta` as JSON text. */
export function createCache(maxBytes: number, meta: string) {
  const counts = { hits: 0, misses: 0 }
  // lru-cache takes 0 for "no limit".
  const entries = new LRUCache<string, CachedAnswer | EmptyPoll>({ maxSize: Math.max(1, maxBytes) })
  const put = (key: string, entry: CachedAnswer | EmptyPoll, bytes = 0) =>
    entries.set(key, entry, { size: overhead + 2 * key.length + bytes })

  return {
    find(studioId: string, requestKey: RequestKey): CachedAnswer | undefined {
      const asked = pollOf(requestKey, studioId)
      const poll = asked && entries.get(asked.key)
      if (poll && 'since' in poll && poll.since <= asked.since) {
        return { version: poll.version, content: emptyPage(requestKey.values, meta), headers: {} }
      }
      const found = entries.get(`${studioId} ${keyOf(requestKey)}`)
      return found && 'content' in found ? found : undefined
    },

    store(requestKey: RequestKey, { studio_id: studioId, version, total }: Answer, content: Content): void {
      counts.misses += 1
      if (studioId === null || version === null) return
      const poll = total === '0' ? pollOf(requestKey, studioId) : undefined
      if (poll === undefined) {
        return void put(`${studioId} ${keyOf(requestKey)}`, { version, ...content }, bytesOf(content.content))
      }
      const stored = entries.peek(poll.key)
      const isEarlier = stored?.version === version && 'since' in stored && stored.since <= poll.since
      if (!isEarlier) put(poll.key, { version, since: poll.since })
    },

    /** Counts an answer that is sent from here. */
    hit(): void {
      counts.hits += 1
    },
    stats: (): CacheStats => ({ entries: entries.size, bytes: entries.calculatedSize, ...counts }),
  }
}

/** What is compressed later counts as well: all forms together are at most as long as the body once more. */
function bytesOf(content: Body | Unsigned): number {
  if ('plain' in content) return 2 * content.plain.length
  return content.photoKeys.reduce((bytes, key) => bytes + 2 * key.length, 2 * content.data.length)
}

function emptyPage(values: Values, meta: string): Body {
  const [page, perPage] = [Number(values.page), Number(values.per_page)]
  return createBody(listEnvelope({ elements: '', page, perPage, total: 0 }, meta))
}
