import { createCache } from '../api/cache.ts'
import { createReading, type Reading } from '../api/reading.ts'
import { endOverdue } from '../apps/analysts/watch.ts'
import { createRecorder } from '../auth/recorder.ts'
import { writeActivity } from '../auth/write-activity.ts'
import type { Config } from '../config/config.ts'
import type { Database } from '../database/database.ts'
import { newestMigration } from '../database/migrations.ts'
import { type Pool, poolFor } from '../database/pool.ts'
import { replicasFor } from '../database/replicas.ts'
import { prepareEmbedded } from '../dev/demo/prepare-demo.ts'
import { metaText } from '../http/envelope.ts'
import type { Readiness } from '../http/readiness.ts'
import type { Logger } from '../observability/log.ts'
import type { Observability } from '../observability/observability.ts'
import { askAuditToo } from './audit-readiness.ts'
import { startHeartbeat } from './heartbeat.ts'
import { inTime } from './in-time.ts'
import { openDatabase } from './open-database.ts'
import { checkLogin, checkReadiness } from './readiness.ts'
import { purgeRemovals } from './removals.ts'
import { purgeUploads } from './uploads.ts'
import { startValuationRefresh } from './valuation.ts'
import { watchAnalysts } from './watchdog.ts'

/** What every part of the service is made of. */
export type Parts = {
  config: Config
  log: Logger
  /** Collects what has to be closed at the end. */
  resources: AsyncDisposableStack
  observability: Observability
}

/** The database in use, with all that the process has for it. */
export type Backend = {
  database: Database
  /** The pool of studio_api. */
  api: Pool
  reading: Reading
  check(): Promise<Readiness>
}

/**
 * Opens the database: its pools, its cache, and what runs for it beside requests.
 *
 * @throws LoginRefused
 */
export async function openBackend(parts: Parts): Promise<Backend> {
  const { config, log, resources, observability } = parts
  const database = await openDatabase(config, log, true)
  resources.defer(database.close)
  if (database.embedded) await prepareEmbedded(config, database, log)
  else await checkLogin(database.urlFor('studio_api'))

  const api = poolFor('studio_api', config.poolSize, config, database, log)
  const recording = poolFor('studio_recorder', 1, config, database, log)
  const recorder = createRecorder({ write: (batch) => writeActivity(recording, batch), log })
  resources.defer(() => inTime(Promise.all([api.close(), recording.close()])))
  resources.defer(() => inTime(recorder.flush()))
  const replicas = replicasFor(config, database, log)
  resources.defer(() => inTime(replicas?.close()))
  await startDatabaseJobs(parts, database, recording)
  void api.warmUp()

  const cache = createCache(config.cacheMaxBytes, metaText(config.docsUrl))
  observability.watchPool('studio_api', api)
  // Recording activity has no trace: a batch belongs to many requests.
  observability.watchPool('studio_recorder', recording, { isTraced: false })
  for (const [index, pool] of replicas?.pools.entries() ?? []) observability.watchPool(`replica_${index + 1}`, pool)
  if (replicas) observability.watchReplicas(replicas.states)
  observability.watchRecorder(recorder.stats)
  observability.watchCache(cache.stats)
  return {
    database,
    api,
    reading: createReading({ api, replicas, cache, record: recorder.record }),
    check: await checkOf(parts, database, api),
  }
}

async function checkOf({ config, resources, log }: Parts, database: Database, api: Pool): Promise<Backend['check']> {
  const newest = await newestMigration()
  const schemaReady = () => checkReadiness(api, newest)
  return config.audit.onReady ? askAuditToo(schemaReady, config, database, resources, log) : schemaReady
}

/**
 * Starts what runs in the database from the moment at which it is opened: the watchdog, the heartbeat, and the end of old
 * removals and uploads.
 *
 * @param recording the pool of studio_recorder
 */
async function startDatabaseJobs(
  { config, log, resources, observability }: Parts,
  database: Database,
  recording: Pool,
): Promise<void> {
  const stopWatching = watchAnalysts(() => endOverdue(recording), log)
  resources.defer(() => inTime(stopWatching()))
  const heartbeat = await startHeartbeat(recording, log)
  resources.defer(() => inTime(heartbeat.stop()))
  observability.watchWatermark(heartbeat.watermarkAge)
  const stopPurging = purgeRemovals(database.urlFor('studio_writer'), config.removalsDays, log)
  resources.defer(() => inTime(stopPurging()))
  const stopDeleting = purgeUploads(recording, log)
  resources.defer(() => inTime(stopDeleting()))
}

/** Starts the refresh of values, which may take longer and has to wait for the demo. */
export function startRefresh({ resources, observability, log }: Parts, database: Database): void {
  const refresh = startValuationRefresh(database.urlFor('studio_writer'), log)
  resources.defer(() => inTime(refresh.stop()))
  observability.watchValuationRefresh(refresh.failures)
}
