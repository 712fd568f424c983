import type pg from 'pg'
import { expect } from 'vitest'
import type { Session, Studio } from '../support.ts'

/**
 * Sends statements in one message, so that they follow each other as fast as the server can run them, and probes a
 * timestamp before the first and after each.
 *
 * @returns milliseconds since 1970, one more than there are statements
 */
export async function momentsBetween(session: Session, statements: string[], probe: string): Promise<number[]> {
  const results = await session.client.query([probe, ...statements.flatMap((text) => [text, probe])].join(';\n'))
  return (results as unknown as pg.QueryResult<Record<string, string>>[])
    .filter((result) => result.command === 'SELECT')
    .map((result) => Date.parse(Object.values(result.rows[0] ?? {})[0] ?? ''))
}

/** Each moment is later than the one before. */
export function expectStrictlyIncreasing(moments: readonly number[]): void {
  moments.forEach((moment, n) => {
    if (n > 0) expect(moment, `change ${n}`).toBeGreaterThan(moments[n - 1] ?? Number.POSITIVE_INFINITY)
  })
}

/** Whether updated_at of each of two items, and the data version of their studio, moved while `work` was done. */
export async function movedBy(studio: Studio, [item, other]: [string, string], work: () => Promise<unknown>) {
  const moments = async () => [await studio.updatedAt('items', item), await studio.updatedAt('items', other)]
  const [before, version] = [await moments(), await studio.dataVersion()]
  await work()
  const after = await moments()
  return {
    item: (after[0] ?? 0) > (before[0] ?? 0),
    other: (after[1] ?? 0) > (before[1] ?? 0),
    version: (await studio.dataVersion()) > version,
  }
}
