import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { withClient } from '../../src/database/client.ts'
import { migrate } from '../../src/database/migrate.ts'
import { roleUrl } from '../../src/database/roles.ts'
import { openEmbedded } from '../../src/dev/embedded/server.ts'
import { makeLogger } from '../../src/observability/log.ts'

/** Everything of one run lies in one folder and ends with it. */
export type Scratch = {
  folder: string
  adminUrl: string
  /** The login of studio_writer, which may also take the role `bench_reader`. */
  writerUrl: string
  secretKey: string
}

const secretKey = 'a secret key for benchmarks, known to everybody'

/** A folder for a run; as root the server runs as another user, who has to get in. */
export async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'studio-inventory-bench-'))
  await chmod(folder, 0o755)
  return folder
}

/**
 * Starts a PostgreSQL server with the settings that the embedded one has in production, and migrates its database.
 *
 * @param closers what has to be done at the end, last first
 */
export async function openScratch(closers: (() => unknown)[]): Promise<Scratch> {
  const folder = await makeFolder()
  closers.push(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }))
  const log = makeLogger({ level: 'error', fileDescriptor: 2 })
  const server = await openEmbedded(join(folder, 'server'), log)
  closers.push(() => server.close())
  await migrate(server.url, secretKey, log)
  await withClient(server.url, (client) => client.query(reader))
  return { folder, adminUrl: server.url, writerUrl: roleUrl(server.url, 'studio_writer', secretKey), secretKey }
}

/**
 * The role that the usual way reads with. Its login is studio_writer's, which row-level security believes as it does the
 * service's and which has no planner settings of its own.
 */
const reader = `
  create role bench_reader nologin noinherit;
  grant usage on schema app, access to bench_reader;
  grant select on all tables in schema app to bench_reader;
  grant execute on function access.current_studio_id, access.current_studio_mask to bench_reader;
  grant bench_reader to studio_writer with inherit false, set true;`
