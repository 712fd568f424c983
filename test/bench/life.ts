import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { Dataset, Studio } from './dataset.ts'
import { startService } from './fleet.ts'
import { load, requestOnce } from './load.ts'
import { freePort, residentMegabytes, root } from './processes.ts'
import { differentPages, restWording, shuffler } from './questions.ts'
import { makeFolder, type Scratch } from './scratch.ts'

/** The memory of the process, in megabytes: at its start, halfway and at the end. */
export type Memory = { requests: number; start: number; halfway: number; end: number }

/** The first start: seconds to the first answer, and the memory of the process when it has been left alone since, in megabytes. */
export type ColdStart = { seconds: number; megabytes: number }

/** How long the process is left alone before its memory is read, in milliseconds. */
const idleMs = 5_000

/** Puts requests of every kind to a service of its own: repeated and different lists, other lists, items, polls. */
export async function memory(scratch: Scratch, dataset: Dataset, requests: number, cache: boolean): Promise<Memory> {
  const service = await startService(scratch, 'the service for memory', {
    GRAPHQL_PORT: '0',
    ...(!cache && { CACHE_MAX_BYTES: '0' }),
  })
  try {
    const next = mixed(dataset)
    const reading = async () => Math.round(await residentMegabytes(service.pid))
    const ask = (count: number) => load({ origin: service.origin, connections: 16, next, requests: count })
    await ask(100)
    const start = await reading()
    await ask(requests / 2)
    const halfway = await reading()
    await ask(requests / 2)
    return { requests, start, halfway, end: await reading() }
  } finally {
    await service.stop()
  }
}

function mixed({ usual, large }: Dataset) {
  const pick = shuffler(7)
  const different = differentPages(usual)
  const headers = (studio: Studio) => ({ authorization: `Bearer ${studio.token}` })
  const any = () => usual[pick(usual.length)] as Studio
  const kinds = [
    () => restWording({ studio: any() }),
    () => restWording(different()),
    () => restWording({ studio: large, page: 1 + pick(3000) }),
    () => {
      const studio = any()
      return restWording({ studio, item: studio.items[pick(studio.items.length)] as string })
    },
    () => restWording({ studio: any(), updatedSince: new Date(Date.now() + 1000).toISOString(), empty: true }),
    () => ({ path: `/v1/maintenance?page=${1 + pick(20)}`, headers: headers(any()), contains: '{"data":[{' }),
    () => ({ path: '/v1/policies', headers: headers(any()), contains: '{"data":[{' }),
    () => ({ path: '/v1/locations', headers: headers(any()), contains: '{"data":[{' }),
    () => ({ path: '/v1/account', headers: headers(any()), contains: '{"data":{' }),
  ]
  let asked = 0
  return () => (kinds[asked++ % kinds.length] as (typeof kinds)[number])()
}

/** From `npm start` in an empty data folder to the first list answered, database and demo data included, and what it takes then. */
export async function coldStart(closers: (() => unknown)[]): Promise<ColdStart> {
  const folder = await makeFolder()
  const port = await freePort()
  const { PATH = '', HOME = '' } = process.env
  const env = { PATH, HOME, PORT: String(port), DATA_DIR: join(folder, 'data') }
  const began = performance.now()
  // A group of its own: npm does not always hand on a signal.
  const child = spawn('npm', ['start'], { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
  const ended = once(child, 'exit')
  const stop = async () => {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) {
      process.kill(-child.pid, 'SIGTERM')
      await ended
    }
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
  closers.push(stop)
  let said = ''
  child.stderr.on('data', (text) => {
    said += text
  })
  try {
    const token = await new Promise<string>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`no token after two minutes:\n${said}`)), 120_000)
      void ended.then(() => reject(new Error(`npm start ended:\n${said}`))).finally(() => clearTimeout(timer))
      child.stdout.on('data', (text) => {
        said += text
        const found = /^Token: (svc_\w+)$/m.exec(said)?.[1]
        if (found) resolve(found)
      })
    })
    await requestOnce(`http://127.0.0.1:${port}`, { path: '/v1/items', headers: { authorization: `Bearer ${token}` } })
    const seconds = (performance.now() - began) / 1000
    await sleep(idleMs)
    return { seconds, megabytes: Math.round(await residentMegabytes(await serviceOf(child.pid ?? 0))) }
  } finally {
    await stop()
  }
}

/** The process of the service in the group that `npm start` leads. */
async function serviceOf(group: number): Promise<number> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,pgid=,args='])
  const lines = stdout.split('\n').map((line) => line.trim().split(/\s+/))
  // npm and its shell name the script too, but neither is Node with it as an argument.
  const found = lines.find(([, pgid, command = '', ...args]) => {
    return Number(pgid) === group && /(?:^|\/)node$/.test(command) && args.includes('src/cli/main.ts')
  })
  if (found === undefined) throw new Error('npm start runs no service')
  return Number(found[0])
}
