import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import { auditVariables, readAudit } from './audit.ts'
import { consoleVariables, readConsole } from './console.ts'
import { graphqlVariables, readGraphql } from './graphql.ts'
import { photosVariables, readPhotosS3 } from './photos.ts'
import {
  ConfigError,
  folder,
  fraction,
  hasProtocol,
  host,
  invalidValue,
  optionalPort,
  postgresUrl,
  type RateQuota,
  rateLimits,
  text,
  trueOrFalse,
  trustedProxies,
  verifiedByDefault,
  webAddress,
  wholeNumber,
  withFiles,
} from './values.ts'

export { ConfigError, type RateQuota }

/** Name and version of this release, from package.json; of a published one also its repository. */
export const manifest: { name: string; version: string; repository?: { url: string } } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
)

/** The admin port: metrics, health and readiness. Undefined: off. */
export type MetricsConfig = { host: string; port: number } | undefined

/** Where traces go. OpenTelemetry itself reads OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES and
 * headers that are not in a file. Undefined: off. */
export type TracingConfig =
  | {
      /** Where a collector takes OTLP over HTTP, with the path. */
      url: string
      /** The headers are the content of the file that OTEL_EXPORTER_OTLP_HEADERS_FILE names. */
      headers?: string | undefined
      /** The name of a sampler in OpenTelemetry's specification, such as
       * `parentbased_traceidratio`. */
      sampler: string
      /** The share of traces started here that a sampler by ratio records, from 0 to 1. */
      share: number
      /** How long spans wait to be exported in a batch, in milliseconds. Default: 1,000. */
      exportDelayMs?: number
    }
  | undefined

/** Everything the operator can choose. Durations are milliseconds, folders are absolute. */
export type Config = ReturnType<typeof readConfig>

/** The variables that Node itself reads: its options, and certificates. */
const ofNode = ['NODE_OPTIONS', 'NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR'] as const

/** The variables that a Node process needs besides those that the service gives it. */
export function nodeEnvironment(): Record<string, string> {
  return Object.fromEntries(
    ofNode.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  )
}

/** The environment for another process of the service, with variables of its own. */
export function environmentWith(own: Record<string, string>): Record<string, string | undefined> {
  return { ...process.env, ...own }
}

/** Stops PostGraphile's developer variables from printing statements. Call it before loading it. */
export function keepLibrariesSilent(): void {
  process.env.GRAPHILE_ENV = 'production'
  delete process.env.DEBUG
}

/** How many requests may wait for each connection. */
const queuePerConnection = 50

/** Reads the configuration from environment variables, and secrets from the files that they name;
 * an empty value counts as not set.
 * @throws ConfigError at the first wrong value; its message repeats no secret and no password */
