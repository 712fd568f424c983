import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { createCache } from '../api/cache.ts'
import { openPhotos } from '../api/photos/configured-signer.ts'
import { readFromReplicas } from '../api/read.ts'
import { endOverdue } from '../apps/analysts/watch.ts'
import { openConsole } from '../apps/console/open-console.ts'
import { graphqlAddress } from '../apps/front/links.ts'
import { type OpenGraphql, openGraphql } from '../apps/graphql/open-graphql.ts'
import { createLimiter } from '../auth/limiter.ts'
import { createRecorder } from '../auth/recorder.ts'
import { writeActivity } from '../auth/write-activity.ts'
import type { Config } from '../config/config.ts'
import type { Database } from '../database/database.ts'
import { newestMigration } from '../database/migrations.ts'
import { type Pool, poolFor } from '../database/pool.ts'
import { replicasFor } from '../database/replicas.ts'
import { demoOfGraphql, greet, prepareEmbedded } from '../dev/demo/prepare-demo.ts'
import { hardenServer, serverOptions } from '../http/client-errors.ts'
import { connectionCount, watchForDrain } from '../http/drain.ts'
import { metaText } from '../http/envelope.ts'
import { findPort, listen } from '../http/listener.ts'
import { type Readiness, rememberReadiness } from '../http/readiness.ts'
import type { Logger } from '../observability/log.ts'
import { type Observability, openObservability } from '../observability/observability.ts'
import { askAuditToo } from './audit-readiness.ts'
import { startHeartbeat } from './heartbeat.ts'
import { openDatabase } from './open-database.ts'
import { checkLogin, checkReadiness } from './readiness.ts'
import { purgeRemovals } from './removals.ts'
import { createApp } from './rest-app.ts'
import { warnOfTrust } from './trust.ts'
import { purgeUploads } from './uploads.ts'
import { startValuationRefresh } from './valuation.ts'
import { watchAnalysts } from './watchdog.ts'

/** How long a part may take to close, in milliseconds. */
const closeTimeoutMs = 3_000

const isStopping: Readiness = { ready: false, reason: 'the service is stopping' }

export type Service = {
  url: string
  /** Answers 503 at `/readyz`, goes on answering everything else, and resolves after SHUTDOWN_DELAY_MS. */
  announce(): Promise<void>
  /** Finishes requests in flight, writes what is still buffered and releases everything. */
  close(): Promise<void>
}

/**
 * Starts the service: observability, the database, the API, and background jobs. `close` stops it in the opposite order,
 * also when the start fails halfway.
 *
 * Without DATABASE_URL the embedded database is migrated, a new one is filled with demo data, and example
 * commands are printed. A database of the user's own is never changed at startup.
 *
 * @throws with one line for the operator: a taken port, a refused login, an embedded server that cannot run here
 */
export async function serve(given: Config, log: Logger): Promise<Service> {
  const config = await withPort(given)
  if (leads(config)) warnOfTrust(config, log)
  const resources = new AsyncDisposableStack()
  try {
    const observability = await openObservability(config, log, resources)
    const database = await startDatabase(config, log, resources)
    const parts = { config, log, resources, observability, database }
    const api = await startApi(parts)
    if (leads(config)) await startJobs(parts, api)
    return {
      url: config.publicUrl,
      async announce() {
        api.announce()
        await sleep(config.shutdownDelayMs)
      },
      close: () => resources.disposeAsync(),
    }
  } catch (error) {
    await resources.disposeAsync()
    throw error
  }
}

/** What the parts of the service are started with; `resources` collects what has to be closed at the end. */
type Parts = {
  config: Config
  log: Logger
  resources: AsyncDisposableStack
  observability: Observability
  database: Database
}

async function startDatabase(config: Config, log: Logger, resources: AsyncDisposableStack): Promise<Database> {
  const database = await openDatabase(config, log)
  resources.defer(database.close)
  if (database.embedded) await prepareEmbedded(config, database, log)
  else await checkLogin(database.urlFor('studio_api'))
  return database
}

