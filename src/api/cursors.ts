import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto'

/** Where a page begins: after the record with this key. `at` is what the list is ordered by, as PostgreSQL writes it. */
export type Position = { page: number; at: string; id: string }

/** The position in a cursor, and a digest of the studio that it is of. */
export type ReadCursor = Position & { studio: string }

/** Opaque texts that say where the next page begins, for one query of one studio. Signed: PostgreSQL gets what it has answered. */
export type Cursors = ReturnType<typeof createCursors>

/** @param secretKey the same for all processes that answer at one address */
export function createCursors(secretKey: string) {
  const key = createSecretKey(createHmac('sha256', secretKey).update('cursors').digest())
  const digest = (text: string) => createHmac('sha256', key).update(text).digest().subarray(0, 16).toString('base64url')
  const signed = (content: string, query: string) =>
    `${Buffer.from(content).toString('base64url')}.${digest(`${query} ${content}`)}`

  return {
    /** `query` is what is asked besides the page, as a text. */
    write: ({ page, at, id }: Position, query: string, studioId: string): string =>
      signed(JSON.stringify([page, at, id, digest(`studio ${studioId}`)]), query),
    /** The position; undefined when the text was altered, or belongs to another query. */
    read(text: string, query: string): ReadCursor | undefined {
      const content = Buffer.from(text.split('.', 1)[0] ?? '', 'base64url').toString()
      const [given, right] = [Buffer.from(text), Buffer.from(signed(content, query))]
      if (given.length !== right.length || !timingSafeEqual(given, right)) return undefined
      const [page, at, id, studio] = JSON.parse(content)
      return { page, at, id, studio }
    },
    isOf: ({ studio }: ReadCursor, studioId: string): boolean => studio === digest(`studio ${studioId}`),
  }
}
