import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { withClient } from '../../src/database/client.ts'
import { readState } from '../../src/dev/embedded/files.ts'
import { findServer, stopServer } from '../../src/dev/embedded/running.ts'
import { openEmbedded } from '../../src/dev/embedded/server.ts'
import { makeLogger } from '../../src/observability/log.ts'
import { openDatabase } from '../../src/process/open-database.ts'

// Each test starts several processes, one after the other.
vi.setConfig({ testTimeout: 120_000 })

const log = makeLogger({ level: 'silent' })
let made: string
let folder: string
let children: ChildProcess[] = []

async function newFolder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'embedded-'))
  await chmod(path, 0o755)
  return path
}

// Making a database takes longest. Tests in which it has been made before work on a copy.
beforeAll(async () => {
  folder = await newFolder()
  await (await open()).close()
  await rm(join(folder, 'embedded.json'))
  made = folder
})
afterAll(() => rm(made, { recursive: true }))

beforeEach(async () => {
  folder = await newFolder()
})

afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  const server = await running()
  if (server !== undefined) await stopServer(server)
  await rm(folder, { recursive: true, force: true })
})

const open = () => openEmbedded(folder, log, { settings: { fsync: 'off' } })
const directory = () => join(folder, 'postgres')
const running = () => findServer(directory())
/** The number of the server that runs. */
async function pid(): Promise<number> {
  const server = await running()
  if (server === undefined) throw new Error('no server runs')
  return server.pid
}

/** Puts a database that was made before into the folder. */
const useMade = () => promisify(execFile)('cp', ['-a', `${made}/.`, folder])
const ask = async (url: string, text: string) => (await withClient(url, (client) => client.query(text))).rows[0]

it('is made, started and stopped; what was written is there the next time, at the same port', async () => {
  const first = await open()
  await ask(first.url, 'create table kept as select 1 as a')
  await first.close()
  expect(await running()).toBeUndefined()
  const second = await open()
  expect(await ask(second.url, 'select a from kept')).toEqual({ a: 1 })
  expect(second.url).toBe(first.url)
  await second.close()
})

it('listens to this machine only, asks for a password, and keeps secrets to its owner', async () => {
  await useMade()
  const { url, close } = await open()
  expect(await ask(url, 'show listen_addresses')).toEqual({ listen_addresses: '127.0.0.1' })
  expect(await ask(url, 'show unix_socket_directories')).toEqual({ unix_socket_directories: '' })
  const withoutPassword = url.replace(/:[^:@]+@/, ':wrong@')
  await expect(ask(withoutPassword, 'select 1')).rejects.toThrow('password authentication failed')
  expect(await ask(url, 'select encoding, datlocprovider from pg_database where datname = current_database()')).toEqual(
    {
      encoding: 6,
      datlocprovider: 'b',
    },
  )
  expect((await stat(join(folder, 'postgres-password'))).mode & 0o777).toBe(0o600)
  expect((await readdir(folder)).sort()).toEqual(['embedded.json', 'postgres', 'postgres-password', 'postgres.log'])
  await close()
})

it('writes neither statements nor values to its log', async () => {
  await useMade()
  const { url, close } = await open()
  await withClient(url, async (client) => {
    await client.query('create table t (a text primary key)')
    await client.query(`insert into t values ('canary')`)
    await expect(client.query('insert into t values ($1)', ['canary'])).rejects.toThrow('duplicate key')
    await expect(client.query(`alter role postgres password 'canary' rubbish`)).rejects.toThrow('rubbish')
  })
  await close()
  expect(await readFile(join(folder, 'postgres.log'), 'utf8')).not.toContain('canary')
})

it('is shared by all who open it, also at the same time on an empty folder, and stopped by the last', async () => {
  const uses = await Promise.all([open(), open(), open()])
  expect(new Set(uses.map(({ url }) => url)).size).toBe(1)
  await uses[0]?.close()
  await uses[1]?.close()
  expect(await running()).toBeDefined()
  await uses[2]?.close()
  expect(await running()).toBeUndefined()
})

it('is adopted when the process that started it was killed', async () => {
  await useMade()
  const child = await openInChild()
  const orphan = await pid()
  child.kill('SIGKILL')
  await once(child, 'exit')
  const use = await open()
  expect(await pid()).toBe(orphan)
  await use.close()
  expect(await running()).toBeUndefined()
})

it('starts again after everything was killed', async () => {
  await useMade()
  const child = await openInChild()
  const orphan = await pid()
  child.kill('SIGKILL')
  process.kill(orphan, 'SIGKILL')
  const use = await open()
  expect(await ask(use.url, 'select 1 as a')).toEqual({ a: 1 })
  expect(await pid()).not.toBe(orphan)
  await use.close()
})

