import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { withClient } from '../../src/database/client.ts'
import { isRefusedLogin } from '../../src/database/errors.ts'
import { loginRoles, ownerUrl, rolePassword, roleUrl } from '../../src/database/roles.ts'
import { scramVerifier, verifierMatches } from '../../src/migration/passwords.ts'
import { asAdmin, asRole, createTestDatabase, type TestDatabase } from '../support/server.ts'

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

  it('acts as the owner by an option of the administrator', () => {
    expect(ownerUrl('postgres://admin:pw@db/x')).toBe('postgres://admin:pw@db/x?options=-c%20role%3Dstudio_owner')
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
  let database: TestDatabase
  beforeAll(async () => {
    database = await createTestDatabase()
  })
  afterAll(() => database.drop())

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
})
