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

test('migrate with another SECRET_KEY than the logins have changes nothing and says what to do', async () => {
  const other = { ...envFor(database), SECRET_KEY: 'another secret key, as a wrong environment has it' }
  const refused = await runCli(['migrate'], other)
  expectRefused(refused, /would change the passwords of studio_api, .*; it changed nothing\n.*--rotate-secret/s)
  expect(await withClient(database.urlFor('studio_api'), async () => 'in')).toBe('in')
})
