import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { StatementFailed } from '../../src/database/errors.ts'
import { asAdmin, createTestDatabase, type TestDatabase } from '../support/server.ts'
import { failure, usePools } from './pools.ts'

let database: TestDatabase
const { pool, lines, log } = usePools(() => database)

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

describe('a statement', () => {
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
