import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { open, readFile, rename, rm, stat } from 'node:fs/promises'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { identify } from '../../process/identity.ts'
import { environment } from './account.ts'
import type { Cluster } from './cluster.ts'
import { giveToOwnerOf } from './files.ts'
import { isInUse, isServerOf } from './processes.ts'

/** A server that accepts connections on 127.0.0.1. */
export type RunningServer = { pid: number; port: number }

/** The server's own settings. Neither statements nor values reach its log, but for those of analysts, with their names. */
const standardSettings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '200',
  shared_buffers: '128MB',
  password_encryption: 'scram-sha-256',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  log_parameter_max_length_on_error: '0',
  log_line_prefix: '%m [%p] %u@%d ',
  log_checkpoints: 'off',
  log_timezone: 'UTC',
  timezone: 'UTC',
}

export type ServerSettings = Record<string, string>

/** How long a start that fails because of what an earlier server left behind is retried, in milliseconds. */
const startTimeoutMs = 30_000
const maxLogBytes = 10_000_000

/**
 * Finds the server that runs on a data directory, whoever started it. One that is starting is waited for, and so is the
 * end of one that is stopping.
 */
export async function findServer(directory: string): Promise<RunningServer | undefined> {
  for (;;) {
    const file = await readPidFile(directory)
    if (file === undefined || !(await isServerOf(file.pid, directory))) return undefined
    if (file.status === 'ready') return { pid: file.pid, port: file.port }
    await sleep(50)
  }
}

/**
 * Starts a server on a data directory on which none runs; it outlives this process.
 *
 * @param preferredPort taken when it is free, otherwise any free one
 * @throws with what the server said when it does not start
 */
export async function startServer(
  cluster: Cluster,
  preferredPort: number | undefined,
  settings: ServerSettings = {},
): Promise<RunningServer> {
  const end = Date.now() + startTimeoutMs
  let port = await freePort(preferredPort)
  for (;;) {
    await removeStalePidFile(cluster.directory)
    const started = await launch(cluster, port, settings)
    if (typeof started !== 'string') return started
    const portTaken = /could not bind|Address already in use/.test(started)
    const remnant = /lock file .* already exists|is still in use/.test(started)
    if (!(portTaken || remnant) || Date.now() > end) {
      throw new Error(`the embedded PostgreSQL did not start: ${started || 'see its log'} (log: ${cluster.logFile})`)
    }
    if (portTaken) port = await freePort(undefined)
    else await sleep(250)
  }
}

/** Stops a server after rolling back what is open (a fast shutdown), and waits until it is gone. */
export async function stopServer(server: RunningServer): Promise<void> {
  const name = await identify(server.pid)
  if (name === undefined) return
  try {
    process.kill(server.pid, 'SIGINT')
  } catch (error) {
    // It ended by itself just now.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
  while ((await identify(server.pid)) === name) await sleep(15)
}

/** One attempt; returns the end of the log when it fails. */
async function launch(cluster: Cluster, port: number, settings: ServerSettings): Promise<RunningServer | string> {
  const log = await openLog(cluster.logFile)
  const all = { ...standardSettings, port: String(port), ...settings }
  const args = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const child = spawn(cluster.binaries.postgres, ['-D', cluster.directory, ...args], {
    ...cluster.account,
    cwd: '/',
    env: environment(),
    // A session of its own: an interrupt at the terminal ends this process, which then shuts the server down gracefully.
    detached: true,
    stdio: ['ignore', log.file.fd, log.file.fd],
  })
  await once(child, 'spawn').finally(() => log.file.close())
  const pid = child.pid as number
  while (child.exitCode === null && child.signalCode === null) {
    const file = await readPidFile(cluster.directory)
    if (file?.pid === pid && file.status === 'ready') {
      child.unref()
      return { pid, port }
    }
    await sleep(15)
  }
  return (await readFile(cluster.logFile, 'utf8')).slice(log.length).trim().split('\n').slice(-4).join(' · ')
}

async function openLog(path: string) {
  const length = (await stat(path).catch(() => undefined))?.size ?? 0
  if (length > maxLogBytes) await rename(path, `${path}.1`)
  const file = await open(path, 'a', 0o640)
  await giveToOwnerOf(dirname(path), path)
  return { file, length: length > maxLogBytes ? 0 : length }
}

/** postmaster.pid: process id, data directory, start time, port, socket folder, address, shared memory, status. */
async function readPidFile(directory: string): Promise<{ pid: number; port: number; status: string } | undefined> {
  const content = await readFile(join(directory, 'postmaster.pid'), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    throw error
  })
  const lines = content.split('\n')
  return content === '' ? undefined : { pid: Number(lines[0]), port: Number(lines[3]), status: (lines[7] ?? '').trim() }
}

/**
 * After a crash PostgreSQL refuses to start while the number in the file belongs to any process: another program, or a
 * dead server that nobody collects. The file goes when nothing works in the data directory any more.
 */
async function removeStalePidFile(directory: string): Promise<void> {
  const file = await readPidFile(directory)
  if (file !== undefined && !(await isInUse(directory, file.pid))) {
    await rm(join(directory, 'postmaster.pid'), { force: true })
  }
}

function freePort(preferred: number | undefined): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.on('error', (error: NodeJS.ErrnoException) => {
      if (preferred === undefined) reject(error)
      else resolve(freePort(undefined))
    })
    probe.listen(preferred ?? 0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })
}
