import { execFile } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { readPostgresUrl } from '../../src/config/postgres-url.ts'
import { urlOfOneHost, withClient } from '../../src/database/client.ts'
import { runCli } from '../cli/run.ts'
import { type Client, createClient } from '../support/client.ts'
import { testSecretKey } from '../support/server.ts'
import { printTable } from '../support/table.ts'
import type { List } from '../support/world.ts'
import { makeOwnDatabase, type OwnStudio, writeAs } from './own-database.ts'
import { endProcesses, type Instance, logOf, startInstance } from './processes.ts'
import {
  catchUp,
  makePrimary,
  makeReplica,
  makeServerFolder,
  promote,
  type Server,
  startServer,
  stopServer,
  urlOf,
} from './servers.ts'

/** A primary and its standby, which takes over: the service is given both in one URL, and nothing else changes. */
endProcesses()
let folder: string
let [first, second]: Server[] = []
let studio: OwnStudio
let instance: Instance
let client: Client
let url: string
const alone = (server: Server) => urlOf(server, 'studio_inventory')

beforeAll(async () => {
  folder = await makeServerFolder()
  first = await makePrimary(folder)
  second = await makeReplica(first)
  studio = await makeOwnDatabase(urlOf(first), alone(first))
  const [, login = '', port = ''] = /\/\/(.*):(\d+)\//.exec(alone(first)) ?? []
  url = `postgresql://${login}:${port},127.0.0.1:${second.port}/studio_inventory?target_session_attrs=read-write&connect_timeout=2`
  instance = await startInstance({ DATABASE_URL: url, SECRET_KEY: testSecretKey, POOL_SIZE: '4', ...unlimited })
  client = createClient(instance.port)
})
const unlimited = { RATE_LIMIT_STUDIO_PER_SECOND: '100000', RATE_LIMIT_STUDIO_PER_MINUTE: '100000' }

afterAll(async () => {
  done = true
  await Promise.all(clients)
  for (const server of [first, second]) if (server) await stopServer(server, 'immediate').catch(() => undefined)
  await rm(folder, { recursive: true, force: true })
})

const names = async (headers: Record<string, string> = {}) => {
  const reply = await client.get<List<{ name: string }>>('/v1/items', { token: studio.token, headers })
  return { reply, names: reply.status === 200 ? reply.json.data.map(({ name }) => name).toSorted() : [] }
}
const add = (to: string, name: string) =>
  writeAs(to, studio, `insert into app.items (studio_id, name, category) values ($1, $2, 'Microphones')`, [
    studio.id,
    name,
  ])

type Outcome = { at: number; status: number | string; names: string[] }
const outcomes: Outcome[] = []
let clients: Promise<void>[] = []
let done = false

/** Asks on and on, a few dozen times a second. */
async function ask(): Promise<void> {
  while (!done) {
    const at = performance.now()
    const outcome = await names().then(
      ({ reply, names }) => ({ status: reply.status, names }),
      (error) => ({ status: String(error.code ?? error), names: [] }),
    )
    outcomes.push({ at, ...outcome })
    await sleep(50)
  }
}

const since = (moment: number) => outcomes.filter(({ at }) => at >= moment)
const answersAgain = (timeout = 60_000) => vi.waitUntil(async () => (await names()).reply.status === 200, { timeout })

test('commands and libpq accept the same URL', async () => {
  await add(readPostgresUrl(url).url, 'Before')
  const env = { DATABASE_URL: url, SECRET_KEY: testSecretKey }
  expect((await runCli(['studio', 'list'], env)).stdout).toContain('North')
  const printed = (await runCli(['url'], env)).stdout.trim()
  const asked = await promisify(execFile)('psql', [printed, '-Atc', 'show port'])
  expect(asked.stdout.trim()).toBe(String(first?.port))
})

test('after a failover the service answers by itself from the new primary, and nothing of the lost timeline', async () => {
  if (!first || !second) expect.fail('there are two servers')
  await catchUp(first, second)
  await stopServer(second)
  await add(alone(first), 'Never replicated')
  const lost = await names()
  expect(lost.names).toEqual(['Before', 'Never replicated'])
  const tag = String(lost.reply.headers.etag)
  expect((await names({ 'If-None-Match': tag })).reply.status).toBe(304)
  clients = [ask(), ask(), ask()]
  const killed = performance.now()
  await stopServer(first, 'immediate')
  await startServer(second)
  await vi.waitUntil(() => since(killed).some(({ status }) => status === 503), { timeout: 30_000 })
  const promoted = performance.now()
  await promote(second)
  await answersAgain()
  const back = performance.now()
  expect((await names({ 'If-None-Match': tag })).reply.status).toBe(200)
  await add(readPostgresUrl(url).url, 'After')
  await vi.waitUntil(async () => (await names()).names.join() === 'After,Before', { timeout: 30_000 })
  const seen = since(killed)
  const failed = seen.filter(({ status }) => status !== 200)
  printTable('A failover', [
    {
      requests: seen.length,
      failed: failed.length,
      as: [...new Set(failed.map(({ status }) => status))].join(' '),
      'from the kill to an answer': `${((back - killed) / 1000).toFixed(1)} s`,
      'from the promotion to an answer': `${((back - promoted) / 1000).toFixed(1)} s`,
    },
  ])
  expect(new Set(failed.map(({ status }) => status))).toEqual(new Set([503]))
  expect(seen.filter(({ at, names }) => at > promoted && names.includes('Never replicated'))).toEqual([])
  expect(logOf(instance).map(({ msg }) => msg)).toContain('the database is on another host')
})

test('the old primary that is started again as it was is not used, not even while the new one restarts', async () => {
  if (!first || !second) expect.fail('there are two servers')
  await startServer(first)
  const from = performance.now()
  await stopServer(second, 'immediate')
  await vi.waitUntil(() => since(from).filter(({ status }) => status === 503).length > 5, { timeout: 30_000 })
  await startServer(second)
  await answersAgain()
  expect((await names()).names).toEqual(['After', 'Before'])
  expect(since(from).filter(({ names }) => names.includes('Never replicated'))).toEqual([])
  const sessions = await withClient(alone(first), (admin) =>
    admin.query(`select usename from pg_stat_activity where usename in ('studio_recorder', 'studio_writer')`),
  )
  expect(sessions.rows).toEqual([])
})

test('the old primary that comes back as a standby is passed over by those who need the primary', async () => {
  if (!first || !second) expect.fail('there are two servers')
  const { port } = first
  await stopServer(first, 'immediate')
  await rm(first.folder, { recursive: true, force: true })
  first = await makeReplica(second, { folder: first.folder, port })
  const other = await startInstance({ DATABASE_URL: url, SECRET_KEY: testSecretKey, ...unlimited })
  const reply = await createClient(other.port).get<List<{ name: string }>>('/v1/items', { token: studio.token })
  expect(reply.json.data.map(({ name }) => name).toSorted()).toEqual(['After', 'Before'])
  const portOf = async (kind: string) =>
    Number(new URL(await urlOfOneHost(readPostgresUrl(url.replace('read-write', kind)).url)).searchParams.get('port'))
  for (const kind of ['read-write', 'primary']) expect(await portOf(kind)).toBe(second.port)
  for (const kind of ['read-only', 'standby', 'prefer-standby', 'any']) expect(await portOf(kind)).toBe(port)
  await stopServer(first)
  expect(await portOf('prefer-standby')).toBe(second.port)
  await expect(portOf('standby')).rejects.toThrow(/ECONNREFUSED.*it is a read-write server, wanted is standby/)
})
