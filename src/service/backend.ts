import { createCache } from '../api/cache.ts'
import { createReading } from '../api/read.ts'
import { createRecorder, writeActivity } from '../auth/recorder.ts'
import { connectionsOfConsole } from '../console/open-console.ts'
import { poolFor } from '../database/pool.ts'
import { openReplicas } from '../database/replicas.ts'
import { prepareEmbedded } from '../demo/prepare-demo.ts'
import { metaText } from '../http/response.ts'
import { newestMigration } from '../migration/migrations.ts'
import { type Dependencies, inTime, startDatabaseJobs } from './jobs.ts'
import { openDatabase } from './open-database.ts'
import { checkLogin, checkReadiness, warnOfServer } from './readiness.ts'

/** The connections of each pool of studio_api beside POOL_SIZE. Authentication runs one statement at
 * a time; what all items need takes a processor for seconds, so one studio has half of these. */
const beside = 2

/** How many such statements may wait, of one studio half of these. */
const maxWaitingForAllItems = 20

/** The open database, and all that this process runs on it. */
export type Backend = Awaited<ReturnType<typeof openBackend>>

/** Opens the database, its pools, cache and jobs. @throws LoginRefused */
export async function openBackend(dependencies: Dependencies) {
  const { config, log, resources, observability } = dependencies
  const database = await openDatabase(config, log, true)
  resources.defer(database.close)
  if (database.embedded) await prepareEmbedded(config, database, log)
  else await checkLogin(database.urlFor('studio_api'))

  const api = poolFor('studio_api', config.poolSize, config, database, log)
  const authentication = poolFor('studio_api', beside, config, database, log)
  const allItems = poolFor('studio_api', beside, { ...config, poolQueue: maxWaitingForAllItems }, database, log)
  const recording = poolFor('studio_recorder', 1, config, database, log)
  const working = poolFor('studio_recorder', 1, config, database, log)
  const pools = [api, authentication, allItems, recording, working]
  const recorder = createRecorder({ write: (batch) => writeActivity(recording, batch), log })
  resources.defer(() => inTime(Promise.all(pools.map((pool) => pool.close()))))
  resources.defer(() => inTime(recorder.flush()))
  const { replicaUrls, preparedStatements } = config.scaling
  const urls = replicaUrls.map((replica) => database.urlFor('studio_api', replica))
  const replicas = urls.length > 0 ? openReplicas({ urls, size: config.poolSize, preparedStatements, log }) : undefined
  resources.defer(() => inTime(replicas?.close()))
  const own = pools.reduce((sum, pool) => sum + pool.maxConcurrency, config.console.enabled ? connectionsOfConsole : 0)
  // A pooler decides itself how many connections it opens.
  await warnOfServer(working, config.poolerUrl === undefined ? own : 0, log)
  const jobs = await startDatabaseJobs(dependencies, database, working)
  for (const pool of [api, authentication, allItems]) void pool.warmUp()

  const cache = createCache(config.cacheMaxBytes, metaText(config.docsUrl))
  observability.watchPool('studio_api', api)
  observability.watchPool('authentication', authentication)
  observability.watchPool('all_items', allItems)
  // Traces leave out the recording, because a batch belongs to many requests.
  observability.watchPool('studio_recorder', recording, { isTraced: false })
  observability.watchPool('jobs', working, { isTraced: false })
  for (const [index, pool] of replicas?.pools.entries() ?? []) observability.watchPool(`replica_${index + 1}`, pool)
  if (replicas) observability.metrics?.watchReplicas(replicas.states)
  observability.metrics?.watchRecorder(recorder.stats)
  observability.metrics?.watchCache(cache.stats)
  const newest = await newestMigration()
  return {
    database,
    api,
    jobs,
    reading: createReading({ pools: { api, authentication, allItems }, replicas, cache, record: recorder.record }),
    check: () => checkReadiness(authentication, newest),
  }
}
