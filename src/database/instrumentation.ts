import type { Pool } from './pools.ts'

/** Sees a statement through, by its name: may look when it begins and how it ends, and gives back what it gives. */
export type Watch = <Result>(statement: string, run: () => Promise<Result>) => Promise<Result>

const watches = new WeakMap<Pool, Watch>()

/** Has the statements of a pool watched from now on. */
export function watchStatements(pool: Pool, watch: Watch): void {
  watches.set(pool, watch)
}

/** Runs a statement, watched when its pool is. */
export function watched<Result>(pool: Pool, statement: string, run: () => Promise<Result>): Promise<Result> {
  const watch = watches.get(pool)
  return watch === undefined ? run() : watch(statement, run)
}
