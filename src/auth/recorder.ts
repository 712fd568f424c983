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
  /** Stores a batch; of each token the oldest first. */
  write(batch: readonly Activity[]): Promise<void>
  log: Logger
  /** How many entries a statement stores. */
  batchSize?: number
  /** As many as this are written before the second is over. */
  earlySize?: number
  everyMs?: number
  /** Entries waiting at most, more than `earlySize`; beyond that the oldest are dropped. */
  maxWaiting?: number
  backoffMs?: number
}

/**
 * Makes a recorder that writes once a second what is queued then, and earlier what would take too much memory. What arrives meanwhile waits
 * for the next: under load continuous writes would cost the database more than the requests do. What newer entries of the same token
 * supersede is not kept, and so not written. A batch that fails twice is dropped.
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
  /** What is not due yet, by token. */
  let recent = new Map<string, Newest>()
  let recentCount = 0
  let due: Activity[] = []
  let dropped = 0
  let droppedBefore = 0
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> | undefined

  function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    due = [...due, ...[...recent.values()].flatMap((newest) => newest.entries())]
    recent = new Map()
    recentCount = 0
    writing ??= writeDue().finally(() => {
      writing = undefined
    })
    return writing
  }

  async function writeDue(): Promise<void> {
    while (due.length > 0) {
      const batch = due.slice(0, batchSize)
      due = due.slice(batch.length)
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
      let ofToken = recent.get(activity.tokenId)
      if (ofToken === undefined) {
        ofToken = new Newest()
        recent.set(activity.tokenId, ofToken)
      }
      if (ofToken.add(activity)) recentCount += 1
      if (due.length + recentCount > maxWaiting) {
        due.shift()
        dropped += 1
      }
      timer ??= setTimeout(flush, everyMs).unref()
      if (recentCount >= earlySize) void flush()
    },
    flush,
    stats: () => ({ waiting: due.length + recentCount, dropped: droppedBefore + dropped }),
  }
}

/** As many of a token as its activity shows. */
const shownOfToken = 100

/** The newest entries of a token. An older one is forgotten at once: if it lived for a second, V8 would copy it twice. */
class Newest {
  readonly #entries: Activity[] = []
  #oldest = 0

  /** Whether there is one more now: false where it takes the place of the oldest. */
  add(activity: Activity): boolean {
    if (this.#entries.length < shownOfToken) {
      this.#entries.push(activity)
      return true
    }
    this.#entries[this.#oldest] = activity
    this.#oldest = (this.#oldest + 1) % shownOfToken
    return false
  }

  /** The oldest first. */
  entries(): Activity[] {
    return [...this.#entries.slice(this.#oldest), ...this.#entries.slice(0, this.#oldest)]
  }
}
