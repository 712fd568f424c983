import { describe, expect, it } from 'vitest'
import { withClient } from '../../src/database/client.ts'
import { isRefusedLogin } from '../../src/database/errors.ts'
import { createPool } from '../../src/database/pool.ts'
import { type LoginRole, loginRoles, rolePassword, roleUrl, urlFor } from '../../src/database/roles.ts'
import { asOwner } from '../../src/database/session.ts'
import { withStudioWriter } from '../../src/importer/staging.ts'
import { makeLogger } from '../../src/log.ts'
import { scramVerifier, verifierMatches } from '../../src/migration/passwords.ts'
import { openDatabase } from '../../src/service/open-database.ts'
import { asAdmin, asRole, useDatabase } from '../support/server.ts'

const key = 'k'.repeat(32)

describe('the password of a role', () => {
  it('differs by role and by key, and is the same every time', () => {
    const passwords = loginRoles.map((role) => rolePassword(key, role))
    expect(new Set(passwords).size).toBe(loginRoles.length)
    expect(rolePassword(key, 'studio_api')).toBe(passwords[0])
    expect(rolePassword(`${key}2`, 'studio_api')).not.toBe(passwords[0])
    expect(passwords[0]).toMatch(/^[\w-]{43}$/)
  })
})

describe('the connection string of a role', () => {
  const password = rolePassword(key, 'studio_api')

  it.each([
    ['postgres://admin:pw@db:5433/x?sslmode=require', `postgres://studio_api:${password}@db:5433/x?sslmode=require`],
    ['postgres://db/x', `postgres://studio_api:${password}@db/x`],
    ['postgres://db/x?user=admin&password=pw', `postgres://studio_api:${password}@db/x`],
    ['postgres:///x?host=/run/pg', `postgres:///x?host=%2Frun%2Fpg&user=studio_api&password=${password}`],
  ])('is made from %s', (from, expected) => {
    expect(roleUrl(from, 'studio_api', key)).toBe(expected)
  })

  it('of DATABASE_URL is used without connecting; the roles’ are made from it', async () => {
    const databaseUrl = 'postgres://admin:pw@192.0.2.1:5432/studio'
    const poolerUrl = 'postgres://pgbouncer:6432/studio'
    const options = { databaseUrl, poolerUrl, secretKey: key, otherSecretKeys: ['n'.repeat(32)], dataDir: '/nowhere' }
    const database = await openDatabase(options, makeLogger({ level: 'silent' }))
    expect(database).toMatchObject({ adminUrl: databaseUrl, embedded: false, secretKey: key })
    const passwords = (role: LoginRole) => [key, 'n'.repeat(32)].map((each) => rolePassword(each, role))
    expect(database.urlFor('studio_api')).toEqual(
      passwords('studio_api').map((password) => `postgres://studio_api:${password}@pgbouncer:6432/studio`),
    )
    expect(database.urlFor('studio_writer')).toEqual(
      passwords('studio_writer').map((password) => `postgres://studio_writer:${password}@192.0.2.1:5432/studio`),
    )
    await database.close()
  })
})

describe('a SCRAM-SHA-256 verifier', () => {
  it('is the one of RFC 7677 for its example', () => {
    const salt = Buffer.from('W22ZaJ0SNY7soEsUEjb6gQ==', 'base64')
    expect(scramVerifier('pencil', salt, 4096)).toBe(
      'SCRAM-SHA-256$4096:W22ZaJ0SNY7soEsUEjb6gQ==$WG5d8oPm3OtcPnkdi4Uo7BkeZkBFzpcXkuLmtbsT4qY=:wfPLwcE6nTWhTAmQ7tl2KeoiWGPlZqQxSrmfPwDl2dU=',
    )
  })

  it('matches its own password only', () => {
    expect(verifierMatches(scramVerifier('right'), 'right')).toBe(true)
    expect(verifierMatches(scramVerifier('right'), 'wrong')).toBe(false)
    expect(verifierMatches(null, 'right')).toBe(false)
    expect(verifierMatches('md5c4ca4238a0b923820dcc509a6f75849b', 'right')).toBe(false)
  })
})

