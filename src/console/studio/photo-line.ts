import pLimit, { type LimitFunction } from 'p-limit'
import { PageError } from '../guards.ts'

/** How many photos of a studio may wait: a page shows at most 50, and some people open several. */
const longestLine = 200

const retrySeconds = 5

/** Makes one photo at a time, and takes the studios in turns, so that a studio which opens a
 * hundred delays another studio's photo by one of them. */
type PhotoLine = {
  /** Calls `make` when it is the studio's turn.
   * @throws PageError 429 when too many photos of the studio wait; what `make` throws */
  wait<Made>(studioId: string, make: () => Promise<Made>): Promise<Made>
}

export function createPhotoLine(longest = longestLine): PhotoLine {
  const all = pLimit(1)
  // Each studio has a line of its own. The first photo of it waits in the line of all studios.
  const studios = new Map<string, LimitFunction>()
  return {
    async wait(studioId, make) {
      const line = studios.get(studioId) ?? pLimit(1)
      studios.set(studioId, line)
      if (line.pendingCount >= longest) {
        throw new PageError(429, 'Busy', 'Many photos are being opened. Please try again shortly.', retrySeconds)
      }
      try {
        return await line(() => all(make))
      } finally {
        if (line.activeCount + line.pendingCount === 0) studios.delete(studioId)
      }
    },
  }
}
