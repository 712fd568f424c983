import { createHmac, timingSafeEqual } from 'node:crypto'
import { keysFor, type SecretKeys } from '../domain/keys.ts'

/** A page begins after this key. `at` is the ordering column, as PostgreSQL writes it. */
export type Position = { page: number; at: string; id: string }

/** A cursor holds this position and a digest of its studio. */
export type ReadCursor = Position & { studio: string }

/** Opaque, signed texts for the next page of a studio's query. PostgreSQL gets its own values. */
export type Cursors = ReturnType<typeof createCursors>

/** @param secretKeys the same for all processes at one address */
export function createCursors(secretKeys: SecretKeys) {
  const keys = keysFor(secretKeys, 'cursors')
  const digest = (text: string, key = keys[0]) =>
    createHmac('sha256', key).update(text).digest().subarray(0, 16).toString('base64url')
  const signed = (content: string, query: string, key = keys[0]) =>
    `${Buffer.from(content).toString('base64url')}.${digest(`${query} ${content}`, key)}`

  return {
    /** `query` is the request without its page number. */
    write: ({ page, at, id }: Position, query: string, studioId: string): string =>
      signed(JSON.stringify([page, at, id, digest(`studio ${studioId}`)]), query),
    /** Returns undefined for a text that was altered or belongs to another query. */
    read(text: string, query: string): ReadCursor | undefined {
      const content = Buffer.from(text.split('.', 1)[0] ?? '', 'base64url').toString()
      const given = Buffer.from(text)
      const right = keys.map((key) => Buffer.from(signed(content, query, key)))
      if (!right.some((one) => given.length === one.length && timingSafeEqual(given, one))) return undefined
      const [page, at, id, studio] = JSON.parse(content)
      return { page, at, id, studio }
    },
    isOf: ({ studio }: ReadCursor, studioId: string): boolean =>
      keys.some((key) => studio === digest(`studio ${studioId}`, key)),
  }
}
