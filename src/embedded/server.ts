import { copyFile, readFile, rm, stat, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, openClient } from '../database/client.ts'
import { isRefusedLogin, isUnavailable } from '../database/errors.ts'
import { findPort } from '../http/listener.ts'
import type { Logger } from '../log.ts'
import { type Cluster, keepSecret, openCluster, unless } from './cluster.ts'
import { runAs } from './programs.ts'

/** `isService` refuses a second service of one folder. Only tests give `settings` and `programs`,
 * which are those of another PostgreSQL. */
type EmbeddedOptions = { isService?: boolean; settings?: Record<string, string>; programs?: string }

/** The log has no statements, and `%u` says whose error it is. */
const standardSettings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '200',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  log_parameter_max_length_on_error: '0',
  log_line_prefix: '%m [%p] %u@%d ',
  log_checkpoints: 'off',
  // What is kept of an analyst's statement.
  track_activity_query_size: '4096',
}

/** PostgreSQL 17 also bounds what NOTIFY writes, here to 8 MB, and 16 reserves connections for the
 * service's logins. */
const newerSettings = { max_notify_queue_pages: '1024', reserved_connections: '20' }

/** How much memory a process of the server may take, in kB: a plan of many joins can take
 * gigabytes, and then fails instead. The server's shared memory does not count. */
const processMemory = 1024 * 1024

/** The log is copied away and emptied when it has so many bytes. */
const largestLog = 20_000_000
const logCheckMs = 60_000

type Running = Cluster & { settings: object }

const startTimeoutMs = 60_000
/** How long the last user waits for other clients to disconnect. Then it leaves them the server. */
const leaveTimeoutMs = 2_000
/** After a crash, another program may have got the process id of the server. This many refused
 * connections show it. */
const maxRefusals = 50
/** Advisory locks: all users of the server share the first; the service holds the second. */
const [users, service] = ['7268, 1', '7268, 2']

/** Makes or starts the server of a data folder, or uses the running one, for this machine only.
 * `url` is the superuser's. `close` stops the server unless another client is connected. */
export async function openEmbedded(folder: string, log: Logger, options: EmbeddedOptions = {}) {
  const passwordFile = join(folder, 'postgres-password')
  try {
    const opened = await openCluster(folder, options.programs)
    const password = await keepSecret(passwordFile)
    // Another PostgreSQL may be older.
    const cluster = { ...opened, settings: { ...(options.programs ? {} : newerSettings), ...options.settings } }
    await rotateLog(cluster)
    const { client, base } = await connect(cluster, password)
    // A server that ended by itself needs no stop.
    const checking = setInterval(() => rotateLog(cluster).catch(() => undefined), logCheckMs).unref()
    const close = () => {
      clearInterval(checking)
      return leave(cluster, client, log).catch(() => undefined)
    }
    const claim = options.isService ? `pg_try_advisory_lock(${service})` : 'true'
    if ((await client.query(`select ${claim} as free`)).rows[0].free) return { url: `${base}/studio_inventory`, close }
    await close()
    throw new Error(`a service already runs on ${folder}; stop it, or set DATA_DIR to another folder`)
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException
    const refused = `the embedded PostgreSQL refuses the password in ${passwordFile}, which is not this database's`
    if (isRefusedLogin(error)) throw new Error(`${refused} (${message})`)
    const closed = `this user cannot use the data folder ${folder}; start as its owner, or set DATA_DIR to another folder`
    throw ['EACCES', 'EPERM'].includes(code) ? new Error(`${closed} (${message})`) : error
  }
}

export type EmbeddedServer = Awaited<ReturnType<typeof openEmbedded>>