it('starts another one when the one that it found ends before it answers', async () => {
  await useMade()
  await open()
  const old = await pid()
  // Connections are still taken for it, as for one that has been killed and has not been given the time to end.
  process.kill(old, 'SIGSTOP')
  const opening = open()
  await sleep(500)
  process.kill(old, 'SIGKILL')
  const use = await opening
  expect(await ask(use.url, 'select 1 as a')).toEqual({ a: 1 })
  expect(await pid()).not.toBe(old)
})

it('comes back on its port when it is killed while it is in use, and the log says so', async () => {
  await useMade()
  const lines: string[] = []
  const log = makeLogger({ level: 'info', stream: { write: (line) => void lines.push(line) } })
  const config = { databaseUrl: undefined, roleUrls: {}, secretKey: undefined, dataDir: folder }
  // Two users, as the service and a command are: one of them starts it, the other joins.
  const [use, other] = [await openDatabase(config, log), await openDatabase(config, log)]
  await ask(use.adminUrl, 'create table kept as select 1 as a')
  for (let time = 0; time < 2; time += 1) {
    const old = await pid()
    process.kill(old, 'SIGKILL')
    const answer = () => ask(use.adminUrl, 'select a from kept').catch(({ code }) => code)
    await vi.waitFor(async () => expect(await answer()).toEqual({ a: 1 }), { timeout: 60_000, interval: 100 })
    expect(await pid()).not.toBe(old)
  }
  expect(lines.join('')).toMatch(/"level":"error".*the embedded PostgreSQL has ended; it is started again/)
  expect(lines.join('')).toMatch(/the embedded PostgreSQL runs again/)
  await use.close()
  expect(await ask(other.adminUrl, 'select a from kept')).toEqual({ a: 1 })
  await other.close()
  expect(await running()).toBeUndefined()
})

it('starts although its old process number belongs to another program now', async () => {
  await useMade()
  await (await open()).close()
  const pidFile = ['', directory(), '1', '5432', '', '127.0.0.1', '  1  1', 'ready   ', '']
  await writeFile(join(directory(), 'postmaster.pid'), [String(process.pid), ...pidFile.slice(1)].join('\n'))
  const use = await open()
  expect((await running())?.pid).not.toBe(process.pid)
  await use.close()
})

it('moves to another port when its own is taken', async () => {
  await useMade()
  const first = await open()
  await first.close()
  const port = Number(new URL(first.url).port)
  const other = createServer().listen(port, '127.0.0.1')
  await once(other, 'listening')
  try {
    const use = await open()
    const moved = Number(new URL(use.url).port)
    expect(moved).not.toBe(port)
    expect((await readState(join(folder, 'embedded.json')))?.port).toBe(moved)
    await use.close()
  } finally {
    other.close()
  }
})

it('moves with its folder, and does not need its state file', async () => {
  await useMade()
  const first = await open()
  await ask(first.url, 'create table kept as select 1 as a')
  await first.close()
  await rename(folder, `${folder}-moved`)
  folder = `${folder}-moved`
  await rm(join(folder, 'embedded.json'))
  const use = await open()
  expect(await ask(use.url, 'select a from kept')).toEqual({ a: 1 })
  await use.close()
})

it('says so when its password is lost, and does not keep running', async () => {
  await useMade()
  await (await open()).close()
  await rm(join(folder, 'postgres-password'))
  await expect(open()).rejects.toThrow(/refuses the password in .*postgres-password/)
  expect(await running()).toBeUndefined()
})

it('is the database when none is configured, with a secret key that is generated once', async () => {
  await useMade()
  const config = { databaseUrl: undefined, roleUrls: {}, secretKey: undefined, dataDir: folder }
  const first = await openDatabase(config, log)
  const second = await openDatabase(config, log)
  expect(first.embedded).toBe(true)
  expect(second.secretKey).toBe(first.secretKey)
  expect(first.secretKey.length).toBeGreaterThanOrEqual(32)
  expect((await stat(join(folder, 'secret-key'))).mode & 0o777).toBe(0o600)
  await Promise.all([first.close(), second.close()])
  const given = await openDatabase({ ...config, secretKey: 'g'.repeat(32) }, log)
  expect(given.secretKey).toBe('g'.repeat(32))
  await given.close()
})

/** Opens the server in another process, which then does nothing. */
async function openInChild(): Promise<ChildProcess> {
  const source = (path: string) => JSON.stringify(join(import.meta.dirname, '../../src', path))
  const program = `
    const { openEmbedded } = await import(${source('dev/embedded/server.ts')})
    const { makeLogger } = await import(${source('observability/log.ts')})
    await openEmbedded(${JSON.stringify(folder)}, makeLogger({ level: 'silent' }))
    process.stdout.write('ready')
    // Ends with the test's process, if that is killed.
    process.stdin.resume().on('end', () => process.exit())`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  children = [...children, child]
  await once(child.stdout, 'data')
  return child
}