export function readConfig(env: Record<string, string | undefined> = process.env) {
  const given = Object.entries(env).filter(([, value]) => value !== undefined && value.trim() !== '')
  const set = withFiles(Object.fromEntries(given))
  const parsed = variables.safeParse(set)
  if (!parsed.success) {
    const issue = parsed.error.issues[0]
    const name = String(issue?.path[0])
    throw invalidValue(name, set[name], issue?.message)
  }
  const { data } = parsed
  requireConsistent(data)
  const publicUrl = data.PUBLIC_URL ?? `http://localhost:${data.PORT}`
  const { pro, studio, failed: failedPerMinute } = data.RATE_LIMITS
  const metrics = data.METRICS_PORT === undefined ? undefined : { host: data.METRICS_HOST, port: data.METRICS_PORT }
  return {
    port: data.PORT,
    host: data.HOST,
    publicUrl,
    docsUrl: `${publicUrl}/docs`,
    /** The administrator's connection string. Undefined: the embedded server. */
    databaseUrl: data.DATABASE_URL,
    /** The pooler for the API, its activity and the console. Undefined: they connect directly. */
    poolerUrl: data.POOLER_DATABASE_URL,
    /** Where analysts connect: TLS, no login. Undefined: to the administrator's server. */
    analystUrl: data.ANALYST_DATABASE_URL,
    /** Whether `migrate` lets analysts log in to a server whose functions it cannot close. */
    analystsOnOpenServer: data.ANALYSTS_ON_OPEN_SERVER,
    /** The service's secret. It is undefined only with the embedded server, which makes and stores
     * one. */
    secretKey: data.SECRET_KEY,
    /** While the secret is rotated, those that the service also accepts. */
    otherSecretKeys: [data.SECRET_KEY_NEXT, data.SECRET_KEY_PREVIOUS].filter((key) => key !== undefined),
    dataDir: data.DATA_DIR,
    /** Whether other machines may sign in to the demo without a password. */
    demoOnNetwork: data.DEMO_ON_NETWORK,
    photosDir: data.PHOTOS_DIR ?? join(data.DATA_DIR, 'photos'),
    /** The bucket that has the photos. Undefined: `photosDir` has them. */
    photosS3: readPhotosS3(data),
    logLevel: data.LOG_LEVEL as string,
    /** Whether the log is for people, in lines of text. */
    logAsText: (data.LOG_FORMAT ?? (process.stdout.isTTY ? 'text' : 'json')) === 'text',
    /** The value of Express's `trust proxy` setting. */
    trustProxy: data.TRUST_PROXY,
    rateLimits: { pro, studio, failedPerMinute },
    redisUrl: data.REDIS_URL,
    /** False if a pooler in transaction mode is in between, because it cannot keep named
     * statements. */
    scaling: { preparedStatements: data.POOLER_DATABASE_URL === undefined, replicaUrls: data.REPLICA_DATABASE_URLS },
    console: readConsole(data, set),
    audit: readAudit(data),
    /** Whether scripts of other origins may read the API and its description. */
    cors: data.CORS,
    /** The size of the cache of answers, in bytes; 0 switches it off. */
    cacheMaxBytes: data.CACHE_MAX_BYTES,
    poolSize: data.POOL_SIZE,
    /** How many requests may wait for a connection of one pool; further ones get 503 at once. */
    poolQueue: queuePerConnection * data.POOL_SIZE,
    acquireTimeoutMs: 2_000,
    statementTimeoutMs: data.STATEMENT_TIMEOUT_MS,
    /** The limit of client connections, including idle and half-sent ones; closes others. */
    maxConnections: data.MAX_CONNECTIONS,
    /** For how many days v1 lists removals. */
    removalsDays: data.REMOVALS_DAYS,
    /** How long the unready service answers, and how long requests in flight may then take. */
    shutdownDelayMs: data.SHUTDOWN_DELAY_MS,
    shutdownTimeoutMs: 10_000,
    graphql: readGraphql(data),
    /** Model Context Protocol: whether `/mcp` answers, and the token of the command `mcp`. */
    mcp: { enabled: data.MCP, token: data.STUDIO_INVENTORY_TOKEN },
    metrics: metrics as MetricsConfig,
    tracing: readTracing(data, set.OTEL_EXPORTER_OTLP_HEADERS_FILE && set.OTEL_EXPORTER_OTLP_HEADERS),
  }
}

export const variableNames = (): string[] => Object.keys(variables.shape)

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
const samplers = [
  ...(['always_on', 'always_off', 'traceidratio'] as const),
  ...(['parentbased_always_on', 'parentbased_always_off', 'parentbased_traceidratio'] as const),
] as const
const tenMinutes = 600_000
const secretKeyAdvice =
  'give a random text of at least 32 characters, for example the output of: openssl rand -base64 32'

const secretKey = () => text((value) => value.length >= 32, secretKeyAdvice).optional()

