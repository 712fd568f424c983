import { rm } from 'node:fs/promises'
import type pg from 'pg'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { makeLogger } from '../../src/log.ts'
import { checkServerVersion, migrate, UnsupportedServer } from '../../src/migration/migrate.ts'
import { newestMigration, pendingMigrations } from '../../src/migration/migrations.ts'
import { useFolder } from '../support/folder.ts'
import { databaseUrl, testSecretKey, useDatabase, withClient } from '../support/server.ts'

const lines: string[] = []
const log = makeLogger({ level: 'debug', stream: { write: (line) => void lines.push(line) } })

const database = useDatabase()
const folder = useFolder()
let emptyUrl: string

beforeAll(async () => {
  const empty = `${database.name}_empty`
  await withClient(inject('testServer').adminUrl, (admin) => admin.query(`create database ${empty}`))
  emptyUrl = databaseUrl(database.adminUrl, empty)
})

it('a server that opened a function again is closed again, and the operator reads so', async () => {
  const opened = () =>
    withClient(database.adminUrl, async (admin) => {
      const { rows } = await admin.query(`select has_function_privilege('public', 'txid_current()', 'execute') as open`)
      return rows[0].open
    })
  await withClient(database.adminUrl, (admin) => admin.query('grant execute on function txid_current() to public'))
  expect(await opened()).toBe(true)
  lines.length = 0
  await migrate(database.adminUrl, testSecretKey, log)
  expect(await opened()).toBe(false)
  expect(lines.join('')).toContain('closed functions and languages that this server left open to everybody')
})

describe('an empty database', () => {
  const first = `create table public.first (a int);
create schema audit;
create function audit.set_server_rights(boolean) returns integer language sql return 0;
`

  it('gets every migration once, though several processes migrate it at the same time', async () => {
    await commit('000001-first.sql', '-', 'sha1:1', first)
    expect(await pendingMigrations(emptyUrl, folder.path)).toEqual(['000001.sql'])
    await Promise.all([1, 2, 3].map(() => migrate(emptyUrl, testSecretKey, log, folder.path)))
    expect(await pendingMigrations(emptyUrl, folder.path)).toEqual([])
    expect(await newestMigration(folder.path)).toMatchObject({ filename: '000001.sql', hash: 'sha1:1' })
  })

  it('is migrated again when a role that it alters was altered from another database meanwhile', async () => {
    const role = `${database.name}_shared`
    await withClient(database.adminUrl, (client) => client.query(`create role ${role}`))
    await commit('000002.sql', 'sha1:1', 'sha1:2', `alter role ${role} connection limit 3;\n`)
    await withClient(database.adminUrl, async (client) => {
      await client.query(`begin; alter role ${role} connection limit 2`)
      const migrating = migrate(emptyUrl, testSecretKey, log, folder.path)
      await Promise.race([migrating, expect.poll(() => waiting(client), { timeout: 20_000 }).toBe('1')])
      await client.query('commit')
      expect(await migrating).toEqual(['000002.sql'])
      const { rows } = await client.query('select rolconnlimit from pg_roles where rolname = $1', [role])
      expect(rows).toEqual([{ rolconnlimit: 3 }])
      await client.query(`drop role ${role}`)
    })
  })

  it('keeps nothing of a migration that fails', async () => {
    await commit('000003.sql', 'sha1:2', 'sha1:3', 'create table public.third (a int);\nselect * from nowhere;\n')
    await expect(migrate(emptyUrl, testSecretKey, log, folder.path)).rejects.toThrow(
      'relation "nowhere" does not exist',
    )
    expect(await pendingMigrations(emptyUrl, folder.path)).toEqual(['000003.sql'])
    const left = await withClient(emptyUrl, (client) => client.query(`select to_regclass('public.third') as found`))
    expect(left.rows).toEqual([{ found: null }])
  })

  it('is refused when an unreleased version has made it: another migration has a name of ours', async () => {
    await commit('000002-other.sql', 'sha1:1', 'sha1:other', 'create table public.other (a int);\n')
    await rm(folder.at('committed/000002.sql'))
    const refusal = {
      name: 'UnknownMigration',
      message:
        'this database was made by an unreleased version, from which there is no upgrade (its 000002.sql is not the migration of this release)',
      hint: expect.stringContaining('Use an empty database'),
    }
    await expect(migrate(emptyUrl, testSecretKey, log, folder.path)).rejects.toMatchObject(refusal)
    await expect(pendingMigrations(emptyUrl, folder.path)).rejects.toMatchObject(refusal)
  })

  it('leaves no password in the log', () => {
    expect(lines.join('')).not.toMatch(/SCRAM-SHA-256\$/)
  })
})

it('warns about servers that lack corrections, and refuses those below 15', () => {
  expect(checkServerVersion(150019)).toContain('use 15.20 or newer')
  expect(checkServerVersion(180004)).toContain('use 18.6 or newer')
  for (const version of [150020, 180006, 190000]) expect(checkServerVersion(version)).toBeUndefined()
  expect(() => checkServerVersion(140099)).toThrow(UnsupportedServer)
  expect(() => checkServerVersion(90624)).toThrow('PostgreSQL 9 is too old; use PostgreSQL 15 to 18')
})

/** How many wait for the transaction of this client to end. */
async function waiting(client: pg.Client): Promise<string> {
  const { rows } = await client.query(
    'select count(*) from pg_locks where not granted and transactionid = pg_current_xact_id()::xid',
  )
  return rows[0].count
}

async function commit(file: string, previous: string, hash: string, body: string): Promise<void> {
  const header = `--! Previous: ${previous}\n--! Hash: ${hash}\n--! AllowInvalidHash\n\n`
  await folder.file(`committed/${file}`, header + body)
}
