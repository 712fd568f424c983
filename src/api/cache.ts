import { LRUCache } from 'lru-cache'
import type { OperationRow } from '../database/operation-row.ts'
import { type Body, createBody } from '../http/compression.ts'
import { listEnvelope } from '../http/envelope.ts'
import type { Operation } from './operation.ts'
import type { Values } from './parameters.ts'

/** An item with photos: its JSON text, and the storage keys, which each answer signs. */
export type Unsigned = { data: string; photoKeys: readonly string[] }

/** The body and the headers of a 200. */
export type Content = { content: Body | Unsigned; headers: Readonly<Record<string, string>> }

/** An earlier answer. Valid while the studio has this version. */
export type CachedAnswer = Content & { version: string }

/** An operation with its parameters and the id in its path, in a format. */
export type RequestKey = { operation: Operation; values: Values; id: string | null; format: 'json' | 'csv' }

/** `hits` are answers from the cache; `misses` were read, and could be cached. */
export type CacheStats = { entries: number; bytes: number; hits: number; misses: number }

/** Earlier answers, valid while their version is current. Keys begin with the studio. */
export type Cache = ReturnType<typeof createCache>

/** The time of a poll that found nothing. Later times find nothing until the version changes. */
type EmptyPoll = { version: string; since: string }

/** The approximate size of an entry besides key and content, in bytes. */
const overhead = 1_000

/** Distinguishes requests of a studio. Omits what is not given, so that v1 can gain parameters. */
export function cacheKeyOf({ operation, values, id, format }: RequestKey): string {
  return `${queryKeyOf({ operation, values, id })} ${values.cursor ?? values.page} ${format}`
}

/** The same, without page and format. */
export function queryKeyOf({ operation, values, id }: Omit<RequestKey, 'format'>): string {
  const { id: name, parameters } = operation
  const names = Object.keys(parameters).filter((name) => name !== 'page' && name !== 'cursor' && values[name] !== null)
  return `${name} ${id} ${JSON.stringify(names.map((name) => [name, values[name]]))}`
}

/** The time of a poll, and the key that all polls of the list share. Undefined: not a poll. */
function pollOf(
  { operation, values, id, format }: RequestKey,
  studioId: string,
): { since: string; key: string } | undefined {
  const since = values.updated_since
  if (typeof since !== 'string' || format !== 'json') return undefined
  return {
    since,
    key: `${studioId} poll ${queryKeyOf({ operation, id, values: { ...values, updated_since: null, per_page: null } })}`,
  }
}

/** Makes a cache. `maxBytes` limits keys and contents, 0: off; `meta` is `_meta` as JSON text. */
export function createCache(maxBytes: number, meta: string) {
  const counts = { hits: 0, misses: 0 }
  // lru-cache reads 0 as "no limit".
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
      const found = entries.get(`${studioId} ${cacheKeyOf(requestKey)}`)
      return found && 'content' in found ? found : undefined
    },

    store(requestKey: RequestKey, { studio_id: studioId, version, total }: OperationRow, content: Content): void {
      counts.misses += 1
      if (studioId === null || version === null) return
      const poll = total === '0' ? pollOf(requestKey, studioId) : undefined
      if (poll === undefined) {
        return void put(`${studioId} ${cacheKeyOf(requestKey)}`, { version, ...content }, bytesOf(content.content))
      }
      const stored = entries.peek(poll.key)
      const isEarlier = stored?.version === version && 'since' in stored && stored.since <= poll.since
      if (!isEarlier) put(poll.key, { version, since: poll.since })
    },

    hit(): void {
      counts.hits += 1
    },
    stats: (): CacheStats => ({ entries: entries.size, bytes: entries.calculatedSize, ...counts }),
  }
}

/** Counts later compressed forms, too: together at most the body's length. */
function bytesOf(content: Body | Unsigned): number {
  if ('plain' in content) return 2 * content.plain.length
  return content.photoKeys.reduce((bytes, key) => bytes + 2 * key.length, 2 * content.data.length)
}

function emptyPage(values: Values, meta: string): Body {
  const [page, perPage] = [Number(values.page), Number(values.per_page)]
  return createBody(listEnvelope({ elements: '', page, perPage, total: 0 }, meta))
}
