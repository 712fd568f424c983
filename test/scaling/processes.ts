import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, vi } from 'vitest'
import { findPort } from '../../src/http/listener.ts'
import { startCli } from '../cli/run.ts'
import { accepts } from '../support/embedded.ts'

const closers: (() => Promise<unknown>)[] = []

/** Ends what the file has started, the last process first. Call it at the top of a file. */
export function endProcesses(): void {
  afterAll(async () => {
    for (const close of closers.splice(0).toReversed()) await close()
  })
}

/** Ends or removes something that the file has made, before what it made earlier. */
export const closeAtEnd = (close: () => Promise<unknown>) => void closers.push(close)

export type Redis = { url: string; child: ChildProcess; restart(): Promise<void> }

export async function startRedis(): Promise<Redis> {
  const folder = await mkdtemp(join(tmpdir(), 'studio-inventory-redis-'))
  const port = await findPort('127.0.0.1', 0)
  const own = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', folder]
  const start = async () => {
    redis.child = spawn('redis-server', own, { stdio: 'ignore' })
    await vi.waitUntil(() => accepts(port), { timeout: 5_000 })
  }
  const redis = { url: `redis://127.0.0.1:${port}`, restart: start } as Redis
  closers.push(async () => {
    await end(redis.child, 'SIGKILL')
    await rm(folder, { recursive: true, force: true })
  })
  await start()
  return redis
}

export type Instance = ReturnType<typeof startCli> & { port: number; url: string }

/** Starts the service, or GraphQL, and waits until it is ready. */
export async function startInstance(
  env: Record<string, string>,
  port?: number,
  command: 'serve' | 'graphql' = 'serve',
): Promise<Instance> {
  const own = port ?? (await findPort('127.0.0.1', 0))
  const started = startCli([command], {
    HOST: '127.0.0.1',
    [command === 'serve' ? 'PORT' : 'GRAPHQL_PORT']: String(own),
    ...env,
  })
  closers.push(() => end(started.child, 'SIGTERM'))
  const instance = { ...started, port: own, url: `http://127.0.0.1:${own}` }
  const gone = started.ended.then(({ stderr, stdout }) => {
    throw new Error(`the service ended: ${stderr}${stdout}`)
  })
  gone.catch(() => undefined)
  const ready = vi.waitFor(async () => expect((await fetch(`${instance.url}/readyz`)).status).toBe(200), {
    timeout: 60_000,
    interval: 100,
  })
  await Promise.race([ready, gone])
  return instance
}

/** Ends a process that this file has started, and waits for it. */
export async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  child.kill(signal)
  const late = sleep(20_000, undefined, { ref: false }).then(() => child.kill('SIGKILL'))
  await Promise.race([gone, late])
}
