import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Finding, runAudit } from '../../src/audit/findings.ts'
import { migrate } from '../../src/database/migrate.ts'
import { makeLogger } from '../../src/log.ts'
import { offences } from '../audit/offences.ts'
import { startCluster, type TestCluster } from '../support/cluster.ts'
import { databaseUrl, testSecretKey, withClient } from '../support/server.ts'
import { runCli } from './run.ts'

// A server of its own: roles belong to the whole server, and what is done to them here would be found by other tests.
let cluster: TestCluster
let databaseGrants: string
beforeAll(async () => {
  cluster = await startCluster({ TEST_POSTGRES_BIN: process.env.TEST_POSTGRES_BIN })
  databaseGrants = await readFile(join(import.meta.dirname, '../../sql/grants/database.sql'), 'utf8')
  await withClient(cluster.adminUrl, (admin) => admin.query('create database sound'))
  const url = databaseUrl(cluster.adminUrl, 'sound')
  await migrate(url, testSecretKey, makeLogger({ level: 'error', fileDescriptor: 2 }))
  await withClient(url, async (admin) => {
    await admin.query(`create or replace view audit.safe_versions with (security_invoker = true) as
      select current_setting('server_version_num')::integer / 10000 as major, 0 as minor`)
  })
}, 120_000)

afterAll(() => cluster?.stop())

const planted = Object.entries(offences).flatMap(([rule, cases]) =>
  cases.slice(0, 1).map((offence) => ({ rule, offence })),
)

it.each(planted)('after an offence against $rule the command finds it: exit status 1', async ({ rule, offence }) => {
  const name = 'offended'
  const url = databaseUrl(cluster.adminUrl, name)
  await withClient(cluster.adminUrl, (admin) => admin.query(`create database ${name} template sound`))
  try {
    await withClient(url, async (admin) => {
      await admin.query(databaseGrants)
      await admin.query(offence.offend)
      const { status, stdout } = await runCli(['audit', '--json'], { DATABASE_URL: url, SECRET_KEY: testSecretKey })
      expect(status).toBe(1)
      const found: Finding[] = JSON.parse(stdout).findings.filter((finding: Finding) => finding.rule === rule)
      expect(found.length).toBeGreaterThan(0)
      for (const remedy of offence.cure ? [offence.cure] : found.map((finding) => finding.remedy)) {
        await admin.query(remedy)
      }
      const { findings } = await runAudit(url)
      expect(findings.filter((finding) => finding.rule === rule)).toEqual([])
    })
  } finally {
    await withClient(cluster.adminUrl, async (admin) => {
      await admin.query(`drop database ${name} with (force)`)
      const { rows } = await admin.query(`select rolname from pg_roles where rolname ~ '^studio_test_'`)
      for (const { rolname } of rows) await admin.query(`drop role ${rolname}`)
    })
  }
})
