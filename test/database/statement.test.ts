import { afterEach, describe, expect, it } from 'vitest'
import { DatabaseUnavailable, Overloaded, StatementFailed } from '../../src/database/errors.ts'
import { createPool, type Pool, type PoolOptions } from '../../src/database/pool.ts'
import { makeLogger } from '../../src/log.ts'
import { asAdmin, useDatabase } from '../support/server.ts'

const database = useDatabase()
const one = { name: 'one', text: 'select 1 as one' }
const sleep = { name: 'sleep', text: 'select pg_sleep($1)' }
/** The log of the pool. */
const lines: string[] = []
const log = makeLogger({ level: 'debug', stream: { write: (line) => void lines.push(line) } })
const open: Pool[] = []
afterEach(async () => {
  for (const made of open.splice(0)) await made.close()
})

function pool(url = database.adminUrl, options: Partial<PoolOptions> = {}): Pool {
  const bounds = { size: 1, acquireTimeoutMs: 500, statementTimeoutMs: 2000 }
  const made = createPool(url, { applicationName: 'statement.test', ...bounds, log, ...options })
  open.push(made)
  return made
}

/** The error with which a promise rejects. */
const failure = (work: Promise<unknown>): Promise<Error & { sqlState?: string }> =>
  work.then(
    () => expect.fail('did not fail'),
    (error) => error,
  )

describe('a statement', () => {
  it('sends values apart from the text', async () => {
    const value = `'; drop table app.items; --`
    expect(await pool().query({ name: 'echo', text: 'select $1::text as value' }, [value])).toEqual([{ value }])
  })

  it('returns what would be rounded or shifted as PostgreSQL wrote it', async () => {
    const text = `select 9007199254740993::bigint as a, 0.10::numeric(14,2) as b, date '2024-02-29' as c,
      timestamptz '2024-02-29 23:30:00.123+00' as d, array[0.10]::numeric[] as e, array['a,b', 'ü']::text[] as f, 7::smallint as g`
    const inTokyo = pool(`${database.adminUrl}?options=-c%20timezone%3DAsia/Tokyo`)
    expect(await inTokyo.query({ name: 'types', text })).toEqual([
      {
        ...{ a: '9007199254740993', b: '0.10', c: '2024-02-29', d: '2024-03-01 08:30:00.123+09' },
        ...{ e: ['0.10'], f: ['a,b', 'ü'], g: 7 },
      },
    ])
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
})

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

  it('beyond the limit of waiting requests, one more is refused at once, and the others get their turn', async () => {
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
