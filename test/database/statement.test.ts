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
