import { once } from 'node:events'
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, extname, join, resolve } from 'node:path'
import { Worker } from 'node:worker_threads'
import { withSafeClient } from '../database/client.ts'
import type { Logger } from '../log.ts'
import type { Migration } from './migrations.ts'

/** What the thread needs to know. `lockTimeoutMs` is how long a statement waits for a lock. */
export type CommittedRun = { databaseUrl: string; migrationsFolder: string; lockTimeoutMs: number }

/** What graphile-migrate logs in the thread. */
export type LogLine = { level: 'error' | 'warn' | 'info' | 'debug'; message: string }

/** TypeScript in a checkout, JavaScript in an installed package. */
const workerFile = new URL(`committed-worker${extname(import.meta.url)}`, import.meta.url)

/** Runs the committed migrations that a database lacks, by graphile-migrate. It runs in a thread
 * of its own, because it calls `process.exit` when the server ends its connection.
 * @throws PostgreSQL's error of the failing migration; graphile-migrate's own errors */
export async function runCommitted(run: CommittedRun, log?: Logger): Promise<void> {
  const worker = new Worker(workerFile, { workerData: run })
  worker.on('message', ({ level, message }: LogLine) => log?.[level]({ from: 'graphile-migrate' }, message))
  // Rejects with an error that the thread did not catch.
  const [code] = await once(worker, 'exit')
  if (code !== 0) throw new Error(`graphile-migrate lost its connection and ended with exit code ${code}`)
}

/** Calls `work` with a folder of some migrations, the first ones: graphile-migrate runs all that it
 * finds. */
export async function withFolderOf<Result>(
  migrations: readonly Migration[],
  work: (folder: string) => Promise<Result>,
): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'studio-inventory-migrations-'))
  try {
    await mkdir(join(folder, 'committed'))
    for (const { path } of migrations) await symlink(resolve(path), join(folder, 'committed', basename(path)))
    return await work(folder)
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** The advisory lock that graphile-migrate takes, and its message when another process has it. */
const migrating = '4727445306447283'
export const alreadyMigrating = 'Failed to get exclusive lock'

/** Does what comes before a run. It finds out cheaply whether another process migrates, and drops
 * the index to build if an interrupted `create index concurrently` left it: it is invalid, and
 * `if not exists` would take it for the finished one. @throws alreadyMigrating */
export async function prepareRun(
  databaseUrl: string,
  index: string | undefined,
  lockTimeoutMs: number,
  log: Logger,
): Promise<void> {
  await withSafeClient(databaseUrl, async (client) => {
    // Without the lock, another process could finish the index between the question and the drop.
    const { rows } = await client.query('select pg_try_advisory_lock($1) as locked', [migrating])
    if (!rows[0].locked) throw new Error(alreadyMigrating)
    const unfinished = 'select from pg_index where indexrelid = to_regclass($1) and not indisvalid'
    if (index !== undefined && (await client.query(unfinished, [index])).rowCount === 1) {
      log.info({ index }, 'drops an index that was not finished')
      await client.query(`set lock_timeout = ${lockTimeoutMs}`)
      await client.query(`drop index concurrently ${index}`)
    }
    await client.query('select pg_advisory_unlock($1)', [migrating])
  })
}
