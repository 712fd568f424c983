import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeLogger } from '../../src/log.ts'
import { migrate } from '../../src/migration/migrate.ts'
import { asTested } from '../audit/findings.ts'
import { startCluster, type TestCluster } from '../support/cluster.ts'
import { databaseUrl, testSecretKey, withClient } from '../support/server.ts'
import { runCli } from './run.ts'

/** What docs/operating.md tells the operator of a billing system to run. */
const [makeRole = '', setPlan = ''] = await statementsOfPage()

// A server of its own: roles belong to the whole server, and the audit sees those of other tests.
let cluster: TestCluster
let url: string
let billingUrl: string
let studio: string
beforeAll(async () => {
  cluster = await startCluster({ TEST_POSTGRES_BIN: process.env.TEST_POSTGRES_BIN })
  url = databaseUrl(cluster.adminUrl, 'billed')
  await withClient(cluster.adminUrl, (admin) => admin.query('create database billed'))
  await migrate(url, testSecretKey, makeLogger({ level: 'error', fileDescriptor: 2 }))
  await withClient(url, async (admin) => {
    const made = await admin.query(`select access.create_studio('Attic', 'ona@attic.example', 'Ona', 'pro') as id`)
    studio = made.rows[0].id
    await admin.query(makeRole.replace('…', 'sent by the shop').replace('studio_inventory', 'billed'))
  })
  billingUrl = Object.assign(new URL(url), { username: 'billing', password: 'sent by the shop' }).href
}, 120_000)
afterAll(() => cluster?.stop())

const asBilling = (text: string) => withClient(billingUrl, (billing) => billing.query(text))
const refusal = (text: string) =>
  asBilling(text).then(
    () => 'done',
    ({ code }) => code,
  )
type Finding = Record<'rule' | 'object' | 'finding' | 'remedy', string>
const audit = async (...accept: string[]) => {
  const args = ['audit', '--json', '--accept', ...asTested, ...accept]
  const { status, stdout } = await runCli(args, { DATABASE_URL: url, SECRET_KEY: testSecretKey })
  return { status, findings: JSON.parse(stdout).findings as Finding[] }
}

test('the role of the page sets a plan with the statement of the page, and again', async () => {
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

test('the role can do nothing else: no other function, and nothing of a table or a view', async () => {
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

test('the audit reports the three grants and nothing else, and accepts them as they are, by the names that it prints', async () => {
  const before = await audit()
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
  expect(await audit(...names)).toEqual({ status: 0, findings: [] })
  await withClient(url, (admin) => admin.query('grant create on schema access to billing'))
  expect((await audit(...names)).status).toBe(1)
})

/** The SQL of the page's section on plans. */
async function statementsOfPage(): Promise<string[]> {
  const page = await readFile(join(import.meta.dirname, '../../docs/operating.md'), 'utf8')
  const section = /^### Plans$[\s\S]*?(?=^### )/m.exec(page)?.[0] ?? ''
  const statements = [...section.matchAll(/^```sql\n([\s\S]*?)^```/gm)].map(([, text = '']) => text)
  if (statements.length !== 2) throw new Error('docs/operating.md has other SQL under Plans')
  return statements
}
