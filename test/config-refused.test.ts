import { describe, expect, it } from 'vitest'
import { ConfigError, readConfig } from '../src/config/config.ts'

const secretKey = 'k'.repeat(32)
const databaseUrl = 'postgres://admin:hunter2hunter2@db.example:5432/studio_inventory'

const bucket = {
  PHOTOS_S3_BUCKET: 'studio-photos',
  PHOTOS_S3_REGION: 'eu-central-1',
  PHOTOS_S3_ACCESS_KEY_ID: 'AKIAIOSFODNN7EXAMPLE',
  PHOTOS_S3_SECRET_ACCESS_KEY: 'hunter2/hunter2+hunter2',
}

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
    ['PORT', '-1', 'from 0 to 65535'],
    ['PORT', '3000.5', 'from 0 to 65535'],
    ['PORT', '0x1f', 'from 0 to 65535'],
    ['PORT', '1e3', 'from 0 to 65535'],
    ['GRAPHQL_PORT', '70000', 'from 0 to 65535'],
    ['GRAPHQL_PUBLIC_URL', 'graphql.example.com', 'the address analysts use'],
    ['GRAPHQL_POOL_SIZE', '0', 'from 1 to 1000'],
    ['GRAPHQL_JWKS_URL', 'http://id.example.com/jwks.json', 'https://'],
    ['CONSOLE_PLANS_URL', 'javascript:alert(1)', 'the page where a studio chooses a plan'],
    ['CONSOLE_PLANS_URL', 'app.example.com/plans', 'the page where a studio chooses a plan'],
    ['HOST', 'localhost:3000', 'without a port'],
    ['HOST', 'http://localhost', 'without a port'],
    ['PUBLIC_URL', 'api.example.com', 'https://'],
    ['PUBLIC_URL', 'ftp://example.com', 'https://'],
    ['DOCS_URL', 'https://example.com/docs#top', 'https://'],
    ['DATA_DIR', 'a\0b', 'path of a folder'],
    ['LOG_LEVEL', 'verbose', 'trace, debug, info, warn, error, fatal, silent'],
    ['TRUST_PROXY', 'yes', 'number of proxies'],
    ['TRUST_PROXY', '10.0.0.0/33', 'number of proxies'],
    ['RATE_LIMIT_PRO_PER_SECOND', '0', 'from 1 to'],
    ['RATE_LIMIT_STUDIO_PER_MINUTE', 'many', 'from 1 to'],
    ['RATE_LIMIT_FAILED_PER_MINUTE', '٣', 'from 1 to'],
    ['REDIS_URL', 'localhost:6379', 'redis://'],
    ['REDIS_URL', 'http://localhost', 'redis://'],
    ['CACHE_MAX_BYTES', '32MB', 'from 0 to'],
    ['POOL_SIZE', '1001', 'from 1 to 1000'],
    ['ACQUIRE_TIMEOUT_MS', '2s', 'from 1 to'],
    ['STATEMENT_TIMEOUT_MS', '0', 'from 1 to'],
    ['SHUTDOWN_TIMEOUT_MS', 'Infinity', 'from 1 to'],
    ['MAX_CONNECTIONS', '0', 'from 1 to'],
    ['POOL_QUEUE', '-1', 'from 1 to'],
    ['METRICS_PORT', '65536', 'from 0 to 65535'],
    ['METRICS_HOST', 'localhost:9464', 'without a port'],
    ['PHOTOS_S3_BUCKET', 's3://photos', 'name of the bucket'],
    ['PHOTOS_S3_BUCKET', 'Photos', 'name of the bucket'],
    ['PHOTOS_S3_REGION', 'eu central', "bucket's region"],
    ['PHOTOS_S3_ENDPOINT', 'minio:9000', 'without the bucket'],
    ['PHOTOS_S3_PATH_STYLE', 'yes', 'true or false'],
    ['PHOTOS_S3_ACCESS_KEY_ID', 'a key', 'id of an access key'],
    ['PHOTOS_S3_ACCESS_KEY_ID', 'key/20130524', 'id of an access key'],
    ['PHOTOS_S3_PREFIX', '/photos', 'folder in the bucket'],
    ['PHOTOS_S3_PREFIX', 'a/../b', 'folder in the bucket'],
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
  ])('of DATABASE_URL is shown without its password: %j', (value) => {
    const message = messageOf({ DATABASE_URL: value, SECRET_KEY: secretKey })
    expect(message).toMatch(
      /^DATABASE_URL: ".*" is not valid; give a PostgreSQL URL with a database name, for example /,
    )
    expect(message).not.toMatch(/hunter2|p@ss|\n/)
  })

  it('of SECRET_KEY is never shown, only its length', () => {
    const message = messageOf({ DATABASE_URL: databaseUrl, SECRET_KEY: 'hunter2hunter2' })
    expect(message).toMatch(/^SECRET_KEY: a text of 14 characters is not valid; give a random text of at least 32 char/)
  })

  it.each(['PHOTOS_S3_SECRET_ACCESS_KEY', 'PHOTOS_S3_SESSION_TOKEN'])('of %s is never shown', (name) => {
    const message = messageOf({ ...bucket, [name]: 'hunter2 hunter2' })
    expect(message).toMatch(new RegExp(`^${name}: a text of 15 characters is not valid; give the se`))
  })

  it.each([
    ['PHOTOS_S3_REGION', 'PHOTOS_S3_BUCKET'],
    ['PHOTOS_S3_ACCESS_KEY_ID', 'PHOTOS_S3_SECRET_ACCESS_KEY'],
    ['PHOTOS_S3_SECRET_ACCESS_KEY', 'PHOTOS_S3_ACCESS_KEY_ID'],
  ])('of a bucket without %s says what is missing', (name, other) => {
    const message = messageOf({ ...bucket, [name]: '' })
    expect(message.startsWith(`${name}: not set, but needed with ${other}; give the `)).toBe(true)
    expect(message).not.toContain('hunter2')
  })

  it('of a session token without a key says what is missing', () => {
    const { PHOTOS_S3_BUCKET, PHOTOS_S3_REGION } = bucket
    const message = messageOf({ PHOTOS_S3_BUCKET, PHOTOS_S3_REGION, PHOTOS_S3_SESSION_TOKEN: 'hunter2' })
    expect(message).toMatch(/^PHOTOS_S3_ACCESS_KEY_ID: not set, but needed with PHOTOS_S3_SESSION_TOKEN; give the id/)
  })

  it.each([
    ['PHOTOS_S3_REGION', 'eu-central-1'],
    ['PHOTOS_S3_ENDPOINT', 'https://s3.example.com'],
    ['PHOTOS_S3_PATH_STYLE', 'false'],
    ['PHOTOS_S3_ACCESS_KEY_ID', 'AKIAIOSFODNN7EXAMPLE'],
    ['PHOTOS_S3_SECRET_ACCESS_KEY', 'hunter2hunter2'],
    ['PHOTOS_S3_SESSION_TOKEN', 'hunter2hunter2'],
    ['PHOTOS_S3_PREFIX', 'photos'],
  ])('of %s without a bucket is told: it would do nothing', (name, value) => {
    const message = messageOf({ [name]: value })
    expect(message).toBe(
      `${name}: set without PHOTOS_S3_BUCKET; set PHOTOS_S3_BUCKET as well, or no PHOTOS_S3_ variable for photos in PHOTOS_DIR`,
    )
  })

  it('of a variable that belongs together with another one names both', () => {
    expect(messageOf({ DATABASE_URL: databaseUrl })).toMatch(
      /^SECRET_KEY: not set, but needed with DATABASE_URL; give /,
    )
    expect(messageOf({ API_DATABASE_URL: databaseUrl })).toMatch(/^API_DATABASE_URL: set without DATABASE_URL; /)
  })

  it('is shortened when it is long', () => {
    expect(messageOf({ PORT: '9'.repeat(5000) }).length).toBeLessThan(250)
  })
})
