import { describe, expect, it } from 'vitest'
import { ConfigError, readConfig } from '../src/config/config.ts'

const secretKey = 'k'.repeat(32)
const databaseUrl = 'postgres://admin:hunter2hunter2@db.example:5432/studio_inventory'

function messageOf(env: Record<string, string>): string {
  try {
    readConfig(env)
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError)
    return (error as Error).message
  }
  throw new Error(`accepted ${JSON.stringify(env)}`)
}

describe('a wrong value', () => {
  it.each([
    ['PORT', 'http', 'from 0 to 65535'],
    ['PORT', '65536', 'from 0 to 65535'],
    ['PORT', '1e3', 'from 0 to 65535'],
    ['GRAPHQL_PUBLIC_URL', 'graphql.example.com', 'the address analysts use'],
    ['GRAPHQL_POOL_SIZE', '0', 'from 1 to 1000'],
    ['GRAPHQL_JWKS_URL', 'http://id.example.com/jwks.json', 'https://'],
    ['CONSOLE_PLANS_URL', 'javascript:alert(1)', 'the page where a studio chooses a plan'],
    ['HOST', 'localhost:3000', 'without a port'],
    ['PUBLIC_URL', 'api.example.com', 'https://'],
    ['DATA_DIR', 'a\0b', 'path of a folder'],
    ['LOG_LEVEL', 'verbose', 'trace, debug, info, warn, error, fatal, silent'],
    ['TRUST_PROXY', 'yes', 'number of proxies'],
    ['TRUST_PROXY', '10.0.0.0/33', 'number of proxies'],
    ['RATE_LIMITS', 'pro=0/120', 'from 1 to'],
    ['RATE_LIMITS', 'failed=٣', 'pro=10/120'],
    ['RATE_LIMITS', 'constructor=3', 'pro=10/120'],
    ['REDIS_URL', 'localhost:6379', 'redis://'],
    ['CACHE_MAX_BYTES', '32MB', 'from 0 to'],
    ['POOL_SIZE', '1001', 'from 1 to 1000'],
    ['PHOTOS_S3_BUCKET', 's3://photos', 'name of the bucket'],
    ['PHOTOS_S3_REGION', 'eu central', "bucket's region"],
    ['PHOTOS_S3_ENDPOINT', 'minio:9000', 'without the bucket'],
    ['PHOTOS_S3_BUCKET', 'photos/a/../b', 'name of the bucket'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318', 'OTLP over HTTP'],
    ['OTEL_TRACES_SAMPLER', 'jaeger_remote', 'parentbased_traceidratio'],
    ['OTEL_TRACES_SAMPLER_ARG', '1.1', 'from 0 to 1'],
    ['GRAPHQL_ISSUER', 'two words', 'iss claim'],
    ['GRAPHQL_AUDIENCE', 'two words', 'aud claim'],
  ])('of %s, such as %j, stops with one line that says what would be right', (name, value, advice) => {
    const message = messageOf({ [name]: value })
    expect(message.startsWith(`${name}: ${JSON.stringify(value)} is not valid; give `)).toBe(true)
    expect(message).toContain(advice)
    expect(message).not.toContain('\n')
  })

  it.each([
    'mysql://root:hunter2hunter2@db/studio_inventory',
    'postgres://root:hunter2hunter2@db',
    'postgres:root:hunter2hunter2@db/x',
    'host=db password=hunter2hunter2 dbname=x',
    "host=db password='hunter2 hunter2' dbname=x",
    'root:hunter2\nhunter2@db/studio_inventory',
    'postgres://db?password=hunter2hunter2&user=root',
    'http://user:p@ss@hunter2@db/x',
  ])('of DATABASE_URL, or in a list of replicas, is shown without its password: %j', (value) => {
    const wrong = ' is not valid; give a PostgreSQL URL with a database name'
    for (const [name, given] of [
      ['DATABASE_URL', value],
      ['REPLICA_DATABASE_URLS', `postgres://a:hunter2@one/studio,${value}`],
      ['REPLICA_DATABASE_URLS', 'postgres://a:hunter2@one/studio,'],
    ] as const) {
      const message = messageOf({ DATABASE_URL: databaseUrl, SECRET_KEY: secretKey, [name]: given })
      expect(message).toMatch(new RegExp(`^${name}: .*${wrong}`))
      expect(message).not.toMatch(/hunter2|p@ss|\n/)
    }
  })

  it.each([
    'postgres://admin:hunter2@a.example,b.example/db',
    'postgres://admin:hunter2@a.example:5432,b.example:5433/db',
    'postgres:///db?host=a,b&password=hunter2',
    'postgres://admin:hunter2@a.example/db?port=1,2',
    'postgres://admin:hunter2@a.example/db?target_session_attrs=read-write',
  ])('with several hosts is refused: %s', (value) => {
    const why = 'is not valid; give one host: behind several servers, give the address of HAProxy, PgBouncer or'
    for (const name of ['DATABASE_URL', 'POOLER_DATABASE_URL', 'AUDITOR_DATABASE_URL']) {
      const message = messageOf({ DATABASE_URL: databaseUrl, SECRET_KEY: secretKey, [name]: value })
      expect(message).toContain(why)
      expect(message).not.toContain('hunter2')
    }
  })

  it('of SECRET_KEY is never shown, only its length', () => {
    const message = messageOf({ DATABASE_URL: databaseUrl, SECRET_KEY: 'hunter2hunter2' })
    expect(message).toMatch(/^SECRET_KEY: a text of 14 characters is not valid; give a random text of at least 32 char/)
    expect(messageOf({ SECRET_KEY_PREVIOUS: 'hunter2' })).toMatch(/^SECRET_KEY_PREVIOUS: a text of 7 characters is not/)
  })

  it('without the region of a bucket names what is missing', () => {
    expect(messageOf({ PHOTOS_S3_BUCKET: 'studio-photos' })).toMatch(
      /^PHOTOS_S3_REGION: not set, but needed with PHOTOS_S3_BUCKET; give the /,
    )
  })

  it.each([
    ['PHOTOS_S3_REGION', 'eu-central-1'],
    ['PHOTOS_S3_ENDPOINT', 'https://s3.example.com'],
  ])('of %s without a bucket is told: it would do nothing', (name, value) => {
    expect(messageOf({ [name]: value })).toBe(
      `${name}: set without PHOTOS_S3_BUCKET; set both, or neither for photos in PHOTOS_DIR`,
    )
  })

  it.each(['GRAPHQL_ISSUER', 'GRAPHQL_AUDIENCE', 'GRAPHQL_JWKS_URL'])(
    'of an identity provider of GraphQL without %s says what is missing',
    (missing) => {
      const url = 'https://id.example.com/keys?policy=studios'
      const whole = { GRAPHQL_ISSUER: url, GRAPHQL_AUDIENCE: 'studio-inventory', GRAPHQL_JWKS_URL: url }
      const why = `${missing}: not set, but needed with GRAPHQL_\\w+; give the .*`
      expect(messageOf({ ...whole, [missing]: '' })).toMatch(new RegExp(`^${why}`))
    },
  )

  it('of a variable that belongs together with another one names both', () => {
    expect(messageOf({ DATABASE_URL: databaseUrl })).toMatch(
      /^SECRET_KEY: not set, but needed with DATABASE_URL; give /,
    )
    for (const name of ['POOLER_DATABASE_URL', 'REPLICA_DATABASE_URLS', 'ANALYST_DATABASE_URL']) {
      expect(messageOf({ [name]: databaseUrl })).toMatch(new RegExp(`^${name}: set without DATABASE_URL; `))
    }
  })

  it('is shortened when it is long', () => {
    expect(messageOf({ PORT: '9'.repeat(5000) }).length).toBeLessThan(250)
  })
})
