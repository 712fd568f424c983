import { execFile } from 'node:child_process'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { withClient } from '../../src/database/client.ts'
import { findPort } from '../../src/http/listener.ts'

/** With pg_basebackup, which the embedded server does not have. */
const programs = process.env.TEST_POSTGRES_BIN ?? '/usr/lib/postgresql/15/bin'
const password = 'known to everybody'
const run = promisify(execFile)

/** PostgreSQL refuses to be root. */
const asPostgres = (program: string, args: string[]) =>
  process.getuid?.() === 0
    ? run('runuser', ['-u', 'postgres', '--', join(programs, program), ...args], { cwd: '/' })
    : run(join(programs, program), args)

/** A server of its own; `urlOf` connects to a database of it as the superuser. */
export type Server = { folder: string; port: number }

export const urlOf = ({ port }: Pick<Server, 'port'>, database = 'postgres') =>
  `postgres://postgres:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`

/** A folder for servers, whichever account they run as. */
export async function makeServerFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'studio-inventory-scaling-'))
  await chmod(folder, 0o777)
  return folder
}

export async function makePrimary(folder: string): Promise<Server> {
  const server = { folder: join(folder, 'primary'), port: await findPort('127.0.0.1', 0) }
  const secret = join(folder, 'password')
  await writeFile(secret, password)
  await chmod(secret, 0o644)
  const auth = ['--auth-host=scram-sha-256', '--auth-local=trust', `--pwfile=${secret}`]
  const encoding = ['-E', 'UTF8', '--locale=C.UTF-8']
  await asPostgres('initdb', ['-D', server.folder, '-U', 'postgres', '-N', ...encoding, ...auth])
  await rm(secret)
  await startServer(server)
  return server
}

/** A streaming replica of a primary, by pg_basebackup. */
export async function makeReplica(primary: Server, own?: Server): Promise<Server> {
  const replica = own ?? { folder: join(primary.folder, '../replica'), port: await findPort('127.0.0.1', 0) }
  const from = ['-h', join(primary.folder, '..'), '-p', String(primary.port), '-U', 'postgres']
  await asPostgres('pg_basebackup', [...from, '-D', replica.folder, '-R', '-X', 'stream', '-c', 'fast', '-N'])
  await startServer(replica)
  return replica
}

/** Nothing here has to survive a power failure. */
const settings =
  'fsync = off, full_page_writes = off, max_connections = 100, wal_keep_size = 512MB, max_prepared_transactions = 20'

export async function startServer({ folder, port }: Server): Promise<void> {
  const place = { port, listen_addresses: '127.0.0.1', unix_socket_directories: join(folder, '..') }
  const all = [
    ...Object.entries(place).map(([name, value]) => `-c ${name}=${value}`),
    ...settings.split(', ').map((setting) => `-c ${setting.replaceAll(' ', '')}`),
  ]
  await asPostgres('pg_ctl', ['start', '-w', '-D', folder, '-l', `${folder}.log`, '-o', all.join(' ')])
}

export async function stopServer({ folder }: Server, mode: 'fast' | 'immediate' = 'fast'): Promise<void> {
  await asPostgres('pg_ctl', ['stop', '-w', '-D', folder, '-m', mode])
}

export const pauseReplay = (replica: Server) =>
  withClient(urlOf(replica), (admin) => admin.query('select pg_wal_replay_pause()'))

export const resumeReplay = (replica: Server) =>
  withClient(urlOf(replica), (admin) => admin.query('select pg_wal_replay_resume()'))

/** Waits until the replica has everything that the primary has now. */
export async function catchUp(primary: Server, replica: Server): Promise<void> {
  const position = await withClient(urlOf(primary), (admin) => admin.query('select pg_current_wal_lsn()::text as at'))
  await withClient(urlOf(replica), async (admin) => {
    const done = async () => {
      const { rows } = await admin.query('select pg_last_wal_replay_lsn() >= $1::pg_lsn as done', [position.rows[0].at])
      return rows[0].done
    }
    const end = performance.now() + 30_000
    while (!(await done())) {
      if (performance.now() > end) throw new Error('the replica does not catch up')
      await sleep(20)
    }
  })
}
