import { createCache } from '../api/cache.ts'
import { createReadingCell } from '../api/cell.ts'
import { createRecorder } from '../auth/recorder.ts'
import { writeActivity } from '../auth/write-activity.ts'
import { type Cell, configOf } from '../config/config.ts'
import type { Database } from '../database/database.ts'
import { newestMigration } from '../database/migrations.ts'
import { poolFor } from '../database/pool.ts'
import { replicasFor } from '../database/replicas.ts'
import { prepareEmbedded } from '../dev/demo/prepare-demo.ts'
import { metaText } from '../http/envelope.ts'
import type { Logger } from '../observability/log.ts'
import { askAuditToo } from './audit-readiness.ts'
import { startCellJobs } from './cell-jobs.ts'
import { inTime } from './in-time.ts'
import type { CellParts, OpenCell } from './open-cell.ts'
import { openDatabase } from './open-database.ts'
import { checkLogin, checkReadiness, LoginRefused } from './readiness.ts'

/**
 * Opens one of the configured cells: its database, its pools, its cache, and what runs for it beside requests.
 *
 * @param leads whether this process does what one of several workers does for all
 * @throws LoginRefused where it is the only one; of several, the others are of use without it
 */
export async function openCell(cell: Cell, given: CellParts, leads: boolean): Promise<OpenCell> {
  const { resources, observability } = given
  const { name } = cell
  const config = configOf(given.config, cell)
  const log = name === undefined ? given.log : given.log.child({ cell: name })
  const database = await openDatabase(config, log)
  resources.defer(database.close)
  if (database.embedded) await prepareEmbedded(config, database, log)
  else await tryLogin(database, log, given.config.cells.length === 1)

  const api = poolFor('studio_api', config.poolSize, config, database, log)
  const recording = poolFor('studio_recorder', 1, config, database, log)
  const recorder = createRecorder({ write: (batch) => writeActivity(recording, batch), log })
  resources.defer(() => inTime(Promise.all([api.close(), recording.close()])))
  resources.defer(() => inTime(recorder.flush()))
  const replicas = replicasFor(config, database, log)
  resources.defer(() => inTime(replicas?.close()))
  const opened = { name, config, log, database, api, recording }
  if (leads) await startCellJobs(opened, given)
  void api.warmUp()

  // All cells share the memory.
  const cache = createCache(Math.floor(config.cacheMaxBytes / given.config.cells.length), metaText(config.docsUrl))
  observability.watchPool('studio_api', api, { cell: name })
  // Recording activity has no trace: a batch belongs to many requests.
  observability.watchPool('studio_recorder', recording, { isTraced: false, cell: name })
  for (const [index, pool] of replicas?.pools.entries() ?? []) {
    observability.watchPool(`replica_${index + 1}`, pool, { cell: name })
  }
  if (replicas) observability.watchReplicas(replicas.states, name)
  observability.watchRecorder(recorder.stats, name)
  observability.watchCache(cache.stats, name)
  return {
    ...opened,
    reading: createReadingCell({ name, api, replicas, cache, record: recorder.record }),
    check: await checkOf(opened, resources),
  }
}

async function checkOf(
  { config, api, database, log }: Pick<OpenCell, 'config' | 'api' | 'database' | 'log'>,
  resources: AsyncDisposableStack,
): Promise<OpenCell['check']> {
  const newest = await newestMigration()
  const schemaReady = () => checkReadiness(api, newest)
  return config.audit.onReady ? askAuditToo(schemaReady, config, database, resources, log) : schemaReady
}

async function tryLogin({ urlFor }: Database, log: Logger, isOnly: boolean): Promise<void> {
  try {
    await checkLogin(urlFor('studio_api'))
  } catch (error) {
    if (isOnly || !(error instanceof LoginRefused)) throw error
    log.error({ reason: error.message }, 'the cell cannot be used')
  }
}
