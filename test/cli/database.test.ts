import { afterAll, beforeAll, expect, test } from 'vitest'
import { databaseUrl, testSecretKey, useDatabase, withClient } from '../support/server.ts'
import { expectRefused, runHere } from './here.ts'
import { envFor, runCli } from './run.ts'

const database = useDatabase()
let empty: string

beforeAll(async () => {
  empty = `${database.name}_empty`
  await withClient(database.adminUrl, (admin) => admin.query(`create database ${empty}`))
})

afterAll(() => withClient(database.adminUrl, (admin) => admin.query(`drop database ${empty} with (force)`)))

test('url prints exactly one line, with which one can log in as the role asked for', async () => {
  for (const role of ['owner', 'api', 'writer', 'recorder', 'console', 'graphql']) {
    const user = role === 'owner' ? new URL(database.adminUrl).username : `studio_${role}`
    const run = role === 'owner' ? runCli : runHere
    const { status, stdout, stderr } = await run(['url', '--as', role], envFor(database))
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout).toMatch(/^postgres(ql)?:\/\/\S+\n$/)
    const who = await withClient(stdout.trim(), (client) => client.query('select session_user as name'))
    expect(who.rows).toEqual([{ name: user }])
  }
})

test('migrate fills an empty database, and changes nothing the second time', async () => {
  const env = { DATABASE_URL: databaseUrl(database.adminUrl, empty), SECRET_KEY: testSecretKey, LOG_LEVEL: 'error' }
  const before = await runCli(['token', 'list', '--studio', 'x'], env)
  expectRefused(before, /does not have the schema of this release\n.*studio-inventory migrate\n$/)

  const first = await runCli(['migrate'], env)
  expect(first).toMatchObject({ status: 0, stderr: '' })
  expect(first.stdout).toMatch(/^Migrated: 000001\.sql, /)
  expect(await runCli(['migrate'], env)).toMatchObject({ status: 0, stdout: 'The database is up to date.\n' })
})

test('valuation refresh says how many items moved, and rebuilds what is missing when asked', async () => {
  await withClient(database.urlFor('studio_owner'), async (owner) => {
    const studio = await owner.query(`select access.create_studio('Valued', 'v@valued.example', 'V') as id`)
    await owner.query(`select set_config('studio.id', $1, false)`, [studio.rows[0].id])
    await owner.query(
      `insert into app.items (studio_id, name, purchase_price) select $1, 'item ' || n, 10 from generate_series(1, 3) n`,
      [studio.rows[0].id],
    )
    await owner.query(`delete from app.item_valuations where item_id = (select min(id::text)::uuid from app.items)`)
  })
  const refresh = ['valuation', 'refresh']
  const env = envFor(database)
  expect(await runCli(refresh, env)).toEqual({ status: 0, stdout: '0 items have a new value.\n', stderr: '' })
  const rebuilt = await runHere([...refresh, '--rebuild-missing'], env)
  expect(rebuilt).toEqual({ status: 0, stdout: '1 item has a new value.\n', stderr: '' })
  expect(await runHere([...refresh, '--rebuild-missing'], env)).toMatchObject({ stdout: '0 items have a new value.\n' })
})
