import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto'

/** Where a page begins: after the record with this key. `at` is what the list is ordered by, as PostgreSQL writes it. */
export type Position = { page: number; at: string; id: string }

/** The position in a cursor, and a digest of the studio that it is of. */
export type ReadCursor = Position & { studio: string }

/**
 * Cursors of walks: opaque texts that say where the next page begins, for one question of one studio. They are signed, so that
 * the database is asked with nothing but what it has answered.
 */
export type Cursors = {
  /** @param question what is asked besides the position, as a text */
  write(position: Position, question: string, studioId: string): string
  /** The position; undefined when the text was altered, or belongs to another question. */
  read(text: string, question: string): ReadCursor | undefined
  /** Whether a cursor that was read is one of this studio. */
  isOf(cursor: ReadCursor, studioId: string): boolean
}

/** @param secretKey the same for all processes that answer at one address */
export function createCursors(secretKey: string): Cursors {
  const key = createSecretKey(createHmac('sha256', secretKey).update('cursors').digest())
  const digest = (text: string) => createHmac('sha256', key).update(text).digest().subarray(0, 16).toString('base64url')
  const signed = (content: string, question: string) =>
    `${Buffer.from(content).toString('base64url')}.${digest(`${question} ${content}`)}`

  return {
    write: ({ page, at, id }, question, studioId) =>
      signed(JSON.stringify([page, at, id, digest(`studio ${studioId}`)]), question),
    read(text, question) {
      const content = Buffer.from(text.split('.', 1)[0] ?? '', 'base64url').toString()
      if (!isSame(text, signed(content, question))) return undefined
      const [page, at, id, studio] = JSON.parse(content)
      return { page, at, id, studio }
    },
    isOf: ({ studio }, studioId) => studio === digest(`studio ${studioId}`),
  }
}

function isSame(one: string, other: string): boolean {
  const [first, second] = [Buffer.from(one), Buffer.from(other)]
  return first.length === second.length && timingSafeEqual(first, second)
}
