import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findPort } from '../../src/http/listener.ts'
import type { Bar } from './bar.ts'
import { type Closers, type Dataset, makeFolder, type Scratch } from './data.ts'
import { answerTo, load } from './load.ts'
import { mixed } from './questions.ts'
import { inherited, megabytesOf, root, startService } from './servers.ts'

/** The memory of the service: left alone after its start, and after many requests of every kind. */
export async function memory(scratch: Scratch, dataset: Dataset, requests: number): Promise<Bar[]> {
  const { origin, pid, stop } = await startService(scratch)
  const next = mixed(dataset)
  await sleep(5_000)
  const idle = await megabytesOf(pid)
  await load({ origin, next, ms: 0, least: requests / 2 })
  const halfway = await megabytesOf(pid)
  await load({ origin, next, ms: 0, least: requests / 2 })
  const end = await megabytesOf(pid)
  await stop()
  return [
    { what: 'memory of the service, idle', values: [idle], unit: 'MB', atMost: 160 },
    { what: `memory after ${requests} mixed requests`, values: [end], unit: 'MB', atMost: 230 },
    { what: 'its growth in their second half', values: [100 * (end / halfway - 1)], unit: '%', atMost: 10 },
  ]
}

/** The request that the greeting prints, with its token. */
const greeted = /^curl .*Bearer (svc_\w+)'/m

/** From `npm start` in an empty data folder to the first list answered. */
export async function coldStart(closers: Closers): Promise<Bar> {
  const folder = await makeFolder(closers)
  const port = await findPort('127.0.0.1', 0)
  const env = { ...inherited, PORT: String(port), GRAPHQL_PORT: '0', DATA_DIR: join(folder, 'data') }
  const began = performance.now()
  // A group of its own: npm does not always hand on a signal.
  const child = spawn('npm', ['start'], { cwd: root, env, stdio: ['ignore', 'pipe', 'inherit'], detached: true })
  const ended = once(child, 'close')
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) process.kill(-Number(child.pid), 'SIGTERM')
    await ended
  }
  closers.push(stop)
  let said = ''
  for await (const text of child.stdout) {
    said += text
    if (greeted.test(said)) break
  }
  const token = greeted.exec(said)?.[1]
  if (token === undefined) throw new Error(`npm start printed no token:\n${said}`)
  await answerTo(`http://127.0.0.1:${port}`, { path: '/v1/items', token })
  const seconds = (performance.now() - began) / 1_000
  await stop()
  return { what: '`npm start` on an empty folder to the first response', values: [seconds], unit: 's', atMost: 4 }
}
