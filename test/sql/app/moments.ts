import type pg from 'pg'
import { expect } from 'vitest'
import type { Session } from '../support.ts'

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
