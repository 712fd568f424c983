import { expect, it } from 'vitest'
import { ConfigError, readConfig } from '../src/config/config.ts'
import { replicaUrl } from '../src/database/roles.ts'

const own = { DATABASE_URL: 'postgres://admin:hunter2@db/studio', SECRET_KEY: 'k'.repeat(32) }

function messageOf(env: Record<string, string>): string {
  try {
    readConfig(env)
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError)
    return (error as Error).message
  }
  throw new Error(`accepted ${JSON.stringify(env)}`)
}

it('named statements and no replica by default', () => {
  expect(readConfig({}).scaling).toEqual({ preparedStatements: true, replicaUrls: [] })
})

it('replicas are a list, and need a primary of the user', () => {
  const REPLICA_DATABASE_URLS = ' postgres://one/studio , postgres://two:6432/studio?sslmode=require'
  expect(readConfig({ ...own, REPLICA_DATABASE_URLS }).scaling.replicaUrls).toEqual([
    'postgres://one/studio',
    'postgres://two:6432/studio?sslmode=require',
  ])
  expect(messageOf({ REPLICA_DATABASE_URLS })).toMatch(/^REPLICA_DATABASE_URLS: set without DATABASE_URL/)
})

it('no password of a replica is repeated when the list is wrong', () => {
  for (const REPLICA_DATABASE_URLS of [
    'postgres://a:hunter2@one/studio,http://two/studio',
    'postgres://a:hunter2@one/studio,',
    'postgres://a:hunter2@one',
  ]) {
    const message = messageOf({ ...own, REPLICA_DATABASE_URLS })
    expect(message).toMatch(/^REPLICA_DATABASE_URLS: .* is not valid; give a PostgreSQL URL with a database name/)
    expect(message).not.toContain('hunter2')
  }
})

it("a replica is reached at its address with the service's login", () => {
  const login = 'postgres://studio_api:a%2Fb%25c@primary:5432/studio?sslmode=disable'
  expect(replicaUrl('postgres://admin:hunter2@replica:6000/studio?sslmode=require', login)).toBe(
    'postgres://studio_api:a%2Fb%25c@replica:6000/studio?sslmode=require',
  )
  expect(replicaUrl('postgres:///studio?host=/run/replica', login)).toBe(
    'postgres:///studio?host=%2Frun%2Freplica&user=studio_api&password=a%2Fb%25c',
  )
})
