import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { comparisons } from '../../src/audit/compare.ts'
import { makeLogger } from '../../src/log.ts'
import { migrate } from '../../src/migration/migrate.ts'
import { asTested, rulesOf } from '../audit/findings.ts'
import { startCluster, type TestCluster } from '../support/cluster.ts'
import { databaseUrl, testSecretKey, withClient } from '../support/server.ts'
import { runCli } from './run.ts'

// A server of its own: roles belong to the whole server, and the audit sees those of other tests.
let cluster: TestCluster
let url: string
let auditorUrl: string
let strangerUrl: string
let count: number
const auditor = 'studio_test_auditor'
// Whatever server the tests run on, it is to be a safe one here.
const safe = { AUDIT_ACCEPT: asTested.join(', ') }

beforeAll(async () => {
  cluster = await startCluster({ TEST_POSTGRES_BIN: process.env.TEST_POSTGRES_BIN })
  url = databaseUrl(cluster.adminUrl, 'audited')
  await withClient(cluster.adminUrl, (admin) => admin.query('create database audited'))
  await migrate(url, testSecretKey, makeLogger({ level: 'error', fileDescriptor: 2 }))
  count = await withClient(url, async (admin) => {
    await admin.query(`create role ${auditor} login password 'looks only' in role studio_auditor`)
    await admin.query(`create role stranger login password 'looks only'; grant connect on database audited to stranger;
      revoke connect on database audited from stranger`)
    return (await rulesOf(admin)).length + Object.keys(comparisons).length
  })
  const loginUrl = (username: string) => Object.assign(new URL(url), { username, password: 'looks only' }).href
  auditorUrl = loginUrl(auditor)
  strangerUrl = loginUrl('stranger')
}, 120_000)

afterAll(() => cluster?.stop())

const audit = (args: string[] = [], env: Record<string, string> = { DATABASE_URL: url, SECRET_KEY: testSecretKey }) =>
  runCli(['audit', ...args], { ...safe, ...env })

async function offended(offence: string, cure: string, work: () => Promise<void>): Promise<void> {
  await withClient(url, (admin) => admin.query(offence))
  try {
    await work()
  } finally {
    await withClient(url, (admin) => admin.query(cure))
  }
}