/** Every variable, with what it accepts and its default. */
const variables = z.object({
  PORT: wholeNumber(0, 65535, 3000),
  HOST: host(),
  PUBLIC_URL: webAddress('give the address clients use, for example https://api.example.com').optional(),
  DATABASE_URL: postgresUrl().optional(),
  POOLER_DATABASE_URL: postgresUrl().optional(),
  REPLICA_DATABASE_URLS: z
    .string()
    .transform((value) => value.split(','))
    .pipe(z.array(postgresUrl()))
    .default([]),
  ANALYST_DATABASE_URL: postgresUrl().transform(verifiedByDefault).optional(),
  ANALYSTS_ON_OPEN_SERVER: trueOrFalse(false),
  SECRET_KEY: secretKey(),
  SECRET_KEY_NEXT: secretKey(),
  SECRET_KEY_PREVIOUS: secretKey(),
  DEMO_ON_NETWORK: trueOrFalse(false),
  DATA_DIR: folder().default(() => resolve('.data')),
  PHOTOS_DIR: folder().optional(),
  ...photosVariables,
  LOG_FORMAT: z.enum(['text', 'json']).optional(),
  LOG_LEVEL: z.enum(logLevels, { error: `give one of ${logLevels.join(', ')}` }).default('info'),
  TRUST_PROXY: trustedProxies(),
  RATE_LIMITS: rateLimits(),
  REDIS_URL: text(
    (value) => hasProtocol(value, ['redis:', 'rediss:']),
    'give a redis:// or rediss:// URL, for example redis://localhost:6379',
  ).optional(),
  ...consoleVariables,
  ...auditVariables,
  CORS: trueOrFalse(true),
  CACHE_MAX_BYTES: wholeNumber(0, 4 * 2 ** 30, 32 * 2 ** 20),
  POOL_SIZE: wholeNumber(1, 1000, 2 * availableParallelism()),
  STATEMENT_TIMEOUT_MS: wholeNumber(1, tenMinutes, 4000),
  MAX_CONNECTIONS: wholeNumber(1, 1_000_000, 10_000),
  REMOVALS_DAYS: wholeNumber(1, 3_650, 90),
  SHUTDOWN_DELAY_MS: wholeNumber(0, tenMinutes, 0),
  ...graphqlVariables,
  MCP: trueOrFalse(false),
  STUDIO_INVENTORY_TOKEN: text(
    (value) => /^svc_(?:pro|studio)_[0-9A-Za-z]{32}$/.test(value),
    'give an API token of a studio, as the console shows it once: svc_studio_…',
  ).optional(),
  METRICS_PORT: optionalPort(),
  METRICS_HOST: host(),
  OTEL_EXPORTER_OTLP_ENDPOINT: webAddress(
    'give the address of a collector that takes OTLP over HTTP, without /v1/traces, for example http://localhost:4318',
  ).optional(),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: webAddress(
    'give the address at which a collector takes traces by OTLP over HTTP, for example http://localhost:4318/v1/traces',
  ).optional(),
  OTEL_SDK_DISABLED: trueOrFalse(false),
  OTEL_TRACES_SAMPLER: z
    .enum(samplers, { error: `give one of ${samplers.join(', ')}` })
    .default('parentbased_traceidratio'),
  OTEL_TRACES_SAMPLER_ARG: fraction(1),
})

function readTracing(data: z.infer<typeof variables>, headers: string | undefined): TracingConfig {
  const base = data.OTEL_EXPORTER_OTLP_ENDPOINT
  const url = data.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? (base && `${base}/v1/traces`)
  if (url === undefined || data.OTEL_SDK_DISABLED) return undefined
  return { url, headers, sampler: data.OTEL_TRACES_SAMPLER, share: data.OTEL_TRACES_SAMPLER_ARG }
}

function requireConsistent(data: z.infer<typeof variables>): void {
  if (data.DATABASE_URL !== undefined) {
    if (data.SECRET_KEY !== undefined) return
    throw new ConfigError(`SECRET_KEY: not set, but needed with DATABASE_URL; ${secretKeyAdvice}`)
  }
  for (const name of ['POOLER_DATABASE_URL', 'REPLICA_DATABASE_URLS', 'ANALYST_DATABASE_URL'] as const) {
    if (data[name] === undefined || data[name].length === 0) continue
    throw new ConfigError(
      `${name}: set without DATABASE_URL; set DATABASE_URL as well, or neither for the embedded server`,
    )
  }
}
