import { isIP } from 'node:net'
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { z } from 'zod'
import { type AuditConfig, auditVariables, readAudit } from './audit.ts'
import { type ConsoleConfig, consoleVariables, readConsole } from './console.ts'
import { ConfigError } from './error.ts'
import { type GraphqlConfig, graphqlVariables, readGraphql } from './graphql.ts'
import { type LimitConfig, limitVariables, readLimits } from './limits.ts'
import { type McpConfig, mcpVariables, readMcp } from './mcp.ts'
import { type MetricsConfig, metricsVariables, readMetrics } from './metrics.ts'
import { type PhotosS3, photosS3Variables, readPhotosS3 } from './photos-s3.ts'
import { invalidValue } from './redact.ts'
import { readScaling, requireForScaling, type ScalingConfig, scalingVariables } from './scaling.ts'
import { readTracing, type TracingConfig, tracingVariables } from './tracing.ts'
import {
  folder,
  hasProtocol,
  postgresUrl,
  text,
  trueOrFalse,
  trustedProxies,
  verifiedByDefault,
  webAddress,
  wholeNumber,
} from './values.ts'

export { ConfigError }

/** Requests allowed to one token: in one second, and in one minute. */
export type RateQuota = { perSecond: number; perMinute: number }

/** Everything the operator can choose. Durations are milliseconds, folders are absolute. */
export type Config = {
  port: number
  host: string
  publicUrl: string
  docsUrl: string
  /** The administrator's connection string; undefined means the embedded server. */
  databaseUrl: string | undefined
  /** Connection strings that replace the derived one of a role. */
  roleUrls: Partial<
    Record<'studio_api' | 'studio_recorder' | 'studio_writer' | 'studio_console' | 'studio_graphql', string>
  >
  /** Where analysts reach the database, with TLS and without a login; undefined: where the administrator does. */
  analystUrl: string | undefined
  /** Undefined only with the embedded server, which generates and stores one. */
  secretKey: string | undefined
  dataDir: string
  photosDir: string
  /** Undefined: the photos are in `photosDir`. */
  photosS3: PhotosS3 | undefined
  logLevel: string
  /** The value of Express's `trust proxy` setting. */
  trustProxy: boolean | number | string
  rateLimits: { pro: RateQuota; studio: RateQuota; failedPerMinute: number }
  redisUrl: string | undefined
  scaling: ScalingConfig
  console: ConsoleConfig
  audit: AuditConfig
  /** Whether scripts of other origins may read the API and its description. */
  cors: boolean
  /** How many bytes the cache of answers may take; 0 switches it off. */
  cacheMaxBytes: number
  poolSize: number
  acquireTimeoutMs: number
  statementTimeoutMs: number
  graphql: GraphqlConfig
  mcp: McpConfig
  metrics: MetricsConfig
  tracing: TracingConfig
} & LimitConfig

/** The variables that Node itself reads: its options, and certificates. */
const ofNode = ['NODE_OPTIONS', 'NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR'] as const

/** What a process of Node that is given everything else needs of the environment. */
export function nodeEnvironment(): Record<string, string> {
  return Object.fromEntries(
    ofNode.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  )
}

/**
 * Reads the configuration from environment variables; an empty value counts as not set.
 *
 * @throws ConfigError at the first wrong value. No secret and no password is ever repeated in its message.
 */
export function readConfig(env: Record<string, string | undefined> = process.env): Config {
  const set = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value.trim() !== ''))
  const parsed = variables.safeParse(set)
  if (!parsed.success) {
    const issue = parsed.error.issues[0]
    const name = String(issue?.path[0])
    throw invalidValue(name, set[name], issue?.message)
  }
  const { data } = parsed
  requireConsistent(data)
  const publicUrl = data.PUBLIC_URL ?? `http://localhost:${data.PORT}`
  return {
    port: data.PORT,
    host: data.HOST,
    publicUrl,
    docsUrl: data.DOCS_URL ?? `${publicUrl}/docs`,
    databaseUrl: data.DATABASE_URL,
    roleUrls: {
      ...(data.API_DATABASE_URL && { studio_api: data.API_DATABASE_URL }),
      ...(data.RECORDER_DATABASE_URL && { studio_recorder: data.RECORDER_DATABASE_URL }),
      ...(data.WRITER_DATABASE_URL && { studio_writer: data.WRITER_DATABASE_URL }),
      ...(data.CONSOLE_DATABASE_URL && { studio_console: data.CONSOLE_DATABASE_URL }),
      ...(data.GRAPHQL_DATABASE_URL && { studio_graphql: data.GRAPHQL_DATABASE_URL }),
    },
    analystUrl: data.ANALYST_DATABASE_URL,
    secretKey: data.SECRET_KEY,
    dataDir: data.DATA_DIR,
    photosDir: data.PHOTOS_DIR ?? resolve(data.DATA_DIR, 'photos'),
    photosS3: readPhotosS3(data, Object.keys(set)),
    logLevel: data.LOG_LEVEL,
    trustProxy: data.TRUST_PROXY,
    rateLimits: {
      pro: { perSecond: data.RATE_LIMIT_PRO_PER_SECOND, perMinute: data.RATE_LIMIT_PRO_PER_MINUTE },
      studio: { perSecond: data.RATE_LIMIT_STUDIO_PER_SECOND, perMinute: data.RATE_LIMIT_STUDIO_PER_MINUTE },
      failedPerMinute: data.RATE_LIMIT_FAILED_PER_MINUTE,
    },
    redisUrl: data.REDIS_URL,
    scaling: readScaling(data),
    console: readConsole(data, set),
    audit: readAudit(data),
    cors: data.CORS,
    cacheMaxBytes: data.CACHE_MAX_BYTES,
    poolSize: data.POOL_SIZE,
    acquireTimeoutMs: data.ACQUIRE_TIMEOUT_MS,
    statementTimeoutMs: data.STATEMENT_TIMEOUT_MS,
    graphql: readGraphql(data),
    mcp: readMcp(data),
    metrics: readMetrics(data),
    tracing: readTracing(data),
    ...readLimits(data),
  }
}

