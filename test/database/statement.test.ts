import { type AddressInfo, createConnection, createServer, type Server, type Socket } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { queryAnswer } from '../../src/database/answer.ts'
import { DatabaseUnavailable, Overloaded, StatementFailed } from '../../src/database/errors.ts'
import { createPool, type Pool, type PoolOptions } from '../../src/database/pool.ts'
import { makeLogger } from '../../src/observability/log.ts'
import { asAdmin, createTestDatabase, type TestDatabase } from '../support/server.ts'

let database: TestDatabase
const open: (() => Promise<unknown>)[] = []

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())
afterEach(async () => {
  for (const close of open.splice(0)) await close()
})

const lines: string[] = []
const log = makeLogger({ level: 'debug', stream: { write: (line) => void lines.push(line) } })

function pool(url = database.adminUrl, options: Partial<PoolOptions> = {}): Pool {
  const made = createPool(url, {
    applicationName: 'statement.test',
    size: 1,
    acquireTimeoutMs: 500,
    statementTimeoutMs: 2000,
    log,
    ...options,
  })
  open.push(() => made.close())
  return made
}

const one = { name: 'one', text: 'select 1 as one' }
const backend = { name: 'backend', text: 'select pg_backend_pid() as pid' }
const sleep = { name: 'sleep', text: 'select pg_sleep($1)' }

type Row = { studio: string; id: string }

async function failure(work: Promise<unknown>): Promise<Error & { sqlState?: string }> {
  return work.then(
    () => expect.fail('did not fail'),
    (error) => error,
  )
}

describe('a statement', () => {
  it('is prepared once per connection under its name', async () => {
    const connections = pool()
    const prepared = { name: 'prepared', text: 'select name from pg_prepared_statements order by name' }
    await connections.query(one)
    await connections.query(prepared)
    expect(await connections.query(prepared)).toEqual([{ name: 'one' }, { name: 'prepared' }])
  })

  it('sends values beside the text', async () => {
    const value = `'; drop table app.items; --`
    expect(await pool().query({ name: 'echo', text: 'select $1::text as value' }, [value])).toEqual([{ value }])
  })

  it('returns what would be rounded or shifted as PostgreSQL wrote it', async () => {
    const text = `select 9007199254740993::bigint as a, 0.10::numeric(14,2) as b, date '2024-02-29' as c,
      timestamptz '2024-02-29 23:30:00.123+00' as d, array[0.10]::numeric[] as e, array['a,b', 'ü']::text[] as f, 7::smallint as g`
    expect(
      await pool(`${database.adminUrl}?options=-c%20timezone%3DAsia/Tokyo`).query({ name: 'types', text }),
    ).toEqual([
      {
        a: '9007199254740993',
        b: '0.10',
        c: '2024-02-29',
        d: '2024-03-01 08:30:00.123+09',
        e: ['0.10'],
        f: ['a,b', 'ü'],
        g: 7,
      },
    ])
  })

  it('of an operation has to return exactly one row', async () => {
    const rows = (count: number) => ({
      name: `rows_${count}`,
      text: `select 200 as status from generate_series(1, ${count})`,
    })
    expect(await queryAnswer(pool(), rows(1), [])).toEqual({ status: 200 })
    await expect(queryAnswer(pool(), rows(0), [])).rejects.toThrow('statement rows_0 failed: expected one row, got 0')
    await expect(queryAnswer(pool(), rows(2), [])).rejects.toThrow(StatementFailed)
  })

  it('survives a change of what it was planned on', async () => {
    const connections = pool()
    const items = { name: 'planned', text: 'select * from planned' }
    await asAdmin(database, (client) => client.query('create table planned (a int); insert into planned values (1)'))
    expect(await connections.query(items)).toEqual([{ a: 1 }])
    await asAdmin(database, (client) => client.query(`alter table planned add b text default 'new'`))
    expect(await connections.query(items)).toEqual([{ a: 1, b: 'new' }])
    expect(await connections.query(items)).toEqual([{ a: 1, b: 'new' }])
  })
})

