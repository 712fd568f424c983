import { LRUCache } from 'lru-cache'
import type { OperationRow } from '../database/operation-row.ts'
import { type Body, createBody } from '../http/compression.ts'
import { listEnvelope } from '../http/response.ts'
import type { Operation } from './operation.ts'
import type { Values } from './parameters.ts'

/** An item with photos: the JSON text, and the storage keys for which each answer signs URLs. */
type Unsigned = { data: string; photoKeys: readonly string[] }

/** The body and the headers of a 200. */
export type BodyAndHeaders = { content: Body | Unsigned; headers: Readonly<Record<string, string>> }

/** A stored answer. It is valid while the studio has this version. */
export type CachedBody = BodyAndHeaders & { version: string }

/** What a stored answer belongs to. `id` is the one in the path. */
export type RequestKey = { operation: Operation; values: Values; id: string | null; format: 'json' | 'csv' }

/** `hits` are answers from the cache; `misses` were read, and could be cached. */
export type CacheStats = { entries: number; bytes: number; hits: number; misses: number }

/** Stored answers, each valid while its version is current. Keys begin with the studio. */
export type Cache = ReturnType<typeof createCache>

/** The time of a poll that found nothing. Later times find nothing until the version changes. */
type EmptyPoll = { version: string; since: string }

/** How many bytes an entry takes besides its key and content, roughly. */
const overhead = 1_000

/** Tells the requests of a studio apart. Leaves out parameters that the client did not give. */
export function cacheKeyOf({ operation, values, id, format }: RequestKey): string {
  return `${queryKeyOf({ operation, values, id })} ${values.cursor ?? values.page} ${format}`
}

/** The same, but two pages or formats of one list have one key. */
export function queryKeyOf({ operation, values, id }: Omit<RequestKey, 'format'>): string {
  const { id: name, parameters } = operation
  const names = Object.keys(parameters).filter((name) => name !== 'page' && name !== 'cursor' && values[name] !== null)
  return `${name} ${id} ${JSON.stringify(names.map((name) => [name, values[name]]))}`
}

/** The time of a poll, and the key that all polls of a list share; undefined for other requests. */
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

/** Makes a cache. `maxBytes` limits keys and contents; 0 switches it off. `meta` is JSON text. */
export function createCache(maxBytes: number, meta: string) {
  const counts = { hits: 0, misses: 0 }
  // lru-cache reads 0 as "no limit".
  const entries = new LRUCache<string, CachedBody | EmptyPoll>({ maxSize: Math.max(1, maxBytes) })
  const put = (key: string, entry: CachedBody | EmptyPoll, bytes = 0) =>
    entries.set(key, entry, { size: overhead + 2 * key.length + bytes })

  return {
    find(studioId: string, requestKey: RequestKey): CachedBody | undefined {
      const asked = pollOf(requestKey, studioId)
      const poll = asked && entries.get(asked.key)
      if (poll && 'since' in poll && poll.since <= asked.since) {
        return { version: poll.version, content: emptyPage(requestKey.values, meta), headers: {} }
      }
      const found = entries.get(`${studioId} ${cacheKeyOf(requestKey)}`)
      return found && 'content' in found ? found : undefined
    },

    store(requestKey: RequestKey, row: OperationRow, content: BodyAndHeaders): void {
      const { studio_id: studioId, version, total } = row
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

/** Compressed forms are made later; together they take at most as much again as the body. */
function bytesOf(content: Body | Unsigned): number {
  if ('plain' in content) return 2 * content.plain.length
  return content.photoKeys.reduce((bytes, key) => bytes + 2 * key.length, 2 * content.data.length)
}

function emptyPage(values: Values, meta: string): Body {
  const [page, perPage] = [Number(values.page), Number(values.per_page)]
  return createBody(listEnvelope({ elements: '', page, perPage, total: 0 }, meta))
}