/** Connects to the running server or starts it, retrying meanwhile. Makes a missing database. */
async function connect(cluster: Running, password: string) {
  const pidFile = join(cluster.directory, 'postmaster.pid')
  for (let [refusals, started, end] = [0, false, Date.now() + startTimeoutMs]; ; await sleep(100)) {
    const runs = (await control(cluster, 'status')).ok
    const port = runs ? (await readFile(pidFile, 'utf8').catch(() => '')).split('\n')[3] : await start(cluster, end)
    started ||= !runs && port !== undefined
    const base = `postgresql://postgres:${password}@127.0.0.1:${port}`
    let client: Client | undefined
    try {
      if (!port) continue
      client = await openClient(`${base}/postgres`)
      const made = `exists (select from pg_database where datname = 'studio_inventory') as made`
      const { rows } = await client.query(`select pg_advisory_lock_shared(${users}), ${made}`)
      if (!rows[0].made) await client.query('create database studio_inventory').catch(unless('42P04', '23505'))
      return { client, base }
    } catch (error) {
      await client?.end().catch(() => undefined)
      if (isUnavailable(error) && !isRefusedLogin(error) && Date.now() < end) {
        if ((error as NodeJS.ErrnoException).code === 'ECONNREFUSED') refusals += 1
        if (refusals === maxRefusals) await rm(pidFile, { force: true })
        continue
      }
      if (started) await control(cluster, 'stop', '-m', 'fast', '-t', '10')
      throw error
    }
  }
}

/** Stops the server if nobody else uses it and no other client is connected. */
async function leave(cluster: Running, client: Client, log: Logger): Promise<void> {
  const ask = async (text: string) => (await client.query(`select ${text} as answer`)).rows[0].answer
  const others = `exists (select from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid())`
  await ask(`pg_advisory_unlock_shared(${users})`)
  if (!(await ask(`pg_try_advisory_lock(${users})`))) return client.end()
  for (const end = Date.now() + leaveTimeoutMs; await ask(others); await sleep(50)) {
    if (Date.now() < end) continue
    log.warn('the embedded PostgreSQL keeps running because another client is connected')
    return client.end()
  }
  await control(cluster, 'stop', '-m', 'fast', '-t', '10')
}

function control({ account, programs, directory }: Cluster, ...args: string[]) {
  return runAs(account, join(programs, 'pg_ctl'), '-D', directory, ...args)
}

const logOf = ({ directory }: Cluster) => join(directory, 'postgres.log')

/** Keeps at most one log of the past. The server appends, so it writes on from the beginning. */
async function rotateLog(cluster: Cluster): Promise<void> {
  const log = logOf(cluster)
  const { size } = await stat(log).catch(() => ({ size: 0 }))
  if (size < largestLog) return
  await copyFile(log, `${log}.1`)
  await truncate(log)
}

/** Starts the server, on its last port if that is free. Ctrl-C does not reach the session of
 * pg_ctl. */
async function start(cluster: Running, end: number): Promise<string | undefined> {
  const log = logOf(cluster)
  const last = await readFile(join(cluster.directory, 'postmaster.opts'), 'utf8').catch(() => '')
  const free = (port: number) => findPort('127.0.0.1', port)
  const port = String(await free(Number(/port=(\d+)/.exec(last)?.[1] ?? 0)).catch(() => free(0)))
  const settings = Object.entries({ ...standardSettings, ...cluster.settings, port })
  const words = settings.map(([name, value]) => `-c "${name}=${value}"`).join(' ')
  // A lower limit of the system stays.
  const limited = ['-c', `ulimit -d ${processMemory} 2> /dev/null; exec "$0" "$@"`, join(cluster.programs, 'pg_ctl')]
  const starting = [...limited, '-D', cluster.directory, 'start', '-w', '-l', log, '-o', words]
  if ((await runAs(cluster.account, '/bin/sh', ...starting)).ok) return port
  const output = (await readFile(log, 'utf8').catch(() => '')).trim().split('\n').slice(-4).join(' · ')
  // Another process started it, another program has the port, or a killed server is still ending.
  const isTaken = /already exists|still in use|could not bind/.test(output) || (await control(cluster, 'status')).ok
  if (isTaken && Date.now() < end) return undefined
  throw new Error(`the embedded PostgreSQL did not start: ${output || 'it logged nothing'} (log: ${log})`)
}
