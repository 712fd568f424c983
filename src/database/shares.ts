import { LRUCache } from 'lru-cache'
import pLimit, { type LimitFunction } from 'p-limit'
import { ShareExceeded } from './errors.ts'

/** What one studio may have of a pool: statements that run, statements that wait for its turn, and
 * for how many milliseconds. */
type Share = { running: number; waiting: number; waitMs: number }

/** Runs work in its studio's turn, so that a studio waits for itself and leaves connections to the
 * others. It counts by studio, because a studio may have many tokens, sessions and people, or by a
 * finer key. `refused` gets each studio that exceeds its share.
 * @throws ShareExceeded before the work, and what the work throws */
export function createShares({ running, waiting, waitMs }: Share, refused: (studioId: string) => void) {
  const lines = new LRUCache<string, LimitFunction>({ max: 10_000 })
  return async <Result>(studioId: string, work: () => Promise<Result>, key = studioId): Promise<Result> => {
    const turns = lines.get(key) ?? pLimit(running)
    lines.set(key, turns)
    const refuse = () => {
      refused(studioId)
      throw new ShareExceeded()
    }
    if (turns.pendingCount >= waiting) refuse()
    const asked = performance.now()
    return turns(async () => {
      if (performance.now() - asked > waitMs) refuse()
      return work()
    })
  }
}
