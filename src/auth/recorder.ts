import type { Pool } from '../database/pool.ts'
import { messageOf } from '../domain/text.ts'
import type { Activity } from '../http/request-log.ts'
import { type Logger, withoutSecrets } from '../log.ts'

export type Recorder = ReturnType<typeof createRecorder>

/** Entries waiting to be written, and entries dropped since the start. */
export type RecorderStats = { waiting: number; dropped: number }

type RecorderOptions = {
  /** Stores a batch, the oldest entries of each token first. */
  write(batch: readonly Activity[]): Promise<void>
  log: Logger
  /** Entries in one statement, entries that make it write early, and entries that may wait. */
  batchSize?: number
  earlySize?: number
  maxWaiting?: number
}

/** The activity page shows this many entries of a token, so older ones need not be written. */
const shownOfToken = 100
const intervalMs = 1_000
const backoffMs = 200

/** Makes a recorder. It writes once a second, drops a batch that fails twice, and drops the
 * oldest entries beyond `maxWaiting`.
 * Serves: "an Activity view of the last 100 requests with timestamp, endpoint, HTTP status and
 * response time"; "last-used time". */
export function createRecorder({
  write,
  log,
  batchSize = 1_000,
  earlySize = 5_000,
  maxWaiting = 10_000,
}: RecorderOptions) {
  /** Holds what the next write will store, by token. */
  let recent = new Map<string, Activity[]>()
  let recentCount = 0
  let due: Activity[] = []
  let [dropped, reported] = [0, 0]
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> | undefined

  /** Writes everything queued so far; resolves when it is written or dropped. Never rejects. */
  function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    due = [...due, ...[...recent.values()].flat()]
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
      const again = () => new Promise((resolve) => setTimeout(resolve, backoffMs)).then(() => write(batch))
      await write(batch)
        .catch(again)
        .catch((error: unknown) => {
          dropped += batch.length
          log.warn({ reason: messageOf(error) }, 'request activity could not be written')
        })
    }
    if (dropped > reported) log.error({ dropped: dropped - reported }, 'request activity was dropped')
    reported = dropped
  }

  return {
    /** Queues an entry. Returns at once, never throws. */
    record(activity: Activity): void {
      const entries = recent.get(activity.tokenId) ?? []
      if (entries.length === 0) recent.set(activity.tokenId, entries)
      entries.push(activity)
      if (entries.length > shownOfToken) entries.shift()
      else recentCount += 1
      if (due.length + recentCount > maxWaiting) {
        due.shift()
        dropped += 1
      }
      timer ??= setTimeout(flush, intervalMs).unref()
      if (recentCount >= earlySize) void flush()
    },
    flush,
    stats: (): RecorderStats => ({ waiting: due.length + recentCount, dropped }),
  }
}

const recordActivity = {
  name: 'record_activity',
  text: 'select access.record_activity($1::uuid[], $2::timestamptz[], $3::text[], $4::smallint[], $5::real[], $6::uuid[], $7::jsonb[])',
}

/** Stores a batch and the last use of its tokens, on the pool of `studio_recorder`.
 * @throws DatabaseUnavailable, StatementFailed */
export async function writeActivity(pool: Pool, batch: readonly Activity[]): Promise<void> {
  const columns = [
    batch.map(({ tokenId }) => tokenId),
    batch.map(({ at }) => at.toISOString()),
    batch.map(({ endpoint }) => endpoint),
    batch.map(({ status }) => status),
    batch.map(({ durationMs }) => durationMs),
    batch.map(({ requestId }) => requestId),
    batch.map((activity) => JSON.stringify(detailsOf(activity))),
  ]
  await pool.query(recordActivity, columns)
}

/** The details of a request for its owner; see `access.token_activity()`. */
export type ActivityDetails = Pick<Activity, 'ignored' | 'address' | 'agent' | 'bytes' | 'cached'> & { query: string }

/** At most 2 kB, without tokens. */
function detailsOf({ query, parameters, ignored, address, agent, bytes, cached }: Activity): ActivityDetails {
  const values = parameters.length > 0 ? new URLSearchParams(query) : undefined
  const shown = parameters.map((name) => `${name}=${name === 'cursor' ? '…' : printable(values?.get(name) ?? '')}`)
  return { query: shown.join('&'), ignored, address, agent: printable(agent), bytes, cached }
}

const printable = (text: string) => withoutSecrets(text).slice(0, 200).replace(/\p{C}/gu, '\uFFFD')