describe('a failing statement', () => {
  it.each([
    ['select $1::int', '22P02'],
    [`select repeat($1, 1)::date`, '22007'],
    [`insert into unique_texts values ($1), ($1)`, '23505'],
    ['select raise_text($1)', 'P0001'],
  ])('%s never repeats its values', async (text, state) => {
    await asAdmin(database, (client) =>
      client.query(`
        create table if not exists unique_texts (value text unique);
        create or replace function raise_text(value text) returns void language plpgsql as
          $$ begin raise exception 'refused %', value using detail = value, hint = value; end $$`),
    )
    const error = await failure(pool().query({ name: 'failing', text }, ['canary-7f3a']))
    expect(error).toBeInstanceOf(StatementFailed)
    expect(error.sqlState).toBe(state)
    log.error(error)
    expect(`${error.message}${error.stack}${JSON.stringify(error)}${lines.join('')}`).not.toContain('canary-7f3a')
  })

  it('says what is wrong with the statement itself', async () => {
    const error = await failure(pool().query({ name: 'lost', text: 'select * from nowhere' }))
    expect(error).toBeInstanceOf(StatementFailed)
    expect(error.message).toBe('statement lost failed: relation "nowhere" does not exist')
  })

  it('costs its connection, so that the next statement finds a clean one', async () => {
    const connections = pool()
    const [before] = await connections.query<{ pid: number }>(backend)
    await failure(connections.query({ name: 'broken', text: 'select 1 / $1::int' }, [0]))
    const [after] = await connections.query<{ pid: number }>(backend)
    expect(after?.pid).not.toBe(before?.pid)
    expect(connections.stats().size).toBe(1)
  })
})

describe('statements that are sent together', () => {
  const divide = { name: 'divide', text: 'select 12 / $1::int as quotient, pg_backend_pid() as pid' }

  it('are run on one connection, and one that fails fails alone', async () => {
    const connections = pool(database.adminUrl, { size: 2 })
    const requests = [3, 0, 4, 6].map((by) => ({ statement: divide, values: [by] }))
    const settled = await Promise.allSettled(connections.queryTogether(requests))
    const pids = new Set<number>()
    const told = settled.map((result) => {
      if (result.status === 'rejected') return result.reason
      const [row] = result.value as { quotient: number; pid: number }[]
      pids.add(row?.pid ?? 0)
      return row?.quotient
    })
    expect(told).toEqual([4, expect.any(StatementFailed), 3, 2])
    expect(pids.size).toBe(1)
    const [after] = await connections.query<{ pid: number }>(backend)
    expect(pids).not.toContain(after?.pid)
  })

  it('are transactions of their own: what one sets or holds is gone for the next', async () => {
    const set = { name: 'set', text: `select set_config('studio.id', 'one', true) as studio, txid_current() as id` }
    const ask = { name: 'ask', text: `select current_setting('studio.id', true) as studio, txid_current() as id` }
    const requests = [set, ask].map((statement) => ({ statement, values: [] }))
    const [[first], [second]] = (await Promise.all(pool().queryTogether(requests))) as [[Row], [Row]]
    expect([first.studio, second.studio]).toEqual(['one', ''])
    expect(second.id).not.toBe(first.id)
  })

  it('survive a change of what they were planned on', async () => {
    const connections = pool()
    const items = { name: 'planned_together', text: 'select * from planned_together' }
    const twice = () =>
      Promise.all(connections.queryTogether([items, items].map((statement) => ({ statement, values: [] }))))
    await asAdmin(database, (client) => client.query('create table planned_together as select 1 as a'))
    expect(await twice()).toEqual([[{ a: 1 }], [{ a: 1 }]])
    await asAdmin(database, (client) => client.query(`alter table planned_together add b text default 'new'`))
    for (let round = 0; round < 2; round += 1) {
      expect(await twice()).toEqual([[{ a: 1, b: 'new' }], [{ a: 1, b: 'new' }]])
    }
  })
})

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
    const connections = pool(database.adminUrl, { acquireTimeoutMs: 200 })
    const holding = connections.query(sleep, [1])
    const start = Date.now()
    expect(await failure(connections.query(one))).toBeInstanceOf(DatabaseUnavailable)
    expect(Date.now() - start).toBeLessThan(800)
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

  it('its session is ended while others wait behind it on the same connection, and the process lives', async () => {
    const connections = pool()
    const requests = [1, 2, 3].map(() => ({ statement: sleep, values: [10] }))
    const interrupted = connections.queryTogether(requests).map(failure)
    await asAdmin(database, async (client) => {
      await expect.poll(async () => (await client.query(endSleepers)).rowCount).toBe(1)
    })
    for (const error of await Promise.all(interrupted)) expect(error).toBeInstanceOf(DatabaseUnavailable)
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

describe('an idle connection', () => {
  it('that is ended by the server is replaced, and the process lives', async () => {
    const connections = pool(database.adminUrl, { size: 3 })
    await connections.warmUp()
    expect(connections.stats().idle).toBe(3)
    await asAdmin(database, (client) => client.query(endIdle))
    await expect.poll(() => connections.stats().size).toBe(0)
    expect(await connections.query(one)).toEqual([{ one: 1 }])
    expect(lines.join('')).toContain('lost an idle database connection')
  })
})

const endSleepers = `select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and query like 'select pg_sleep%' and state = 'active'`
const endIdle = `select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and application_name = 'statement.test'`

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
