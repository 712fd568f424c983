import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DatabaseUnavailable, Overloaded } from '../../src/database/errors.ts'
import { createTestDatabase, type TestDatabase } from '../support/server.ts'
import { failure, one, sleep, usePools } from './pools.ts'

let database: TestDatabase
const { pool } = usePools(() => database)

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

describe('the database cannot be used when', () => {
  it('the password is wrong, or the database is gone', async () => {
    const url = new URL(database.adminUrl)
    url.pathname = '/no_such_database'
    expect(await failure(pool(url.href).query(one))).toBeInstanceOf(DatabaseUnavailable)
    url.pathname = new URL(database.adminUrl).pathname
    url.password = 'wrong-canary'
    const error = await failure(pool(url.href).query(one))
    expect(error).toBeInstanceOf(DatabaseUnavailable)
    expect(error.message).not.toContain('canary')
  })

  it('as many wait for a connection as may: one more is refused at once, and the others have their turn', async () => {
    const connections = pool(database.adminUrl, { maxWaiting: 2, acquireTimeoutMs: 5_000 })
    const holding = connections.query(sleep, [0.3])
    const waiting = [connections.query(one), connections.query(one)]
    expect(await failure(connections.query(one))).toBeInstanceOf(Overloaded)
    expect(connections.stats()).toEqual({ size: 1, idle: 0, waiting: 2, refused: 1 })
    await holding
    expect(await Promise.all(waiting)).toEqual([[{ one: 1 }], [{ one: 1 }]])
  })

  it('the server has become a standby or read-only; none of the connections is used again', async () => {
    const connections = pool(database.adminUrl, { size: 2 })
    const slow = { name: 'slow', text: 'select pg_backend_pid() as pid, pg_sleep(0.1)' }
    const both = () => Promise.all([connections.query<{ pid: number }>(slow), connections.query<{ pid: number }>(slow)])
    const before = (await both()).map(([row]) => row?.pid)
    const text = `do $$ begin raise sqlstate '25006' using message = 'cannot execute UPDATE in a read-only transaction'; end $$`
    const error = await failure(connections.query({ name: 'write', text }))
    expect(error).toBeInstanceOf(DatabaseUnavailable)
    expect(error.message).toContain('25006')
    for (const [row] of await both()) expect(before).not.toContain(row?.pid)
  })
})
