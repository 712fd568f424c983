import type { Activity } from '../domain/activity.ts'
import { messageOf } from '../domain/error.ts'
import type { Logger } from '../observability/log.ts'

/**
 * Writes activity outside of the request's path.
 *
 * Serves: "an Activity view of the last 100 requests with timestamp, endpoint, HTTP status and response time"; "last-used time".
 */
export type Recorder = {
  /** Queues an entry. Returns at once, never throws. */
  record(activity: Activity): void
  /** Writes everything queued so far; resolves when it is written or dropped. Never rejects. */
  flush(): Promise<void>
  stats(): RecorderStats
}

/** Entries waiting to be written, and entries dropped since the start. */
export type RecorderStats = { waiting: number; dropped: number }

export type RecorderOptions = {
  /** Stores a batch, oldest first. */
  write(batch: readonly Activity[]): Promise<void>
  log: Logger
  /** How many entries a statement stores. */
  batchSize?: number
  /** So many that wait are written before the second is over. */
  earlySize?: number
  everyMs?: number
  /** Entries waiting at most; beyond that the oldest are dropped. */
  maxWaiting?: number
  backoffMs?: number
}

/** As many of a token as its activity shows. */
const shownOfToken = 100

/**
 * Makes a recorder that writes once a second what is queued then, and earlier what would take too much memory. What arrives meanwhile waits
 * for the next: under load continuous writes would cost the database more than the requests do. What newer entries of the same token
 * supersede is not written. A batch that fails twice is dropped.
 */
export function createRecorder({
  write: store,
  log,
  batchSize = 1_000,
  earlySize = 5_000,
  everyMs = 1_000,
  maxWaiting = 10_000,
  backoffMs = 200,
}: RecorderOptions): Recorder {
  let waiting: Activity[] = []
  /** How many of the oldest entries have to be written now. */
  let due = 0
  let dropped = 0
  let droppedBefore = 0
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> | undefined

  function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    takeOutHidden()
    return write(waiting.length)
  }

  /** Takes out what newer entries supersede, except of what is due. */
  function takeOutHidden(): void {
    waiting = [...waiting.slice(0, due), ...withoutHidden(waiting.slice(due))]
  }

  function write(count: number): Promise<void> {
    due = Math.max(due, count)
    writing ??= writeDue().finally(() => {
      writing = undefined
    })
    return writing
  }

  async function writeDue(): Promise<void> {
    while (due > 0) {
      const batch = waiting.slice(0, Math.min(due, batchSize))
      waiting = waiting.slice(batch.length)
      due -= batch.length
      await writeOrDrop(batch)
    }
    if (dropped > 0) log.error({ dropped }, 'request activity was dropped')
    droppedBefore += dropped
    dropped = 0
  }

  async function writeOrDrop(batch: Activity[]): Promise<void> {
    try {
      await store(batch)
    } catch {
      await new Promise((resolve) => setTimeout(resolve, backoffMs))
      try {
        await store(batch)
      } catch (error) {
        dropped += batch.length
        log.warn({ reason: messageOf(error) }, 'request activity could not be written')
      }
    }
  }

  return {
    record(activity) {
      waiting.push(activity)
      if (waiting.length > maxWaiting) {
        waiting.shift()
        due = Math.max(0, due - 1)
        dropped += 1
      }
      timer ??= setTimeout(flush, everyMs).unref()
      if (waiting.length - due < earlySize) return
      takeOutHidden()
      // Not when it left little: it takes long, and would be done again for the next entry.
      if (waiting.length - due > earlySize / 2) void write(waiting.length)
    },
    flush,
    stats: () => ({ waiting: waiting.length, dropped: droppedBefore + dropped }),
  }
}

/** The entries without those that newer ones of the same token supersede. */
function withoutHidden(batch: readonly Activity[]): Activity[] {
  const seen = new Map<string, number>()
  return batch
    .toReversed()
    .filter(({ tokenId }) => {
      const newer = seen.get(tokenId) ?? 0
      seen.set(tokenId, newer + 1)
      return newer < shownOfToken
    })
    .toReversed()
}
