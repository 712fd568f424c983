import { parentPort, workerData } from 'node:worker_threads'
import { Logger, migrate } from 'graphile-migrate'
import type { CommittedRun, LogLine } from './run-committed.ts'

/** The thread that `runCommitted` starts: graphile-migrate runs what the database lacks. */
const { databaseUrl, migrationsFolder, lockTimeoutMs } = workerData as CommittedRun

await migrate({
  connectionString: databaseUrl,
  migrationsFolder,
  // As in .gmrc, which only its command line reads.
  databaseOwner: 'studio_owner',
  // Otherwise it takes the contributor's ROOT_DATABASE_URL, and refuses one that equals ours.
  rootConnectionString: '',
  // Settings of the session, as graphile-migrate sets them by a statement: every server and
  // pooler takes them, and `options` in the connection string stay as they are.
  pgSettings: {
    application_name: 'studio-inventory',
    search_path: 'pg_catalog, pg_temp',
    lock_timeout: String(lockTimeoutMs),
  },
  logger: new Logger(() => (level, message) => {
    const line: LogLine = { level: level === 'warning' ? 'warn' : level, message }
    parentPort?.postMessage(line)
  }),
})

// It keeps its connections for a while, and ends the process if the server ends one meanwhile.
process.exit(0)
