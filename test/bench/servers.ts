import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import packageJson from '../../package.json' with { type: 'json' }
import { findPort } from '../../src/http/listener.ts'
import type { Dataset, Scratch } from './data.ts'

export const root = join(import.meta.dirname, '../..')

const { PATH = '', HOME = '' } = process.env
export const inherited = { PATH, HOME }

/** A server in a process of its own. */
export type Running = { origin: string; pid: number; stop(): Promise<void> }

/** The service, the usual way, and S, which answers with stored bodies after one `select 1`. */
export type Fleet = { service: Running; usual: Running; stored: Running }

/** Starts Node as a process that writes its output to a file, and waits until it responds. */
async function start(
  scratch: Scratch,
  name: string,
  args: string[],
  env: Record<string, string>,
  portName = 'PORT',
): Promise<Running> {
  const port = await findPort('127.0.0.1', 0)
  const file = join(scratch.folder, `${name}.log`)
  const log = await open(file, 'a')
  const all = { ...inherited, [portName]: String(port), NODE_ENV: 'production', ...env }
  const child = spawn(process.execPath, args, { cwd: root, env: all, stdio: ['ignore', log.fd, log.fd] })
  await once(child, 'spawn').finally(() => log.close())
  const ended = once(child, 'exit')
  const stop = async () => {
    child.kill()
    await ended
  }
  scratch.closers.push(stop)
  const origin = `http://127.0.0.1:${port}`
  for (let attempt = 0; attempt < 600; attempt++) {
    const status = await fetch(`${origin}/readyz`).then(
      (response) => response.arrayBuffer().then(() => response.status),
      () => 500,
    )
    if (status < 500) return { origin, pid: child.pid ?? 0, stop }
    if (child.exitCode !== null) break
    await sleep(100)
  }
  throw new Error(`${name} does not answer:\n${(await readFile(file, 'utf8')).slice(-2_000)}`)
}

const startArguments = packageJson.scripts.start.replace(/^.*?node /, '').split(' ')

export const serviceEnv = (scratch: Scratch): Record<string, string> => ({
  DATABASE_URL: scratch.adminUrl,
  SECRET_KEY: scratch.secretKey,
  DATA_DIR: join(scratch.folder, 'data'),
  // Limits that no round reaches.
  RATE_LIMITS: 'pro=1000000/1000000,studio=1000000/1000000',
})

/** The service as `npm start` runs it; `unguarded` without limits, activity and log. */
export function startService(scratch: Scratch, env: Record<string, string> = {}, unguarded = false): Promise<Running> {
  const hook = ['--import', join(import.meta.dirname, 'servers/unguarded.ts')]
  const all = { ...serviceEnv(scratch), ...(unguarded && { LOG_LEVEL: 'silent' }), ...env }
  return start(scratch, 'service', [...(unguarded ? hook : []), ...startArguments], all)
}

export const startGraphql = (scratch: Scratch): Promise<Running> =>
  start(scratch, 'graphql', [...startArguments.slice(0, -1), 'graphql'], serviceEnv(scratch), 'GRAPHQL_PORT')

export async function startFleet(scratch: Scratch, { usual, large }: Dataset): Promise<Fleet> {
  const other = (name: string, env: Record<string, string>) =>
    start(scratch, name, [join(import.meta.dirname, `servers/${name}.ts`)], { DATABASE_URL: scratch.writerUrl, ...env })
  const tokens = JSON.stringify(Object.fromEntries([...usual, large].map(({ token, id }) => [token, id])))
  const service = await startService(scratch)
  return {
    service,
    usual: await other('usual', { TOKENS: tokens }),
    stored: await other('stored', { SERVICE: service.origin }),
  }
}

/** The memory of a process and of those that it started, in megabytes. */
export async function megabytesOf(pid: number): Promise<number> {
  const args = ['-o', 'rss=', '--pid', String(pid), '--ppid', String(pid)]
  const { stdout } = await promisify(execFile)('ps', args).catch(() => ({ stdout: '' }))
  return stdout.split('\n').reduce((sum, kilobytes) => sum + Number(kilobytes) / 1024, 0)
}