describe('on a server', () => {
  const database = useDatabase()

  it.each(loginRoles)('%s logs in with its derived password', async (role) => {
    const rows = await asRole(database, role, (client) => client.query('select session_user as name'))
    expect(rows.rows).toEqual([{ name: role }])
  })

  it('gives a role of no password one that works, and refuses another', async () => {
    const role = `trial_${database.name}`
    const login = new URL(database.adminUrl)
    login.username = role
    await asAdmin(database, (client) => client.query(`create role ${role} login password '${scramVerifier('pä ss')}'`))
    try {
      await asAdmin(database, (client) => client.query(`grant connect on database ${database.name} to ${role}`))
      login.password = encodeURIComponent('pä ss')
      await withClient(login.href, (client) => client.query('select 1'))
      login.password = 'other'
      const refused = await withClient(login.href, (client) => client.query('select 1')).catch((error) => error)
      expect(isRefusedLogin(refused)).toBe(true)
    } finally {
      await asAdmin(database, (client) => client.query(`drop owned by ${role}; drop role ${role}`))
    }
  })

  it('keeps a login that has two passwords: open connections, and new ones with the one that the server takes', async () => {
    const role = `rotated_${database.name}`
    const urls = ['old', 'new'].map((password) => urlFor(database.adminUrl, role, password))
    const set = (password: string) =>
      asAdmin(database, (client) => client.query(`alter role ${role} password '${scramVerifier(password)}'`))
    await asAdmin(database, (client) => client.query(`create role ${role} login`))
    const log = makeLogger({ level: 'silent' })
    const times = { acquireTimeoutMs: 5_000, statementTimeoutMs: 5_000 }
    const pool = createPool(urls, { applicationName: role, size: 4, ...times, log })
    const ask = () => pool.query<{ one: number }>({ name: 'one', text: 'select 1 as one' })
    const askAtOnce = async () => (await Promise.all([ask(), ask(), ask(), ask()])).flat()
    const answers = Array(4).fill({ one: 1 })
    const closeIdle = async () => {
      await asAdmin(database, (client) =>
        client.query('select pg_terminate_backend(pid) from pg_stat_activity where usename = $1', [role]),
      )
      await expect.poll(() => pool.stats().size).toBe(0)
    }
    try {
      await asAdmin(database, (client) => client.query(`grant connect on database ${database.name} to ${role}`))
      await set('old')
      expect(await askAtOnce()).toEqual(answers)
      await set('new')
      expect(await askAtOnce()).toEqual(answers)
      await closeIdle()
      expect(await askAtOnce()).toEqual(answers)
      await set('old')
      await closeIdle()
      const lent = await pool.connect()
      expect((await lent.query('select 1 as one')).rows).toEqual([{ one: 1 }])
      lent.release()
      expect(await withClient(urls.toReversed(), async () => 'in')).toBe('in')
      await set('neither')
      await closeIdle()
      await expect(ask()).rejects.toThrow('28P01')
    } finally {
      await pool.close()
      await asAdmin(database, (client) => client.query(`drop owned by ${role}; drop role ${role}`))
    }
  })

  it('writes for a studio as studio_writer, in that studio', async () => {
    const studio = '0191a000-0000-7000-8000-000000000001'
    const session = `select session_user as login, current_user as role, current_setting('studio.id', true) as studio`
    const rows = await withStudioWriter(database.urlFor('studio_writer'), studio, ({ query }) => query(session))
    expect(rows).toEqual([{ login: 'studio_writer', role: 'studio_writer', studio }])
  })

  it('keeps what a transaction did when it comes to its end, and nothing otherwise', async () => {
    await asOwner(database.adminUrl, (transaction) => transaction.query('create table app.kept (a int)'))
    const count = async () =>
      (await asOwner(database.adminUrl, ({ query }) => query('select a from app.kept order by a'))).length
    await asOwner(database.adminUrl, ({ query }) => query('insert into app.kept values ($1)', [1]))
    expect(await count()).toBe(1)
    const thrown = asOwner(database.adminUrl, async ({ query }) => {
      await query('insert into app.kept values (2)')
      throw new Error('changed my mind')
    })
    await expect(thrown).rejects.toThrow('changed my mind')
    expect(await count()).toBe(1)
  })

  it('does not report success for a transaction in which a statement failed', async () => {
    const swallowed = asOwner(database.adminUrl, async ({ query }) => {
      await query('select 1')
      await query('select * from nowhere').catch(() => undefined)
    })
    await expect(swallowed).rejects.toThrow('rolled back because one of its statements failed')
  })
})
