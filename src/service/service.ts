import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { createLimiter } from '../auth/limiter.ts'
import { type Config, ConfigError } from '../config/config.ts'
import { openConsole } from '../console/open-console.ts'
import { commandOfDemo, greet, offersDemoSignIn, rememberAccess } from '../demo/prepare-demo.ts'
import { messageOf } from '../domain/text.ts'
import { findPort, listen } from '../http/listener.ts'
import type { Readiness } from '../http/response.ts'
import { connectionCount, hardenServer, serverOptions } from '../http/server.ts'
import type { Logger } from '../log.ts'
import { openObservability } from '../observability/observability.ts'
import { openPhotos } from '../photos/open-photos.ts'
import { graphqlAddress } from '../web/links.ts'
import { analystsOf } from './analysts.ts'
import { type Backend, openBackend } from './backend.ts'
import { findGraphqlPort, startGraphql } from './graphql-child.ts'
import { type Dependencies, inTime, startRefresh } from './jobs.ts'
import { rememberReadiness } from './readiness.ts'
import { createApp } from './rest-app.ts'
import { type Closable, collectResources } from './signals.ts'

type Access = ReturnType<typeof rememberAccess>

const isStopping: Readiness = { ready: false, reason: 'the service is stopping' }

/** Starts the service. Prepares an embedded database, but never changes one at DATABASE_URL.
 * @throws with a line for the operator: port taken, login refused, or no embedded server */
export async function serve(given: Config, log: Logger): Promise<Closable & { url: string }> {
  const config = await withPort(given)
  warnOfTrust(config, log)
  refuseOpenDemo(config)
  const resources = collectResources()
  try {
    const observability = await openObservability(config, log, resources)
    const dependencies = { config, log, resources, observability }
    // The modules load while the database is prepared.
    const hasConsole = config.console.enabled && config.databaseUrl === undefined
    if (hasConsole) void import('../console/console.ts').catch(() => undefined)
    const backend = await openBackend(dependencies)
    const graphqlPort = backend.database.embedded ? await findGraphqlPort(config) : undefined
    const { database, api } = backend
    const access = database.embedded ? rememberAccess(config, database, api) : undefined
    const sayStopping = await startApi(dependencies, backend, graphqlPort, access)
    await startJobs(dependencies, backend, graphqlPort, access)
    return {
      url: config.publicUrl,
      async announce() {
        sayStopping()
        await sleep(config.shutdownDelayMs)
      },
      close: () => resources.close(),
    }
  } catch (error) {
    await resources.close()
    throw error
  }
}

/** Starts the API's listener and all behind it. `announce` makes `/readyz` answer 503. */
async function startApi(
  { config, log, resources, observability }: Dependencies,
  backend: Backend,
  graphqlPort: number | undefined,
  access: Access | undefined,
): Promise<() => void> {
  const { database, reading } = backend
  const { metrics, trace } = observability
  const uncounted = await createLimiter(config, log)
  const limiter = metrics?.counting(uncounted) ?? uncounted
  resources.defer(async () => limiter.close())
  const state = database.embedded ? undefined : await backend.check()
  if (state?.ready === false) log.warn({ reason: state.reason }, 'started, but not ready yet')
  const readiness = rememberReadiness(backend.check)
  let stopping = false
  const ready = async () => (stopping ? isStopping : readiness())
  const graphql = graphqlAddress(config, graphqlPort)
  const console = await openConsole(config, database, limiter, demoPeople, graphql, analystsOf(config, database), log)
  resources.defer(() => inTime(console?.close()))
  if (console) {
    observability.watchPool('studio_console', console.pool)
    observability.watchPool('console_reader', console.reader)
    metrics?.watchSignIns(console.signIns)
  }

  const signer = await openPhotos(config, database.secretKeys, log)
  metrics?.watchPhotos(signer.failures)
  // Tells the operator at the start, because an item without photo_urls is a 200.
  void signer.sign('photo.jpg').catch((error: unknown) => signer.failed?.(messageOf(error)))
  const app = createApp({
    ...{ config, log, limiter, ready, secretKeys: database.secretKeys, reading },
    signer,
    console: console?.router,
    command: database.embedded ? commandOfDemo(config) : undefined,
    demo: access && offersDemoSignIn(config) ? access : undefined,
    mcp: config.mcp.enabled ? (await import('../mcp/http.ts')).serveMcp : undefined,
    graphql,
    measure: metrics?.measure,
    trace,
  })
  const server = createServer(serverOptions, app)
  const drain = hardenServer(server, { docsUrl: config.docsUrl, log, maxConnections: config.maxConnections })
  await listen(server, config.host, config.port, 'PORT', log)
  resources.defer(() => drain(config.shutdownTimeoutMs))
  metrics?.watchConnections(() => connectionCount(server))
  observability.readyWhen(ready)
  const sayStopping = () => {
    stopping = true
  }
  resources.defer(async () => sayStopping())
  log.info({ url: config.publicUrl, host: config.host, port: config.port }, 'listening')
  return sayStopping
}

/** Starts GraphQL, the demo's greeting and the refresh of values. */
async function startJobs(
  dependencies: Dependencies,
  { database, jobs }: Backend,
  graphqlPort: number | undefined,
  access: Access | undefined,
): Promise<void> {
  const { config, log, resources } = dependencies
  if (graphqlPort !== undefined && access !== undefined) {
    const graphql = startGraphql(config, graphqlPort, log)
    resources.defer(graphql.stop)
    const address = graphqlAddress(config, graphqlPort)?.ide
    await greet(config, access(), address, log)
  }
  startRefresh(dependencies, database, jobs)
}

/** The users who can sign in to the demo's console. */
const demoPeople = async () => (await import('../demo/studios.ts')).demoPeople()

/** Port 0 means any free port. The public address then has that port, unless it is set. */
async function withPort(config: Config): Promise<Config> {
  const port = await findPort(config.host, config.port)
  if (config.port !== 0) return config
  const follow = (url: string) => url.replace(/^http:\/\/localhost:0(?=\/|$)/, `http://localhost:${port}`)
  return { ...config, port, publicUrl: follow(config.publicUrl), docsUrl: follow(config.docsUrl) }
}

/** Warns of TRUST_PROXY=true: clients could choose the address that limits apply to. */
export function warnOfTrust({ trustProxy }: Pick<Config, 'trustProxy'>, log: Logger): void {
  if (trustProxy !== true) return
  const advice = 'set it to the number of proxies in front, for example TRUST_PROXY=1, or to their addresses'
  log.warn(
    { advice },
    'TRUST_PROXY=true lets clients choose their address: failed authentications count against it, and tokens that are limited to addresses are accepted by it',
  )
}

/** Keeps other machines from signing in to the demo, which has no passwords. @throws ConfigError */
export function refuseOpenDemo(config: Pick<Config, 'host' | 'demoOnNetwork' | 'console' | 'databaseUrl'>): void {
  if (!offersDemoSignIn(config) || config.demoOnNetwork || /^(localhost|127(\.\d+){3}|::1)$/i.test(config.host)) return
  throw new ConfigError(
    `HOST: with ${JSON.stringify(config.host)} anyone who reaches this machine could sign in to the demo without a password; ` +
      'leave it out, set CONSOLE=false, or set DEMO_ON_NETWORK=true if that is what you want',
  )
}

/** Collects garbage when the heap has grown by 75 %. V8's own factor leaves 100 MB there. */
export function keepHeapSmall(): void {
  setFlagsFromString('--heap-growing-percent=75')
}