/** Starts the listener of the API, with everything a request passes through. Returns its pool, and what has to end with the listener. */
async function startApi({ config, log, resources, observability, database }: Parts): Promise<StartedApi> {
  const api = poolFor('studio_api', config.poolSize, config, database, log)
  const recording = poolFor('studio_recorder', 1, config, database, log)
  const recorder = createRecorder({ write: (batch) => writeActivity(recording, batch), log })
  resources.defer(() => inTime(Promise.all([api.close(), recording.close()])))
  resources.defer(() => inTime(recorder.flush()))
  const replicas = replicasFor(config, database, api, log)
  resources.defer(() => inTime(replicas?.close()))
  if (leads(config)) {
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
  void api.warmUp()

  const cache = createCache(config.cacheMaxBytes, metaText(config.docsUrl))
  const limiter = observability.counting(await createLimiter(config, log))
  resources.defer(async () => limiter.close())
  const readiness = await readinessOf(api, { config, log, resources, observability, database })
  let stopping = false
  const ready = async () => (stopping ? isStopping : readiness())
  const beside: StartedApi['beside'] = {}
  const graphql = () => {
    const port = beside.graphql?.port ?? (config.graphql.port || undefined)
    return graphqlAddress(config, port, database.embedded)
  }
  const console = await openConsole(config, database, limiter, demoPeople, graphql, log)
  resources.defer(() => inTime(console?.close()))

  observability.watchPool('studio_api', api)
  // Recording activity has no trace: a batch belongs to many requests.
  observability.watchPool('studio_recorder', recording, false)
  for (const [index, pool] of replicas?.pools.entries() ?? []) observability.watchPool(`replica_${index + 1}`, pool)
  if (replicas) observability.watchReplicas(replicas.states)
  if (console) {
    observability.watchPool('studio_console', console.pool)
    observability.watchSignIns(console.signIns)
  }
  observability.watchRecorder(recorder.stats)
  observability.watchCache(cache.stats)

  const app = createApp({
    ...{ config, log, api, limiter, cache, ready, secretKey: database.secretKey },
    read: replicas && readFromReplicas(api, replicas),
    record: recorder.record,
    signer: await openPhotos(config, database.secretKey, log),
    console: console?.router,
    mcp: config.mcp.enabled ? (await import('../apps/mcp/http.ts')).serveMcp : undefined,
    graphql,
    measure: observability.measure,
    trace: observability.trace,
  })
  const server = createServer(serverOptions, app)
  hardenServer(server, { docsUrl: config.docsUrl, log, maxConnections: config.maxConnections })
  const drain = watchForDrain(server)
  await listen(server, config.host, config.port, 'PORT', log)
  // Both listeners stop accepting at once; neither waits for the other.
  resources.defer(async () => {
    await Promise.all([drain(config.shutdownTimeoutMs), beside.graphql?.close()])
  })
  observability.watchConnections(() => connectionCount(server))
  observability.readyWhen(ready)
  resources.defer(async () => observability.stopping())
  log.info({ url: config.publicUrl, host: config.host, port: config.port }, 'listening')
  return {
    api,
    beside,
    announce() {
      stopping = true
    },
  }
}

type StartedApi = {
  /** The pool of the API. */
  api: Pool
  /** The listener that closes when the API's does, once it is open. */
  beside: { graphql?: OpenGraphql }
  /** Says at `/readyz` that the service is stopping. */
  announce(): void
}

/** Starts what one process does for all: GraphQL, the greeting of the demo, the refresh of values. */
async function startJobs(
  { config, log, resources, observability, database }: Parts,
  { api, beside }: Pick<StartedApi, 'api' | 'beside'>,
): Promise<void> {
  const graphql = await openGraphql(
    config,
    database,
    log,
    database.embedded ? await demoOfGraphql(config, database) : undefined,
    observability.measure,
  )
  if (graphql) {
    beside.graphql = graphql
    observability.watchPoolStats('studio_graphql', graphql.poolStats)
  }
  if (database.embedded) await greet(config, database, api, graphql?.port, log)
  const refresh = startValuationRefresh(database.urlFor('studio_writer'), log)
  resources.defer(() => inTime(refresh.stop()))
  observability.watchValuationRefresh(refresh.failures)
}

async function readinessOf(api: Pool, { config, log, resources, database }: Parts): Promise<() => Promise<Readiness>> {
  const newest = await newestMigration()
  const schemaReady = () => checkReadiness(api, newest)
  const ready = config.audit.onReady ? await askAuditToo(schemaReady, config, database, resources, log) : schemaReady
  if (!database.embedded) await warnUnlessReady(ready, log)
  return rememberReadiness(ready)
}

/** Waits for a part to close, up to a timeout. */
async function inTime(closing: Promise<unknown> | undefined): Promise<void> {
  await Promise.race([closing, sleep(closeTimeoutMs, undefined, { ref: false })])
}

/** The users who can sign in to the demo's console. */
const demoPeople = async () => (await import('../dev/demo/people.ts')).demoPeople()

/** Jobs that run once per machine run in the first process. */
const leads = ({ worker }: Config) => worker === undefined || worker === 1

/** Port 0 is any free port; the public address follows unless it was given. */
async function withPort(config: Config): Promise<Config> {
  // A worker's port belongs to its supervisor, which has checked it.
  if (config.worker !== undefined) return config
  const port = await findPort(config.host, config.port)
  if (config.port !== 0) return config
  const follow = (url: string) => url.replace(/^http:\/\/localhost:0(?=\/|$)/, `http://localhost:${port}`)
  return { ...config, port, publicUrl: follow(config.publicUrl), docsUrl: follow(config.docsUrl) }
}

async function warnUnlessReady(ready: () => Promise<Readiness>, log: Logger): Promise<void> {
  const state = await ready()
  if (!state.ready) log.warn({ reason: state.reason }, 'started, but not ready yet')
}
