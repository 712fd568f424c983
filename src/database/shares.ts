import { LRUCache } from 'lru-cache'
import pLimit, { type LimitFunction } from 'p-limit'
import { ShareExceeded } from './errors.ts'

/** What one studio may have of a pool: statements that run, statements that wait for its turn, and
 * for how many milliseconds. */
type Share = { running: number; waiting: number; waitMs: number }

/** How many studios to count. */
const maxStudios = 10_000

/** Runs work in its studio's turn, so that a studio waits for itself and leaves connections to the
 * others. It counts by studio, because a studio may have many tokens, sessions and people.
 * @throws ShareExceeded before the work, and what the work throws */
export function createShares({ running, waiting, waitMs }: Share) {
  const studios = new LRUCache<string, LimitFunction>({ max: maxStudios })
  return async <Result>(studioId: string, work: () => Promise<Result>): Promise<Result> => {
    const turns = studios.get(studioId) ?? pLimit(running)
    studios.set(studioId, turns)
    if (turns.pendingCount >= waiting) throw new ShareExceeded()
    const asked = performance.now()
    return turns(async () => {
      if (performance.now() - asked > waitMs) throw new ShareExceeded()
      return work()
    })
  }
}
