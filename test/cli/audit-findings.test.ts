import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { comparisons } from '../../src/audit/compare.ts'
import { asTested, type Finding, rulesOf } from '../audit/findings.ts'
import { useCluster } from '../support/cluster.ts'
import { testSecretKey, withClient } from '../support/server.ts'
import { expectRefused } from './here.ts'
import { runCli } from './run.ts'

const own = useCluster('audited')
let url: string
let auditorUrl: string
let strangerUrl: string
let count: number
const auditor = 'studio_test_auditor'
// Accepts the version of the server that the tests run on.
const safe = { AUDIT_ACCEPT: asTested.join(', ') }

beforeAll(async () => {
  url = own.url
  count = await withClient(url, async (admin) => {
    await admin.query(`create role ${auditor} login password 'looks only' in role studio_auditor`)
    await admin.query(`create role stranger login password 'looks only'; grant connect on database audited to stranger;
      revoke connect on database audited from stranger`)
    return (await rulesOf(admin)).length + Object.keys(comparisons).length
  })
  const loginUrl = (username: string) => Object.assign(new URL(url), { username, password: 'looks only' }).href
  auditorUrl = loginUrl(auditor)
  strangerUrl = loginUrl('stranger')
})

const administrator = () => ({ DATABASE_URL: url, SECRET_KEY: testSecretKey })
const audit = (args: string[] = [], env: Record<string, string> = administrator()) =>
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
    expect(await audit([], { ...administrator(), AUDITOR_DATABASE_URL: auditorUrl })).toMatchObject({
      status: 0,
      stderr: '',
    })
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
        // 1.0 names it so.
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
        const variable = { AUDIT_ACCEPT: [...accept, safe.AUDIT_ACCEPT].join(', ') }
        expect(await audit([], { ...administrator(), ...variable })).toMatchObject({ status: 0 })
        expect(await audit(['--accept', ...accept.slice(1)])).toMatchObject({ status: 1 })
        expect(await audit(['--accept', ...accept.slice(0, 2)])).toMatchObject({ status: 1 })
      },
    )
    const unknown = await audit(['--accept', 'view_not_invoked'])
    expectRefused(unknown, /has no rule view_not_invoked\nRules: .*view_not_invoker/)
  })

  it.each([
    ['somebody else', () => strangerUrl, /cannot use the PostgreSQL .* as stranger|no member of studio_auditor/],
    ['nobody', () => auditorUrl.replace('looks', 'knows'), /cannot use the PostgreSQL .* as studio_test_auditor/],
    ['no URL', () => 'db.example.com', /--url is not valid/],
  ])('is not read by %s', async (_who, given, says) => {
    const refused = await audit(['--url', given()], {})
    expectRefused(refused, says)
    expect(refused.stderr).not.toMatch(/looks|knows/)
  })
})

describe('the role of a billing system, as docs/operating.md makes it', () => {
  let billingUrl: string
  let studio: string
  let setPlan: string
  beforeAll(async () => {
    const [makeRole = '', statement = ''] = await statementsOfPage()
    setPlan = statement
    await withClient(url, async (admin) => {
      const made = await admin.query(`select access.create_studio('Attic', 'ona@attic.example', 'Ona', 'pro') as id`)
      studio = made.rows[0].id
      await admin.query(makeRole.replace('…', 'sent by the shop').replace('studio_inventory', 'audited'))
    })
    billingUrl = Object.assign(new URL(url), { username: 'billing', password: 'sent by the shop' }).href
  })

  const asBilling = (text: string) => withClient(billingUrl, (billing) => billing.query(text))
  const refusal = (text: string) =>
    asBilling(text).then(
      () => 'done',
      ({ code }) => code,
    )
  const asJson = async (...accept: string[]) => {
    const { status, stdout } = await audit(['--json', '--accept', ...asTested, ...accept])
    return { status, findings: JSON.parse(stdout).findings as Finding[] }
  }

  it('sets a plan with the statement of the page, and again', async () => {
    for (let count = 0; count < 2; count += 1) await asBilling(setPlan.replace(/[0-9a-f-]{36}/, studio))
    const { rows } = await withClient(url, (admin) =>
      admin.query(
        'select plan, status, trial_ends_at, current_period_start, current_period_end, renews from access.subscriptions',
      ),
    )
    expect(rows).toEqual([
      {
        ...{ plan: 'studio', status: 'active', trial_ends_at: null, renews: null },
        ...{ current_period_start: '2027-01-01 00:00:00+00', current_period_end: '2027-02-01 00:00:00+00' },
      },
    ])
  })

  it('can do nothing else: no other function, and nothing of a table or a view', async () => {
    const schemas = `('access', 'api_v1', 'app', 'audit', 'console', 'service', 'valuation')`
    const { rows: functions } = await asBilling(
      `select p.oid::regprocedure::text as name from pg_proc p join pg_namespace n on n.oid = p.pronamespace
     where n.nspname in ${schemas} and has_function_privilege(p.oid, 'execute')`,
    )
    expect(functions.map(({ name }) => name.replace(/\(.*/, ''))).toEqual(['access.set_subscription'])
    const { rows: relations } = await asBilling(
      `select c.oid::regclass from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname in ${schemas} and (
       has_any_column_privilege(c.oid, 'select, insert, update, references')
       or has_table_privilege(c.oid, 'delete, truncate, trigger'))`,
    )
    expect(relations).toEqual([])
    for (const text of [
      'table access.subscriptions',
      'table app.studios',
      'select * from api_v1.items',
      `select access.create_studio('Mine', 'me@example.com', 'Me')`,
      `select access.set_public_api('${studio}', false)`,
      'set role studio_owner',
      'create schema mine',
      'create temporary table mine (id int)',
    ]) {
      expect([text, await refusal(text)]).toEqual([text, '42501'])
    }
  })

  it('is three findings of the audit and no more, which it accepts as they are, by the names that it prints', async () => {
    const before = await asJson()
    expect(before.status).toBe(1)
    expect(before.findings.map(({ rule, object, finding }) => [rule, object.replace(/\(.*/, ''), finding])).toEqual([
      ['differs_from_this_release', 'database', 'privileges of billing: CONNECT; this release: none'],
      [
        'differs_from_this_release',
        'function access.set_subscription',
        'privileges of billing: EXECUTE; this release: none',
      ],
      ['differs_from_this_release', 'schema access', 'privileges of billing: USAGE; this release: none'],
    ])
    const names = before.findings.map(({ remedy }) => /--accept '([^']+@[^']+)'$/.exec(remedy)?.[1] ?? remedy)
    expect(await asJson(...names)).toEqual({ status: 0, findings: [] })
    await withClient(url, (admin) => admin.query('grant create on schema access to billing'))
    expect((await asJson(...names)).status).toBe(1)
  })
})

/** The SQL of the page's section on plans. */
async function statementsOfPage(): Promise<string[]> {
  const page = await readFile(join(import.meta.dirname, '../../docs/operating.md'), 'utf8')
  const section = /^### Plans$[\s\S]*?(?=^### )/m.exec(page)?.[0] ?? ''
  const statements = [...section.matchAll(/^```sql\n([\s\S]*?)^```/gm)].map(([, text = '']) => text)
  if (statements.length !== 2) throw new Error('docs/operating.md has other SQL under Plans')
  return statements
}
