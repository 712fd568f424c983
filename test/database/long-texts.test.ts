import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ClientOfLongTexts, typesOfLongTexts } from '../../src/database/long-texts.ts'
import { plainTypes } from '../../src/database/type-parsers.ts'
import { createTestDatabase, type TestDatabase } from '../support/server.ts'

let database: TestDatabase
let client: pg.Client

beforeAll(async () => {
  database = await createTestDatabase()
  client = new ClientOfLongTexts({ connectionString: database.adminUrl, types: typesOfLongTexts(plainTypes) })
  await client.connect()
})
afterAll(async () => {
  await client?.end()
  await database?.drop()
})

const read = async (expression: string) => (await client.query(`select ${expression} as value`)).rows[0].value

test.each([4_001, 70_000, 3_000_000])('a text of %i bytes and more is returned as its bytes', async (count) => {
  const value = await read(`repeat('€', ${count} / 3 + 1)`)
  expect(Buffer.isBuffer(value)).toBe(true)
  expect(value.toString()).toBe('€'.repeat(Math.trunc(count / 3) + 1))
})

test('a shorter text is returned as a string', async () => {
  expect(await read(`repeat('x', 4000)`)).toBe('x'.repeat(4_000))
  expect(await read(`''`)).toBe('')
})

test('long values of other types are what they are with any client', async () => {
  expect(await read(`array_fill('key'::text, array[2000])`)).toEqual(Array(2_000).fill('key'))
  expect(await read(`to_jsonb(repeat('x', 9000))`)).toBe('x'.repeat(9_000))
  expect(await read(`null::text`)).toBeNull()
})

test('texts of several rows and of statements that follow each other are not mixed', async () => {
  const statement = `select repeat(chr(65 + n), 5000) as long, n::text as short from generate_series(0, 20) as n`
  for (let round = 0; round < 3; round += 1) {
    const { rows } = await client.query<{ long: Buffer; short: string }>(statement)
    expect(rows.map(({ long }) => String(long))).toEqual(rows.map((_, n) => String.fromCharCode(65 + n).repeat(5_000)))
    expect(rows.map(({ short }) => short)).toEqual(rows.map((_, n) => String(n)))
  }
})

test('an error of the server is an error with its SQLSTATE', async () => {
  await expect(client.query('select 1 / 0')).rejects.toMatchObject({ code: '22012' })
  await expect(client.query(`do $$ begin raise exception using message = repeat('x', 9000); end $$`)).rejects.toThrow(
    'x'.repeat(9_000),
  )
})
