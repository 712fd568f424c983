import { randomBytes } from 'node:crypto'
import type { TestProject } from 'vitest/node'
import { withClient } from '../../src/database/client.ts'
import { migrate } from '../../src/database/migrate.ts'
import { makeLogger } from '../../src/observability/log.ts'
import { startCluster } from './cluster.ts'
import { gateMessage } from './gate-message.ts'
import { databaseUrl, dropDatabase, testSecretKey } from './server.ts'

/** Names of test databases: prefix, the hour they were made in, the run, and the copy. */
const prefix = 'studio_test_'
const hour = 3_600_000

/**
 * Runs once before all test files: finds a server and makes a template database by the migrations that the service runs.
 * TEST_MUTATION_SQL, run in it as the administrator, takes a guard away to prove that a test turns red.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const cluster = await startCluster(process.env)
  const run = `${prefix}${Math.floor(Date.now() / hour)}_${randomBytes(4).toString('hex')}`
  const template = `${run}_template`
  const stop = async () => {
    await dropDatabases(cluster.adminUrl, (name) => name.startsWith(run))
    await cluster.stop()
  }
  try {
    await dropDatabases(cluster.adminUrl, isForgotten)
    const version = await withClient(cluster.adminUrl, async (admin) => {
      await admin.query(`create database ${template}`)
      return (await admin.query('show server_version')).rows[0].server_version
    })
    console.log(`tests run on PostgreSQL ${version} (${cluster.kind})`)
    const url = databaseUrl(cluster.adminUrl, template)
    await migrate(url, testSecretKey, makeLogger({ level: 'error', fileDescriptor: 2 })).catch((cause: Error) => {
      throw new Error(notMigrated(cause.message), { cause })
    })
    await withClient(url, async (admin) => {
      if (process.env.TEST_MUTATION_SQL) await admin.query(process.env.TEST_MUTATION_SQL)
    })
    // A session in the template would keep it from being copied.
    await withClient(cluster.adminUrl, (admin) => admin.query(`alter database ${template} allow_connections false`))
  } catch (error) {
    await stop()
    throw error
  }
  project.provide('testServer', { adminUrl: cluster.adminUrl, template, run })
  return stop
}

function notMigrated(message: string): string {
  if (!/^Hash for .* does not match/.test(message)) return `the migrations cannot be run: ${message}`
  const edit = 'migrations/current.sql instead: a committed file never changes'
  return gateMessage({ wrong: message, edit, run: 'git checkout migrations/committed' })
}

async function dropDatabases(adminUrl: string, select: (name: string) => boolean): Promise<void> {
  await withClient(adminUrl, async (admin) => {
    const names = await admin.query<{ datname: string }>(
      `select datname from pg_database where starts_with(datname, $1)`,
      [prefix],
    )
    for (const { datname } of names.rows.filter((row) => select(row.datname))) {
      await dropDatabase(admin, datname)
    }
  })
}

/** Left by a run that was killed, long enough ago that no run can still need it. */
function isForgotten(name: string): boolean {
  const made = Number(name.slice(prefix.length).split('_')[0])
  return Number.isFinite(made) && made < Date.now() / hour - 6
}