/** The names of all variables that the service reads. */
export const variableNames = (): string[] => Object.keys(variables.shape)

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
const oneMillion = 1_000_000
const tenMinutes = 600_000

/** Every variable, with what it accepts and its default. */
const variables = z.object({
  PORT: wholeNumber(0, 65535, 3000),
  HOST: text(
    (value) => isIP(value) !== 0 || /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(value),
    'give the address to listen on without a port, for example 127.0.0.1 or 0.0.0.0',
  ).default('127.0.0.1'),
  PUBLIC_URL: webAddress('give the address clients use, for example https://api.example.com').optional(),
  DOCS_URL: webAddress('give the address of the documentation, for example https://api.example.com/docs').optional(),
  DATABASE_URL: postgresUrl().optional(),
  API_DATABASE_URL: postgresUrl().optional(),
  RECORDER_DATABASE_URL: postgresUrl().optional(),
  WRITER_DATABASE_URL: postgresUrl().optional(),
  CONSOLE_DATABASE_URL: postgresUrl().optional(),
  GRAPHQL_DATABASE_URL: postgresUrl().optional(),
  ANALYST_DATABASE_URL: postgresUrl().transform(verifiedByDefault).optional(),
  SECRET_KEY: text((value) => value.length >= 32, secretKeyAdvice()).optional(),
  DATA_DIR: folder().default(() => resolve('.data')),
  PHOTOS_DIR: folder().optional(),
  ...photosS3Variables,
  LOG_LEVEL: z.enum(logLevels, { error: `give one of ${logLevels.join(', ')}` }).default('info'),
  TRUST_PROXY: trustedProxies(),
  RATE_LIMIT_PRO_PER_SECOND: wholeNumber(1, oneMillion, 10),
  RATE_LIMIT_PRO_PER_MINUTE: wholeNumber(1, oneMillion, 120),
  RATE_LIMIT_STUDIO_PER_SECOND: wholeNumber(1, oneMillion, 20),
  RATE_LIMIT_STUDIO_PER_MINUTE: wholeNumber(1, oneMillion, 300),
  RATE_LIMIT_FAILED_PER_MINUTE: wholeNumber(1, oneMillion, 30),
  REDIS_URL: text(
    (value) => hasProtocol(value, ['redis:', 'rediss:']),
    'give a redis:// or rediss:// URL, for example redis://localhost:6379',
  ).optional(),
  ...scalingVariables,
  ...consoleVariables,
  ...auditVariables,
  CORS: trueOrFalse(true),
  CACHE_MAX_BYTES: wholeNumber(0, 4 * 2 ** 30, 32 * 2 ** 20),
  POOL_SIZE: wholeNumber(1, 1000, 2 * availableParallelism()),
  ACQUIRE_TIMEOUT_MS: wholeNumber(1, tenMinutes, 2000),
  STATEMENT_TIMEOUT_MS: wholeNumber(1, tenMinutes, 4000),
  ...graphqlVariables,
  ...mcpVariables,
  ...metricsVariables,
  ...tracingVariables,
  ...limitVariables,
})

const roleUrlVariables = [
  'API_DATABASE_URL',
  'RECORDER_DATABASE_URL',
  'WRITER_DATABASE_URL',
  'CONSOLE_DATABASE_URL',
  'GRAPHQL_DATABASE_URL',
  'ANALYST_DATABASE_URL',
] as const

/** The rules that need more than one variable. */
function requireConsistent(data: z.infer<typeof variables>): void {
  requireForScaling(data)
  if (data.DATABASE_URL !== undefined && data.SECRET_KEY === undefined) {
    throw new ConfigError(`SECRET_KEY: not set, but needed with DATABASE_URL; ${secretKeyAdvice()}`)
  }
  for (const name of roleUrlVariables) {
    if (data[name] !== undefined && data.DATABASE_URL === undefined) {
      throw new ConfigError(
        `${name}: set without DATABASE_URL; set DATABASE_URL as well, or neither for the embedded server`,
      )
    }
  }
}

function secretKeyAdvice(): string {
  return 'give a random text of at least 32 characters, for example the output of: openssl rand -base64 32'
}