describe('the audit', () => {
  it('finds nothing in a sound database: exit status 0', async () => {
    const { status, stdout, stderr } = await audit()
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    const lines = stdout
      .trimEnd()
      .split('\n')
      .filter((line) => !line.startsWith('accepted: '))
    expect(lines).toHaveLength(2)
    const superuser = decodeURIComponent(new URL(url).username)
    expect(lines[0]).toBe(`assumed to be administrators: ${superuser} (superuser, makes roles)`)
    expect(lines[1]).toMatch(
      new RegExp(`^${count} rules on database audited, PostgreSQL \\d+\\.\\d+.*: nothing found\\.$`),
    )
  })

  it('asks only the rules with a login of studio_auditor, and says what it cannot see: exit status 1', async () => {
    const asAuditor = await audit(['--url', auditorUrl], {})
    expect(asAuditor).toMatchObject({ status: 1, stderr: '' })
    expect(asAuditor.stdout).toMatch(
      /^warning +not_compared +database +was not compared .*: studio_test_auditor may not create databases and roles/m,
    )
    expect(asAuditor.stdout).toContain('not seen by this login: the setting session_preload_libraries\n')
    const known = { AUDITOR_DATABASE_URL: auditorUrl, AUDIT_ACCEPT: `${safe.AUDIT_ACCEPT}, not_compared` }
    const accepted = await audit([], known)
    expect(accepted).toMatchObject({ status: 0, stderr: '' })
    expect(accepted.stdout).toContain('accepted: not_compared: database was not compared')
    const both = { AUDITOR_DATABASE_URL: auditorUrl, DATABASE_URL: url, SECRET_KEY: testSecretKey }
    expect(await audit([], both)).toMatchObject({ status: 0, stderr: '' })
  })

  it('says what is wrong, why it matters and how to fix it: exit status 1 until it is fixed', async () => {
    await offended(
      'alter view api_v1.items reset (security_invoker); create table public.copies as select * from app.items',
      'alter view api_v1.items set (security_invoker = true); drop table public.copies',
      async () => {
        const { status, stdout } = await audit()
        expect(status).toBe(1)
        const lines = stdout.split('\n')
        expect(lines[0]).toMatch(/^LEVEL +RULE +OBJECT +WHAT IS WRONG$/)
        expect(lines[1]).toMatch(/^error +view_not_invoker +api_v1\.items +reads with the rights of its owner/)
        expect(lines[2]).toMatch(
          /^error +differs_from_this_release +view api_v1\.items +options: none; this release: security_invoker=true/,
        )
        expect(lines[3]).toMatch(/^error +not_installed_by_this_release +table public\.copies +is not of this release/)
        expect(stdout).toContain('\nview_not_invoker\n  why: The owner')
        expect(stdout).toContain('  to fix api_v1.items: alter view api_v1.items set (security_invoker = true);\n')
        expect(stdout).toMatch(/: 3 findings\.\n$/)

        const json = JSON.parse((await audit(['--json'])).stdout)
        expect(json.rules).toHaveLength(count)
        expect(json.server_version).toMatch(/^\d+/)
        // What 1.0 calls it.
        expect(json.serverVersion).toBe(json.server_version)
        expect(json.findings.map((finding: object) => Object.keys(finding))).toEqual(
          [1, 2, 3].map(() => ['rule', 'level', 'object', 'finding', 'why', 'remedy']),
        )
      },
    )
    expect(await audit()).toMatchObject({ status: 0 })
  })

  it('tells rules and objects that are accepted, and does not count them; what does not exist is refused', async () => {
    await offended(
      'alter view api_v1.items reset (security_invoker); create function public.f(a int, b text) returns int language sql return 1',
      'alter view api_v1.items set (security_invoker = true); drop function public.f',
      async () => {
        const accept = ['view_not_invoker', 'view api_v1.items', 'function public.f(integer,text)']
        const known = await audit(['--accept', ...accept])
        expect(known.status).toBe(0)
        expect(known.stdout).toContain('accepted: view_not_invoker: api_v1.items reads with')
        expect(known.stdout).toContain(
          'accepted: not_installed_by_this_release: function public.f(integer,text) is not',
        )
        const variable = {
          DATABASE_URL: url,
          SECRET_KEY: testSecretKey,
          AUDIT_ACCEPT: [...accept, safe.AUDIT_ACCEPT].join(', '),
        }
        expect(await audit([], variable)).toMatchObject({ status: 0 })
        expect(await audit(['--accept', ...accept.slice(1)])).toMatchObject({ status: 1 })
        expect(await audit(['--accept', ...accept.slice(0, 2)])).toMatchObject({ status: 1 })
      },
    )
    const unknown = await audit(['--accept', 'view_not_invoked'])
    expect(unknown).toMatchObject({ status: 1, stdout: '' })
    expect(unknown.stderr).toMatch(/has no rule view_not_invoked\nRules: .*view_not_invoker/)
  })

  it.each([
    [
      'somebody else',
      () => strangerUrl,
      /cannot use the PostgreSQL database .* as stranger|no member of studio_auditor/,
    ],
    [
      'nobody',
      () => auditorUrl.replace('looks', 'knows'),
      /cannot use the PostgreSQL database .* as studio_test_auditor/,
    ],
    ['no URL', () => 'db.example.com', /--url is not valid/],
  ])('is not read by %s', async (_who, given, says) => {
    const { status, stdout, stderr } = await audit(['--url', given()], {})
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
    expect(stderr).toMatch(says)
    expect(stderr).not.toMatch(/looks|knows|^\s+at /m)
  })
})
