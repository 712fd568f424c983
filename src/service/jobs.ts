import { setTimeout as sleep } from 'node:timers/promises'
import { lockWriters } from '../analysts/logins.ts'
import { type EndedSession, endingOf, endings, endOverdue, keepUp } from '../analysts/upkeep.ts'
import type { Config } from '../config/config.ts'
import { withSafeClient } from '../database/client.ts'
import type { Pool } from '../database/pool.ts'
import { type Database, type LoginUrl, userOf } from '../database/roles.ts'
import type { Logger } from '../log.ts'
import type { Observability } from '../observability/observability.ts'
import { createJobs, type JobRun, type Jobs, type Stop } from './job-runner.ts'
import { closeMonths, refreshValuations } from './refresh-values.ts'
import type { Resources } from './signals.ts'

/** The objects that each part of the service needs. */
export type Dependencies = {
  config: Config
  log: Logger
  /** The end of the service closes these. */
  resources: Resources
  observability: Observability
}

/** How long a part may take to close, in milliseconds. */
const closeTimeoutMs = 3_000

export async function inTime(closing: Promise<unknown> | undefined): Promise<void> {
  await Promise.race([closing, sleep(closeTimeoutMs, undefined, { ref: false })])
}

/** Starts the jobs of an open database. `working` is their own pool of studio_recorder, so that a
 * slow job does not hold up the record of requests. */
export async function startDatabaseJobs(
  { config, log, resources, observability }: Dependencies,
  database: Database,
  working: Pool,
): Promise<Jobs> {
  const jobs = createJobs(log, (run) => working.query(recordStatement, recordValues(run)))
  observability.metrics?.watchJobs(jobs.states)
  const heartbeat = await startHeartbeat(working, jobs)
  observability.metrics?.watchWatermark(heartbeat.watermarkAge)
  observability.metrics?.watchLogins(heartbeat.logins)
  const watchdog = watchAnalysts(() => endOverdue(working), jobs)
  observability.metrics?.watchAnalysts(watchdog.ended)
  const stops = [
    heartbeat.stop,
    watchdog.stop,
    ...(userOf(database.adminUrl) === undefined ? [] : [keepUpAnalysts(database.adminUrl, jobs)]),
    purgeUploads(working, jobs),
    purgeActivity(working, jobs),
    purgeRemovals(database.urlFor('studio_writer'), config.removalsDays, jobs),
  ]
  for (const stop of stops) resources.defer(() => inTime(stop()))
  return jobs
}

const recordStatement = { name: 'record_job', text: 'select access.record_job($1, $2, $3, $4, $5)' }

const recordValues = ({ name, everyMs, seconds, rows, failure }: JobRun) => [
  name,
  everyMs / 1000,
  seconds,
  rows,
  failure ?? null,
]

/** Starts the refresh of values, which may take longer and must wait for the demo. */
export function startRefresh({ resources, observability }: Dependencies, database: Database, jobs: Jobs): void {
  const refresh = startValuationRefresh(database.urlFor('studio_writer'), jobs)
  resources.defer(() => inTime(refresh.stop()))
  observability.metrics?.watchValuationRefresh(refresh.failures)
}

const beatStatement = {
  name: 'heartbeat',
  text: 'select extract(epoch from access.watermark()) as watermark, access.count_logins() as logins from access.heartbeat()',
}

/** Moves the watermark each second. The database lets one process write. Resolves after one try. */
export async function startHeartbeat(pool: Pool, { repeat }: Pick<Jobs, 'repeat'>) {
  let watermark: number | undefined
  let logins = 0
  const run = async () => {
    const [row] = await pool.query<{ watermark: string | null; logins: string | null }>(beatStatement)
    if (row !== undefined && row.watermark !== null) watermark = Number(row.watermark)
    logins = Number(row?.logins ?? 0)
    return undefined
  }
  await run().catch(() => undefined)
  const stop = repeat({ name: 'heartbeat', everyMs: 1_000, run })
  return {
    /** The age of the watermark in seconds: clients see all changes before it. Else undefined. */
    watermarkAge: () => (watermark === undefined ? undefined : Math.max(0, Date.now() / 1000 - watermark)),
    /** How many sessions all logins have opened in the database; 0 where nobody may know. */
    logins: () => logins,
    stop,
  }
}

/** After this many looks, the log says that nothing ends a session. After this many more, it says so
 * again. */
const [standing, saidAgain] = [5, 150]

/** Calls `look`, which ends analysts' sessions beyond their limits, and logs once what it ended.
 * Logs an error for what is still there afterwards. `ended` counts by `endings` since the start. */
