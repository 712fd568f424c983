import { createServer, type RequestListener } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Router } from 'express'
import { inject } from 'vitest'
import { type Cache, createCache } from '../../src/api/cache.ts'
import { createReading } from '../../src/api/read.ts'
import { createLimiter, type Limiter } from '../../src/auth/limiter.ts'
import { createRecorder, type Recorder, writeActivity } from '../../src/auth/recorder.ts'
import type { Config, TracingConfig } from '../../src/config/config.ts'
import type { ConsoleOptions } from '../../src/console/console.ts'
import { createPool, type Pool } from '../../src/database/pool.ts'
import { openReplicas, type Replicas } from '../../src/database/replicas.ts'
import { roleUrl } from '../../src/database/roles.ts'
import { listen } from '../../src/http/listener.ts'
import type { Activity, EndedRequest } from '../../src/http/request-log.ts'
import { metaText } from '../../src/http/response.ts'
import { hardenServer, serverOptions } from '../../src/http/server.ts'
import { type Logger, makeLogger } from '../../src/log.ts'
import { newestMigration } from '../../src/migration/migrations.ts'
import { openTracing } from '../../src/observability/observability.ts'
import { createLocalPhotos } from '../../src/photos/local.ts'
import type { PhotoSigner } from '../../src/photos/signer.ts'
import { checkReadiness } from '../../src/service/readiness.ts'
import { createApp } from '../../src/service/rest-app.ts'
import { createClient, type Reply, type RequestOptions } from './client.ts'
import { gateMessage } from './gate-message.ts'
import { replicaCaughtUp, replicaUrlOf } from './replica.ts'
import { type TestDatabase, testSecretKey } from './server.ts'

export const docsUrl = 'https://docs.example.com/api'

/** No test reaches these limits by accident. */
export const generous: Config['rateLimits'] = {
  pro: { perSecond: 1_000_000, perMinute: 1_000_000 },
  studio: { perSecond: 1_000_000, perMinute: 1_000_000 },
  failedPerMinute: 1_000_000,
}

/** What a test configures differently from the service. The functions get the real part and return
 * its replacement. */
export type ServiceOptions = {
  limits?: Config['rateLimits']
  /** Size of the cache; 8 MB by default. */
  cacheMaxBytes?: number
  /** Wraps or replaces the cache. */
  cache?: (real: Cache) => Cache
  redisUrl?: string
  trustProxy?: Config['trustProxy']
  cors?: boolean
  /** Whether it answers at `/mcp`; not by default. */
  mcp?: boolean
  poolSize?: number
  acquireTimeoutMs?: number
  statementTimeoutMs?: number
  /** How many statements may wait for a connection. */
  poolQueue?: number
  measure?: (request: EndedRequest) => void
  tracing?: TracingConfig
  photosDir?: string
  /** The path of PUBLIC_URL: `/inventory`. */
  publicPath?: string
  docsUrl?: string
  /** Another way to the same database. */
  reach?: (url: string) => string
  /** False for a way through a pooler; else as the run has it. */
  preparedStatements?: boolean
  /** Replicas (empty: none, whatever the run has), and how long one is left out. */
  replicaUrls?: string[]
  replicaPauseMs?: number
  signer?: (real: PhotoSigner) => PhotoSigner
  limiter?: (real: Limiter) => Limiter
  write?: (batch: readonly Activity[]) => Promise<void>
  /** Makes the console, with what it needs of the service. */
  console?: (parts: ConsoleParts) => Promise<Router>
}

export type ConsoleParts = Pick<ConsoleOptions, 'pool' | 'reader' | 'photos' | 'limiter' | 'log'> & { url: string }

/** The service, listening. */
export type TestService = {
  url: string
  port: number
  /** The pool of studio_api that reads. */
  api: Pool
  /** All pools of studio_api. */
  pools: { api: Pool; authentication: Pool; allItems: Pool }
  /** The connection strings that its pools use. */
  reach(url: string): string
  cache: Cache
  recorder: Recorder
  /** Undefined without any. */
  replicas: Replicas | undefined
  get<Body = unknown>(path: string, options?: RequestOptions): Promise<Reply<Body>>
  /** Every line logged so far, at debug level. */
  log(): string
  /** Says why an answer is a 500, as the log does. Says nothing about other answers. */
  why(reply: Reply): string
  /** Finishes what is under way, writes the activity and closes the pools. */
  stop(): Promise<void>
}

