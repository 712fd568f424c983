import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { queryAnswer } from '../../src/database/answer.ts'
import { StatementFailed } from '../../src/database/errors.ts'
import { asAdmin, createTestDatabase, type TestDatabase } from '../support/server.ts'
import { backend, failure, one, usePools } from './pools.ts'

let database: TestDatabase
const { pool, lines, log } = usePools(() => database)

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

type Row = { studio: string; id: string }

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
    const settled = await Promise.allSettled(connections.queryPipelined(requests))
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
    const [[first], [second]] = (await Promise.all(pool().queryPipelined(requests))) as [[Row], [Row]]
    expect([first.studio, second.studio]).toEqual(['one', ''])
    expect(second.id).not.toBe(first.id)
  })

  it('survive a change of what they were planned on', async () => {
    const connections = pool()
    const items = { name: 'planned_together', text: 'select * from planned_together' }
    const twice = () =>
      Promise.all(connections.queryPipelined([items, items].map((statement) => ({ statement, values: [] }))))
    await asAdmin(database, (client) => client.query('create table planned_together as select 1 as a'))
    expect(await twice()).toEqual([[{ a: 1 }], [{ a: 1 }]])
    await asAdmin(database, (client) => client.query(`alter table planned_together add b text default 'new'`))
    for (let round = 0; round < 2; round += 1) {
      expect(await twice()).toEqual([[{ a: 1, b: 'new' }], [{ a: 1, b: 'new' }]])
    }
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

const endIdle = `select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and application_name = 'statement.test'`