export function watchAnalysts(
  look: () => Promise<readonly EndedSession[]>,
  { log, repeat }: Pick<Jobs, 'log' | 'repeat'>,
  everyMs = 2_000,
) {
  let seen = new Map<string, number>()
  const ended = new Map(endings.map((ending) => [ending, 0]))
  const count = (ending: (typeof endings)[number]) => ended.set(ending, (ended.get(ending) ?? 0) + 1)
  const run = async () => {
    const before = seen
    seen = new Map()
    for (const session of await look()) {
      const { login, pid, action, reason } = session
      const key = [login, pid, action, pid === null ? reason : ''].join(' ')
      const looks = (before.get(key) ?? 0) + 1
      seen.set(key, looks)
      const what = pid === null ? 'a prepared transaction' : 'a session'
      if (looks === 1) {
        log.warn(session, `watchdog: ${action} ${what} of an analyst`)
        if (action === 'ended') count(endingOf(reason))
      } else if (looks % saidAgain === standing) {
        log.error(session, `watchdog: ${what} of an analyst is still there`)
        if (pid !== null) count('never')
      }
    }
    return undefined
  }
  return { stop: repeat({ name: 'watchdog of analysts', everyMs, run }), ended: () => [...ended] }
}

/** Every half minute locks out logins that keep writing, takes back what analysts set for
 * themselves, and rolls back what they prepared. */
function keepUpAnalysts(adminUrl: string, { log, repeat }: Jobs): Stop {
  const run = async () => {
    for (const login of await lockWriters(adminUrl)) {
      log.error({ login }, 'locked out an analyst who kept writing to the catalog or sending notifications')
    }
    const { reset, rolledBack } = await keepUp(adminUrl)
    if (reset.length > 0) log.warn({ reset }, 'took back what analysts had set for themselves')
    if (rolledBack.length > 0) log.warn({ transactions: rolledBack }, 'rolled back what analysts had prepared')
    return reset.length + rolledBack.length
  }
  return repeat({ name: 'upkeep of analysts', everyMs: 30_000, run })
}

/** Deletes expired uploads to the console every minute. */
export function purgeUploads(
  pool: Pick<Pool, 'query'>,
  { log, repeat }: Pick<Jobs, 'log' | 'repeat'>,
  everyMs = 60_000,
): Stop {
  const run = async () => {
    const text = 'select access.purge_uploads()::int as purged'
    const [row] = await pool.query<{ purged: number }>({ name: 'purge_uploads', text })
    if (row?.purged) log.info({ uploads: row.purged }, 'deleted expired uploads')
    return row?.purged
  }
  return repeat({ name: 'deletion of expired uploads', everyMs, run })
}

/** Forgets the details of old requests every hour, in parts. */
export function purgeActivity(pool: Pick<Pool, 'query'>, { log, repeat }: Pick<Jobs, 'log' | 'repeat'>): Stop {
  const run = async () => {
    const text = 'select access.purge_activity()::int as purged'
    let total = 0
    for (let part: number | undefined; part !== 0; total += part) {
      part = (await pool.query<{ purged: number }>({ name: 'purge_activity', text }))[0]?.purged ?? 0
    }
    if (total > 0) log.info({ requests: total }, 'forgot the details of old requests')
    return total
  }
  return repeat({ name: 'deletion of old details of requests', everyMs: 3_600_000, run })
}

/** Forgets removals older than `days` every hour, in parts. `writerUrl` is that of studio_writer. */
function purgeRemovals(writerUrl: LoginUrl, days: number, { log, repeat }: Jobs): Stop {
  const run = async () => {
    const purged = await withSafeClient(writerUrl, async (client) => {
      let total = 0
      for (let after: string | null | undefined; after !== null; ) {
        const text = 'select purged::int, after_studio as after from access.purge_removals($1, $2)'
        const { rows } = await client.query<{ purged: number; after: string | null }>(text, [days, after])
        total += rows[0]?.purged ?? 0
        after = rows[0]?.after ?? null
      }
      return total
    })
    if (purged > 0) log.info({ purged }, 'forgot old removals')
    return purged
  }
  return repeat({ name: 'purge of old removals', everyMs: 3_600_000, run })
}

/** Values items and closes months every five minutes: values are soon current after midnight. */
function startValuationRefresh(writerUrl: LoginUrl, { log, repeat }: Jobs) {
  let failures = 0
  const failed = (error: unknown) => {
    failures += 1
    throw error
  }
  const run = async () => {
    const refreshed = await refreshValuations(writerUrl, log).catch(failed)
    if (refreshed.moved > 0) log.info({ moved: refreshed.moved }, 'refreshed valuations')
    const closed = await closeMonths(writerUrl, log).catch(failed)
    if (closed.values > 0) log.info({ values: closed.values }, 'closed months')
    failures += refreshed.failed + closed.failed
    return refreshed.moved + closed.values
  }
  const stop = repeat({ name: 'refresh of valuations', everyMs: 5 * 60_000, run })
  /** How many refreshes and closings of a studio have failed since the start. */
  return { failures: () => failures, stop }
}
