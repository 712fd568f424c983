import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readConfig } from '../src/config/config.ts'
import { useFolder } from './support/folder.ts'

const folder = useFolder()
const secretKey = 'k'.repeat(32)
const databaseUrl = 'postgres://admin:hunter2hunter2@db.example:5432/studio_inventory'

describe('the configuration', () => {
  it('needs no variable at all', () => {
    const cores = availableParallelism()
    expect(readConfig({})).toEqual({
      ...{ port: 3000, host: '127.0.0.1', demoOnNetwork: false },
      ...{ publicUrl: 'http://localhost:3000', docsUrl: 'http://localhost:3000/docs' },
      ...{ databaseUrl: undefined, poolerUrl: undefined, secretKey: undefined, otherSecretKeys: [] },
      ...{ analystUrl: undefined, analystsOnOpenServer: false },
      ...{ dataDir: resolve('.data'), photosDir: resolve('.data/photos'), photosS3: undefined },
      ...{ logLevel: 'info', logAsText: false, trustProxy: false, cors: true },
      rateLimits: {
        ...{ pro: { perSecond: 10, perMinute: 120 }, studio: { perSecond: 20, perMinute: 300 } },
        failedPerMinute: 30,
      },
      redisUrl: undefined,
      scaling: { preparedStatements: true, replicaUrls: [] },
      console: {
        ...{ enabled: true, issuers: [], sessionMinutes: 480, plansUrl: undefined },
        ...{ signInsPerMinute: 10, tokensPerMinute: 10 },
      },
      audit: { url: undefined, accept: [], administrators: undefined },
      ...{ cacheMaxBytes: 33_554_432, maxConnections: 10_000, poolSize: 2 * cores, poolQueue: 100 * cores },
      ...{ acquireTimeoutMs: 2000, statementTimeoutMs: 4000, shutdownDelayMs: 0, shutdownTimeoutMs: 10_000 },
      graphql: { port: undefined, poolSize: 4, trusted: undefined },
      mcp: { enabled: false, token: undefined },
      ...{ metrics: undefined, tracing: undefined, removalsDays: 90 },
    })
  })

  it('takes every variable', () => {
    const config = readConfig({
      ...{ PORT: '8080', HOST: '0.0.0.0', PUBLIC_URL: 'https://api.example.com/', SECRET_KEY: secretKey },
      DATABASE_URL: databaseUrl,
      POOLER_DATABASE_URL: 'postgresql://pgbouncer:6432/studio_inventory',
      REPLICA_DATABASE_URLS: 'postgresql://one/studio, postgresql://two/studio',
      ...{ DATA_DIR: '/srv/data', LOG_LEVEL: 'debug', TRUST_PROXY: '2', REDIS_URL: 'redis://cache:6379' },
      CONSOLE_PLANS_URL: 'https://app.example.com/plans?from=api',
      RATE_LIMITS: 'pro=1/120, studio = 20/600,failed=5,new_tokens=3',
      ...{ CACHE_MAX_BYTES: '0', POOL_SIZE: '4', STATEMENT_TIMEOUT_MS: '200', REMOVALS_DAYS: '7' },
    })
    expect(config).toMatchObject({
      port: 8080,
      publicUrl: 'https://api.example.com',
      docsUrl: 'https://api.example.com/docs',
      poolerUrl: 'postgresql://pgbouncer:6432/studio_inventory',
      scaling: { preparedStatements: false, replicaUrls: ['postgresql://one/studio', 'postgresql://two/studio'] },
      photosDir: '/srv/data/photos',
      trustProxy: 2,
      console: { plansUrl: 'https://app.example.com/plans?from=api', signInsPerMinute: 10, tokensPerMinute: 3 },
      rateLimits: {
        pro: { perSecond: 1, perMinute: 120 },
        studio: { perSecond: 20, perMinute: 600 },
        failedPerMinute: 5,
      },
      ...{ redisUrl: 'redis://cache:6379', cacheMaxBytes: 0, poolSize: 4, poolQueue: 200 },
      ...{ statementTimeoutMs: 200, removalsDays: 7 },
    })
  })

  it('takes photos from a bucket, and from a folder in it', () => {
    const bucket = { PHOTOS_S3_BUCKET: 'studio-photos', PHOTOS_S3_REGION: 'eu-central-1' }
    expect(readConfig(bucket).photosS3).toEqual({
      ...{ bucket: 'studio-photos', region: 'eu-central-1', endpoint: undefined, prefix: undefined },
    })
    const PHOTOS_S3_ENDPOINT = 'https://minio.example.com:9000/'
    const elsewhere = { PHOTOS_S3_BUCKET: 'studio-photos/inventory/2026/', PHOTOS_S3_REGION: 'x', PHOTOS_S3_ENDPOINT }
    expect(readConfig(elsewhere).photosS3).toEqual({
      ...{ bucket: 'studio-photos', region: 'x', endpoint: 'https://minio.example.com:9000', prefix: 'inventory/2026' },
    })
  })

  it('sends traces to a collector, all of them or a share', () => {
    const tracing = (env: Record<string, string>) =>
      readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318/', ...env }).tracing
    expect(readConfig({ OTEL_TRACES_SAMPLER_ARG: '0.5' }).tracing).toBeUndefined()
    expect(tracing({ OTEL_SDK_DISABLED: 'true' })).toBeUndefined()
    const usual = { url: 'http://collector:4318/v1/traces', sampler: 'parentbased_traceidratio', share: 1 }
    expect(tracing({})).toEqual(usual)
    const url = 'https://traces.example.com/otlp'
    expect(tracing({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: url })).toEqual({ ...usual, url })
    expect(tracing({ OTEL_TRACES_SAMPLER: 'always_off' })).toEqual({ ...usual, sampler: 'always_off' })
    expect(tracing({ OTEL_TRACES_SAMPLER_ARG: '0.05' })).toEqual({ ...usual, share: 0.05 })
  })

  it('takes GraphQL from a port, a pool and an issuer', () => {
    const trusted = { jwksUrl: 'https://id.example.com/jwks.json', issuer: 'https://id.example.com/', audience: 'si' }
    const given = {
      ...{ GRAPHQL_PORT: '0', GRAPHQL_PUBLIC_URL: 'https://graphql.example.com/', GRAPHQL_POOL_SIZE: '9' },
      ...{ GRAPHQL_JWKS_URL: trusted.jwksUrl, GRAPHQL_ISSUER: trusted.issuer, GRAPHQL_AUDIENCE: trusted.audience },
    }
    const publicUrl = 'https://graphql.example.com'
    expect(readConfig(given).graphql).toEqual({ port: 0, publicUrl, poolSize: 9, trusted })
  })

  it('reads secrets from the files that NAME_FILE names, without the line break at their end', async () => {
    const { file } = folder
    const given = {
      DATABASE_URL_FILE: await file('database', `${databaseUrl}\n`),
      SECRET_KEY_FILE: await file('key', `${secretKey}\r\n`),
      ...{ SECRET_KEY_NEXT_FILE: await file('next', `${'n'.repeat(32)}\n`), SECRET_KEY_PREVIOUS: 'p'.repeat(32) },
      CONSOLE_ISSUER_2: 'https://id.example.com',
      CONSOLE_CLIENT_ID_2: 'inventory',
      CONSOLE_CLIENT_SECRET_2_FILE: await file('client', 'hunter2\n'),
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318',
      OTEL_EXPORTER_OTLP_HEADERS_FILE: await file('headers', 'api-key=1\n'),
    }
    const config = readConfig(given)
    expect(config).toMatchObject({ databaseUrl, secretKey, tracing: { headers: 'api-key=1' } })
    expect(config.otherSecretKeys).toEqual(['n'.repeat(32), 'p'.repeat(32)])
    expect(config.console.issuers[0]?.clientSecret).toBe('hunter2')
    const refused = (more: object) => () => readConfig({ ...given, ...more })
    expect(refused({ SECRET_KEY: secretKey })).toThrow(
      /^SECRET_KEY_FILE: set together with SECRET_KEY; set one of them$/,
    )
    expect(refused({ SECRET_KEY_FILE: await file('empty', '\n') })).toThrow(
      /^SECRET_KEY_FILE: \S+empty is empty; write the value into it$/,
    )
    expect(refused({ DATABASE_URL_FILE: '/nowhere/database' })).toThrow(
      "DATABASE_URL_FILE: cannot be read (ENOENT: no such file or directory, open '/nowhere/database'); give a file",
    )
  })

  it('treats an empty value as not set', () => {
    expect(readConfig({ PORT: '', DATABASE_URL: '  ', REDIS_URL: '' })).toEqual(readConfig({}))
  })

  it.each([
    ['true', true],
    ['false', false],
    ['1', 1],
    ['loopback, 10.0.0.0/8', 'loopback,10.0.0.0/8'],
    ['2001:db8::/32', '2001:db8::/32'],
  ])('reads TRUST_PROXY=%s', (value, expected) => {
    expect(readConfig({ TRUST_PROXY: value }).trustProxy).toBe(expected)
  })

  it.each([
    'postgres:///studio_inventory?host=/var/run/postgresql',
    'postgres://admin@%2Fvar%2Frun%2Fpostgresql/studio_inventory',
    'postgresql://admin:pw@[::1]:5433/db?sslmode=require',
  ])('accepts the PostgreSQL URL %s', (value) => {
    expect(readConfig({ DATABASE_URL: value, SECRET_KEY: secretKey }).databaseUrl).toBe(value)
  })
})
