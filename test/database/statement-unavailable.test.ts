import { type AddressInfo, createConnection, createServer, type Server, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DatabaseUnavailable, Overloaded } from '../../src/database/errors.ts'
import { asAdmin, createTestDatabase, type TestDatabase } from '../support/server.ts'
import { failure, one, sleep, usePools } from './pools.ts'

let database: TestDatabase
const { pool, open } = usePools(() => database)

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

describe('the database cannot be used when', () => {
  it('nothing listens', async () => {
    const url = new URL(database.adminUrl)
    url.port = '1'
    expect(await failure(pool(url.href).query(one))).toBeInstanceOf(DatabaseUnavailable)
  })

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

  it('all connections are in use for longer than a statement waits', async () => {
    const connections = pool(database.adminUrl, { acquireTimeoutMs: 200, statementTimeoutMs: 10_000 })
    let inUse = true
    const holding = connections.query(sleep, [2]).then(() => {
      inUse = false
    })
    expect(await failure(connections.query(one))).toBeInstanceOf(DatabaseUnavailable)
    expect(inUse).toBe(true)
    await holding
    expect(await connections.query(one)).toEqual([{ one: 1 }])
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

  it('the statement takes longer than it may', async () => {
    const connections = pool(database.adminUrl, { statementTimeoutMs: 100 })
    const error = await failure(connections.query(sleep, [10]))
    expect(error).toBeInstanceOf(DatabaseUnavailable)
    expect(error.message).toContain('57014')
    expect(await connections.query(one)).toEqual([{ one: 1 }])
  })

  it('its session is ended in the middle of a statement', async () => {
    const connections = pool()
    const interrupted = failure(connections.query(sleep, [10]))
    await asAdmin(database, async (client) => {
      await expect.poll(async () => (await client.query(endSleepers)).rowCount).toBe(1)
    })
    expect(await interrupted).toBeInstanceOf(DatabaseUnavailable)
    expect(await connections.query(one)).toEqual([{ one: 1 }])
  })

  it('the server accepts and then says nothing', async () => {
    const silent = await listen(() => undefined)
    const error = await failure(pool(silent).query(one))
    expect(error).toBeInstanceOf(DatabaseUnavailable)
  })

  it('the server goes silent in the middle of a statement', async () => {
    let quiet = false
    const target = new URL(database.adminUrl)
    const through = await listen((near) => {
      const far = createConnection(Number(target.port || 5432), target.hostname)
      near.on('data', (data) => quiet || far.write(data))
      far.on('data', (data) => quiet || near.write(data))
      far.on('error', () => near.destroy())
      near.on('error', () => far.destroy())
      near.on('close', () => far.destroy())
    })
    const connections = pool(through, { statementTimeoutMs: 100 })
    await connections.query(one)
    quiet = true
    const start = Date.now()
    expect(await failure(connections.query(one))).toBeInstanceOf(DatabaseUnavailable)
    expect(Date.now() - start).toBeLessThan(3000)
    quiet = false
    expect(await connections.query(one)).toEqual([{ one: 1 }])
  })
})

const endSleepers = `select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and query like 'select pg_sleep%' and state = 'active'`

/** A server of our own in place of the database; returns its connection string. */
async function listen(onConnection: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>()
  const server: Server = createServer((socket) => {
    sockets.add(socket.on('close', () => sockets.delete(socket)))
    onConnection(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  open.push(async () => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const url = new URL(database.adminUrl)
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return url.href
}
