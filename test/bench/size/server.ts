import { chmod, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { migrate } from '../../../src/database/migrate.ts'
import { roleUrl } from '../../../src/database/roles.ts'
import { openEmbedded } from '../../../src/dev/embedded/server.ts'
import { makeLogger } from '../../../src/observability/log.ts'
import { serverOf } from '../../support/embedded.ts'

/** Where everything lies: connection strings of the superuser and of the service's logins. */
export type Place = {
  folder: string
  adminUrl: string
  apiUrl: string
  writerUrl: string
  recorderUrl: string
  pid: number
}

export type Server = Place & { close: () => Promise<void> }

export const secretKey = 'a secret key for benchmarks, known to everybody'

/** Memory for a machine of 24 GB that others use too. */
const common = {
  shared_buffers: '4GB',
  maintenance_work_mem: '2GB',
  max_wal_senders: '0',
  wal_level: 'minimal',
  max_wal_size: '8GB',
  checkpoint_timeout: '30min',
}

/** Loading: what would be lost in a crash is loaded again. */
const loading = { ...common, fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', autovacuum: 'off' }

/** Serving: PostgreSQL's own durability, but autovacuum, which would take part in what is measured. */
const serving = { ...common, effective_cache_size: '12GB', track_io_timing: 'on', autovacuum: 'off' }

export const log = makeLogger({ level: 'error', fileDescriptor: 2 })

/** The folder is made, so that the server's own user can enter it; its parents must let it through. */
export async function makeFolderAt(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  await chmod(folder, 0o755)
}

export function removeFolder(folder: string): Promise<void> {
  return rm(folder, { recursive: true, force: true, maxRetries: 3 })
}

const open = new Set<() => Promise<void>>()

/** For a run that is interrupted. */
export async function closeServers(): Promise<void> {
  for (const close of [...open]) await close()
}

/** Makes the database of this release. */
export function migrated(url: string): Promise<unknown> {
  return migrate(url, secretKey, log)
}

/** Starts the server of a folder, for loading or for serving. */
export async function openServer(
  folder: string,
  kind: 'loading' | 'serving',
  makeDatabase: (url: string) => Promise<unknown> = migrated,
): Promise<Server> {
  const settings = kind === 'loading' ? loading : serving
  const server = await openEmbedded(join(folder, 'server'), log, { settings })
  await makeDatabase(server.url)
  const url = (role: 'studio_api' | 'studio_writer' | 'studio_recorder') => roleUrl(server.url, role, secretKey)
  const close = async () => {
    open.delete(close)
    await server.close()
  }
  open.add(close)
  return {
    folder,
    adminUrl: server.url,
    pid: (await serverOf(join(folder, 'server'))) ?? 0,
    apiUrl: url('studio_api'),
    writerUrl: url('studio_writer'),
    recorderUrl: url('studio_recorder'),
    close,
  }
}
