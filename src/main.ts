import { createServer } from 'node:http'
import { createLimiter } from './access/limiter.ts'
import { createRecorder } from './access/recorder.ts'
import { createCache } from './api/cache.ts'
import { readFromReplicas } from './api/read.ts'
import { createApp, type Readiness } from './app.ts'
import type { Config } from './config.ts'
import { openConsole } from './console/open.ts'
import { writeActivity } from './database/activity.ts'
import { endOverdue } from './database/analysts.ts'
import { openDatabase } from './database/connection.ts'
import { latestMigration } from './database/migrate.ts'
import { type Pool, poolFor, sendUnnamed, statsOf, warmUp } from './database/pools.ts'
import { replicasFor } from './database/replicas.ts'
import { greet, prepareEmbedded } from './demo/open.ts'
import { graphqlAddress } from './front/links.ts'
import { type OpenGraphql, openGraphql } from './graphql/open.ts'
import { hardenServer, serverOptions } from './http/client-errors.ts'
import { metaText } from './http/envelope.ts'
import type { Logger } from './log.ts'
import { openPhotos } from './photos/open.ts'
import { askAuditToo } from './process/audit-readiness.ts'
import { type Closers, closeAll, within } from './process/closing.ts'
import { connectionCount, watchForDrain } from './process/drain.ts'
import { findPort, listen } from './process/listener.ts'
import { openOperatorPort } from './process/operator.ts'
import { checkLogin, judgeReadiness } from './process/readiness.ts'
import { refreshDaily } from './process/valuation.ts'
import { watchAnalysts } from './process/watchdog.ts'
import { openTracing } from './tracing/open.ts'

/** How long the last activity may take to be written, and how long pools may take to close, in milliseconds. */
const lastWrites = 3_000

/** The running service. `close` finishes the requests under way, writes what is still held and lets go of everything. */
export type Service = { url: string; close(): Promise<void> }

/**
 * Starts the service: the database, what the app needs, the listener, the daily refresh of values. Reads top to bottom
 * as the process comes up; `close` takes it down in the opposite order, also when the start fails halfway.
 *
 * Without DATABASE_URL the embedded database is brought up to date, a new one is filled with demo data, and the lines to
 * try it are printed. A database that the user brought is never changed by a start.
 *
 * @throws with one line for the operator: a taken port, a refused login, an embedded server that cannot run here
 */
export async function serve(given: Config, log: Logger): Promise<Service> {
  const config = await withPort(given)
  const closers: Closers = []
  let closing: Promise<void> | undefined
  const close = () => {
    closing ??= closeAll(closers)
    return closing
  }

  try {
    const operator = await openOperatorPort(config, log)
    closers.push(() => operator?.close())
    const tracing = await openTracing(config.tracing, log)
    closers.push(() => tracing?.close())
    const database = await openDatabase(config, log)
    closers.push(database.close)
    if (database.embedded) await prepareEmbedded(config, database, log)
    else await checkLogin(database.urlFor('studio_api'))

    const api = poolFor('studio_api', config.poolSize, config, database, log)
    const recording = poolFor('studio_recorder', 1, config, database, log)
    const recorder = createRecorder({ write: (batch) => writeActivity(recording, batch), log })
    closers.push(() => within(lastWrites, Promise.all([api.end(), recording.end()])))
    closers.push(() => within(lastWrites, recorder.flush()))
    if (!config.scaling.preparedStatements) sendUnnamed(api, recording)
    const replicas = replicasFor(config, database, log)
    closers.push(() => within(lastWrites, Promise.resolve(replicas?.close())))
    const read = replicas && readFromReplicas(api, replicas)
    const stopWatching = leads(config) ? watchAnalysts(() => endOverdue(recording), log) : async () => undefined
    closers.push(() => within(lastWrites, stopWatching()))
    void warmUp(api, config.poolSize)
    const watchPool = (name: string, pool: Pool) => {
      operator?.metrics.watchPool(name, () => statsOf(pool))
      tracing?.watchPool(name, pool)
    }
    watchPool('studio_api', api)
    // What is recorded has no trace: it is of many requests.
    operator?.metrics.watchPool('studio_recorder', () => statsOf(recording))
    for (const [index, pool] of replicas?.pools.entries() ?? []) watchPool(`replica_${index + 1}`, pool)
    if (replicas) operator?.metrics.watchReplicas(replicas.states)

    const cache = createCache(config.cacheMaxBytes, metaText(config.docsUrl))
    const bareLimiter = await createLimiter(config, log)
    const limiter = operator?.metrics.counting(bareLimiter) ?? bareLimiter
    closers.push(limiter.close)
    operator?.metrics.watchRecorder(recorder.stats)
    operator?.metrics.watchCache(cache.stats)
    const latest = await latestMigration()
    const schemaReady = () => judgeReadiness(api, latest)
    const ready = config.audit.onReady ? await askAuditToo(schemaReady, config, database, closers, log) : schemaReady
    if (!database.embedded) await warnUnlessReady(ready, log)

    const signer = await openPhotos(config, database.secretKey)
    const console = await openConsole(config, database, limiter, log)
    closers.push(() => within(lastWrites, Promise.resolve(console?.close())))
    if (console) watchPool('studio_console', console.pool)
    let graphql: OpenGraphql | undefined
    const app = createApp({
      ...{ config, log, api, read, record: recorder.record, limiter, cache, signer, ready },
      console: console?.router,
      graphql: () => graphqlAddress(config, graphql?.port ?? (config.graphql.port || undefined), database.embedded),
      measure: operator?.metrics.measure,
      trace: tracing?.request,
    })
    const server = createServer(serverOptions, app)
    hardenServer(server, { docsUrl: config.docsUrl, log, mostConnections: config.mostConnections })
    const drain = watchForDrain(server)
    await listen(server, config.host, config.port)
    // Both listeners stop accepting at once; neither waits for the other.
    closers.push(() => Promise.all([drain(config.shutdownTimeoutMs), graphql?.close()]))
    operator?.metrics.watchConnections(() => connectionCount(server))
    operator?.readyWhen(ready)
    closers.push(() => operator?.stopping())
    log.info({ url: config.publicUrl, host: config.host, port: config.port }, 'listening')

    if (!leads(config)) return { url: config.publicUrl, close }
    graphql = await openGraphql(config, database, log, operator?.metrics.measure)
    if (graphql) operator?.metrics.watchPool('studio_graphql', graphql.poolStats)
    if (database.embedded) await greet(config, database, api, graphql?.port, log)
    closers.push(refreshDaily(database.urlFor('studio_writer'), log))
    return { url: config.publicUrl, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** What is done once for all processes of this machine is done by the first. */
const leads = ({ worker }: Config) => worker === undefined || worker === 1

/** Port 0 is any free port; the public address follows unless it was given. */
async function withPort(config: Config): Promise<Config> {
  // A worker's port is held by its supervisor, who has looked.
  if (config.worker !== undefined) return config
  const port = await findPort(config.host, config.port)
  if (config.port !== 0) return config
  const follow = (url: string) => url.replace(/^http:\/\/localhost:0(?=\/|$)/, `http://localhost:${port}`)
  return { ...config, port, publicUrl: follow(config.publicUrl), docsUrl: follow(config.docsUrl) }
}

async function warnUnlessReady(ready: () => Promise<Readiness>, log: Logger): Promise<void> {
  const state = await ready()
  if (!state.ready) log.warn({ reason: state.reason }, 'started, but cannot answer yet')
}
