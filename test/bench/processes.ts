import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { open, readFile } from 'node:fs/promises'
import { get } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { findPort } from '../../src/http/listener.ts'

export const root = join(import.meta.dirname, '../..')

/** A server in a process of its own. */
export type Running = { name: string; origin: string; pid: number; stop(): Promise<void> }

export type StartOptions = {
  name: string
  /** What Node runs, or the whole command when it is not Node. */
  args: string[]
  command?: string
  folder?: string
  /** What the process knows besides PATH and HOME. PORT is added. */
  env?: Record<string, string>
  port?: number
  /** Where standard output and standard error go: a file, as a supervisor would keep it. */
  logFile: string
  /** An address below the origin that answers as soon as the server works. */
  answers?: string
  headers?: Record<string, string>
  timeoutMs?: number
}

export const freePort = () => findPort('127.0.0.1', 0)

/**
 * Starts a server and waits until it answers.
 *
 * @throws with the end of what it printed when it ends instead, or never answers
 */
export async function start(options: StartOptions): Promise<Running> {
  const { name, args, command = process.execPath, folder = root, env = {}, logFile } = options
  const { answers = '/', headers = {}, timeoutMs = 60_000 } = options
  const port = options.port ?? (await freePort())
  const log = await open(logFile, 'a')
  const { PATH = '', HOME = '' } = process.env
  const child = spawn(command, args, {
    cwd: folder,
    env: { PATH, HOME, PORT: String(port), ...env },
    stdio: ['ignore', log.fd, log.fd],
  })
  await once(child, 'spawn').finally(() => log.close())
  const origin = `http://127.0.0.1:${port}`
  const end = performance.now() + timeoutMs
  while (!(await isAnswering(origin + answers, headers))) {
    if (hasEnded(child) || performance.now() > end) {
      await stopProcess(child)
      const said = (await readFile(logFile, 'utf8')).trim().split('\n').slice(-15).join('\n')
      throw new Error(`${name} ${hasEnded(child) ? 'ended' : 'does not answer'}:\n${said}`)
    }
    await sleep(50)
  }
  return { name, origin, pid: child.pid ?? 0, stop: () => stopProcess(child) }
}

/** Whether something answers there with a status below 500. */
export function isAnswering(url: string, headers: Record<string, string> = {}): Promise<boolean> {
  return new Promise((resolve) => {
    const asking = get(url, { headers, timeout: 5_000, agent: false }, (response) => {
      response.resume()
      resolve((response.statusCode ?? 500) < 500)
    })
    asking.on('timeout', () => asking.destroy())
    asking.on('error', () => resolve(false))
  })
}

const hasEnded = (child: ChildProcess) => child.exitCode !== null || child.signalCode !== null

/** Asks a process to end, and ends it when it has not within ten seconds. */
export async function stopProcess(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), 10_000)
  await ended
  clearTimeout(timer)
}

/** The memory of a process (resident set), in megabytes. */
export async function residentMegabytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => undefined)
  const kilobytes =
    status === undefined
      ? (await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)])).stdout.trim()
      : /^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]
  return Number(kilobytes) / 1024
}