/** Starts the parts that the process is made of on a test database and a free port. */
export async function startService(database: TestDatabase, options: ServiceOptions = {}): Promise<TestService> {
  const lines: string[] = []
  const log = makeLogger({ level: 'debug', stream: { write: (line) => void lines.push(line) } })
  const { poolSize = 4, acquireTimeoutMs = 2_000, statementTimeoutMs = 5_000, reach = pooledUrl } = options
  const openPool = (role: 'studio_api' | 'studio_recorder' | 'studio_console', size: number) =>
    createPool(reach(database.urlFor(role)), {
      applicationName: `test ${role}`,
      size,
      acquireTimeoutMs,
      statementTimeoutMs,
      maxWaiting: options.poolQueue,
      preparedStatements: options.preparedStatements ?? !pooled,
      log,
    })
  const api = openPool('studio_api', poolSize)
  const [authentication, allItems] = [openPool('studio_api', 2), openPool('studio_api', 2)]
  const pools = { api, authentication, allItems }
  const recording = openPool('studio_recorder', 1)
  const recorder = createRecorder({ write: options.write ?? ((batch) => writeActivity(recording, batch)), log })
  const replicas = openReplicasOf(database, options, log)
  const tracing = await openTracing(options.tracing, log)
  tracing?.watchPool('studio_api', api)
  tracing?.watchPool('authentication', authentication)
  tracing?.watchPool('all_items', allItems)
  for (const [index, pool] of replicas?.pools.entries() ?? []) tracing?.watchPool(`replica_${index + 1}`, pool)
  const rateLimits = options.limits ?? generous
  const limiter = await createLimiter({ rateLimits, redisUrl: options.redisUrl }, log)
  const newest = await newestMigration()

  let listener: RequestListener | undefined
  const server = createServer(serverOptions, (request, response) => listener?.(request, response))
  const shownDocsUrl = options.docsUrl ?? docsUrl
  const realCache = createCache(options.cacheMaxBytes ?? 8_000_000, metaText(shownDocsUrl))
  const cache = options.cache?.(realCache) ?? realCache
  const drain = hardenServer(server, { docsUrl: shownDocsUrl, log })
  const port = await listen(server, '127.0.0.1', 0)
  const url = `http://127.0.0.1:${port}`
  const publicUrl = url + (options.publicPath ?? '')
  const photos = createLocalPhotos({ secretKeys: testSecretKey, publicUrl, photosDir: options.photosDir ?? '/nowhere' })
  const consolePool = options.console && openPool('studio_console', poolSize)
  listener = createApp({
    console:
      consolePool &&
      (await options.console?.({ pool: consolePool, reader: api, photos, limiter, log, url: publicUrl })),
    config: {
      publicUrl,
      docsUrl: shownDocsUrl,
      rateLimits,
      trustProxy: options.trustProxy ?? false,
      cors: options.cors ?? true,
    },
    log,
    secretKeys: testSecretKey,
    reading: createReading({ pools, replicas, cache, record: recorder.record }),
    mcp: options.mcp ? (await import('../../src/mcp/http.ts')).serveMcp : undefined,
    measure: options.measure,
    trace: tracing?.request,
    limiter: options.limiter?.(limiter) ?? limiter,
    signer: options.signer?.(photos) ?? photos,
    ready: () => checkReadiness(authentication, newest),
  })
  const client = createClient(port)
  await replicaCaughtUp(database.adminUrl)

  return {
    url,
    port,
    api,
    pools,
    reach,
    cache,
    recorder,
    replicas,
    async get(path, options) {
      await replicaCaughtUp(database.adminUrl)
      return client.get(path, options)
    },
    log: () => lines.join(''),
    why: ({ status, headers }) => (status === 500 ? reasonIn(lines, String(headers['x-request-id'])) : ''),
    stop: once(async () => {
      client.close()
      await drain(1_000)
      limiter.close()
      await recorder.flush()
      await Promise.race([
        Promise.all([api, authentication, allItems, recording, replicas, consolePool].map((pool) => pool?.close())),
        sleep(3_000),
      ])
      await tracing?.close()
    }),
  }
}

/** Does something the first time, however often the test asks for it. */
function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined
  return () => {
    done ??= work()
    return done
  }
}

function reasonIn(lines: string[], requestId: string): string {
  const logged = lines
    .filter((line) => line.includes(requestId))
    .map((line) => JSON.parse(line) as { err?: { message?: string } })
  const message = logged.find(({ err }) => err?.message)?.err?.message
  if (message === undefined) return ''
  const edit = /permission denied/.test(message)
    ? 'migrations/current.sql: after a view include grants/studio_api.sql and grants/view_columns.sql, which grants no column ' +
      'of sql/audit/views/hidden_columns.sql. A function needs a line in sql/grants/studio_api.sql; a view of api_v1 one in ' +
      'sql/audit/views/allowed_privileges.sql, too, unless you read its table instead'
    : 'what the log names; if the database lacks it, commit migrations/current.sql'
  return `\n${gateMessage({ wrong: message, edit, run: 'npx vitest run test/rest' })}`
}

function openReplicasOf(database: TestDatabase, options: ServiceOptions, log: Logger): Replicas | undefined {
  const usual = replicaUrlOf(database.adminUrl)
  const {
    replicaUrls = usual === undefined ? [] : [usual],
    replicaPauseMs: pauseMs = 300,
    poolSize: size = 4,
  } = options
  const urls = replicaUrls.map((url) => roleUrl(url, 'studio_api', testSecretKey))
  return urls.length > 0 ? openReplicas({ urls, size, pauseMs, log }) : undefined
}

/** The project `pooler` puts a pooler between. */
const pooled = inject('poolerPort') as number | undefined
const pooledUrl = (url: string) => (pooled ? url.replace(/@[^/]+/, `@127.0.0.1:${pooled}`) : url)

/** Whether every connection of the pool is back, and nobody waits for one. */
export function isIdle(pool: Pool): boolean {
  const { size, idle, waiting } = pool.stats()
  return idle === size && waiting === 0
}
