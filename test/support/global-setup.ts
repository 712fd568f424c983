import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { withClient } from '../../src/database/client.ts'
import { makeLogger } from '../../src/log.ts'
import { migrate } from '../../src/migration/migrate.ts'
import { startCluster } from './cluster.ts'
import { gateMessage } from './gate-message.ts'
import { databaseUrl, dropDatabase, testSecretKey } from './server.ts'

/** Names of test databases: prefix, the hour they were made in, the run, and the copy. */
const prefix = 'studio_test_'
const hour = 3_600_000

/** Makes a template database by the migrations that the service runs. TEST_MUTATION_SQL, run in
 * it, takes a guard away to prove that a test turns red. */
export default async function setup(project: TestProject, env = process.env): Promise<() => Promise<void>> {
  const cluster = await startCluster(env)
  const run = `${prefix}${Math.floor(Date.now() / hour)}_${randomBytes(4).toString('hex')}`
  const template = `${run}_template`
  const folder = await mkdtemp(join(tmpdir(), 'studio-inventory-run-'))
  const stop = async () => {
    await dropDatabases(cluster.adminUrl, (name) => name.startsWith(run))
    await cluster.stop()
    await rm(folder, { recursive: true, force: true })
  }
  try {
    await dropDatabases(cluster.adminUrl, isForgotten)
    const { version, fsync } = await withClient(cluster.adminUrl, async (admin) => {
      await admin.query(`create database ${template}`)
      const said = `select current_setting('server_version') as version, current_setting('fsync')::boolean as fsync`
      return (await admin.query<{ version: string; fsync: boolean }>(said)).rows[0] ?? { version: '', fsync: true }
    })
    console.log(`tests run on PostgreSQL ${version} (${cluster.kind})`)
    const url = databaseUrl(cluster.adminUrl, template)
    await migrate(url, testSecretKey, makeLogger({ level: 'error', fileDescriptor: 2 })).catch((cause: Error) => {
      throw new Error(notMigrated(cause.message), { cause })
    })
    await withClient(url, async (admin) => {
      if (process.env.TEST_MUTATION_SQL) await admin.query(process.env.TEST_MUTATION_SQL)
      // Uses the migrations as they are here, committed to git or not.
      await admin.query(await readFile(join(import.meta.dirname, '../../sql/grants/database.sql'), 'utf8'))
    })
    // PostgreSQL cannot copy a template while a session uses it.
    await withClient(cluster.adminUrl, (admin) => admin.query(`alter database ${template} allow_connections false`))
    // Copying files takes a fifth of the time, if checkpoints need not reach a disk.
    const copying = fsync ? 'wal_log' : 'file_copy'
    project.provide('testServer', { adminUrl: cluster.adminUrl, template, run, folder, copying })
  } catch (error) {
    await stop()
    throw error
  }
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

/** A killed run has left it, long enough ago that no run can still need it. */
function isForgotten(name: string): boolean {
  const made = Number(name.slice(prefix.length).split('_')[0])
  return Number.isFinite(made) && made < Date.now() / hour - 6
}
