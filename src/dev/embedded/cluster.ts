import { chown, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { scramVerifier } from '../../database/roles.ts'
import { type Account, runAs } from './account.ts'
import type { Binaries } from './binaries.ts'

/** A PostgreSQL data directory, the programs for it, and the system user that it belongs to. */
export type Cluster = { directory: string; logFile: string; binaries: Binaries; account: Account }

/** Sorting and letter case by Unicode, the same on every system. Needs PostgreSQL 17. */
const builtinLocale = ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']

/**
 * Makes a new data directory with the superuser `postgres`. It appears under its name only when it is complete, so an
 * interrupted attempt leaves nothing that could be mistaken for a database.
 *
 * @param locale the locale options of initdb
 */
export async function createCluster(cluster: Cluster, password: string, locale = builtinLocale): Promise<void> {
  await removeDrafts(cluster.directory)
  const draft = `${cluster.directory}.${process.pid}.draft`
  const passwordFile = `${draft}.password`
  await mkdir(draft, { mode: 0o700 })
  // Only the verifier is written down: what a crash leaves behind opens nothing.
  await writeFile(passwordFile, `${scramVerifier(password)}\n`, { mode: 0o600 })
  if (cluster.account !== undefined) {
    for (const path of [draft, passwordFile]) await chown(path, cluster.account.uid, cluster.account.gid)
  }
  const { code, output } = await runAs(cluster.account, cluster.binaries.initdb, [
    `--pgdata=${draft}`,
    '--username=postgres',
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--no-instructions',
    '--no-sync',
    ...locale,
  ])
  if (code !== 0) throw new Error(`no PostgreSQL data directory could be made at ${cluster.directory}: ${output}`)
  await rename(draft, cluster.directory)
  await removeDrafts(cluster.directory)
}

/** What was left behind by an attempt that did not come to its end. */
async function removeDrafts(directory: string): Promise<void> {
  const parent = dirname(directory)
  for (const name of await readdir(parent)) {
    const isDraft = name.startsWith(`${basename(directory)}.`) && /\.\d+\.draft(\.password)?$/.test(name)
    if (isDraft) await rm(join(parent, name), { recursive: true, force: true })
  }
}
