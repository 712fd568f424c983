import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, lstat, mkdtemp, readdir, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { withClient } from '../../src/database/client.ts'
import { openEmbedded } from '../../src/embedded/server.ts'
import { makeLogger } from '../../src/log.ts'
import { openDatabase } from '../../src/service/open-database.ts'
import { serverOf, stopServerOf } from '../support/embedded.ts'

// Each test starts several processes, one after the other.
vi.setConfig({ testTimeout: 120_000 })

const log = makeLogger({ level: 'silent' })
const isRoot = process.getuid?.() === 0
let made: string
let folder: string
let children: ChildProcess[] = []

async function newFolder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'embedded-'))
  await chmod(path, 0o755)
  return path
}

// Making a database takes longest, so tests that need an existing one work on a copy.
beforeAll(async () => {
  folder = await newFolder()
  await (await open()).close()
  made = folder
})
afterAll(() => rm(made, { recursive: true }))

beforeEach(async () => {
  folder = await newFolder()
})

afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  await stopServerOf(folder)
  await rm(folder, { recursive: true, force: true })
})

const open = () => openEmbedded(folder, log, { settings: { fsync: 'off' } })
const running = () => serverOf(folder)
const pidFile = () => join(folder, 'postgres', 'postmaster.pid')

/** Puts a database that was made before into the folder. */
const useMade = () => promisify(execFile)('cp', ['-a', `${made}/.`, folder])
const ask = async (url: string, text: string) => (await withClient(url, (client) => client.query(text))).rows[0]

it('is made, started and stopped; the next start has its data and its port', async () => {
  const first = await open()
  await ask(first.url, 'create table kept as select 1 as a')
  await first.close()
  expect(await running()).toBeUndefined()
  const second = await open()
  expect(await ask(second.url, 'select a from kept')).toEqual({ a: 1 })
  expect(second.url).toBe(first.url)
  await second.close()
})

it('listens to this machine only, asks for a password, keeps secrets to its owner, and logs neither statements nor values', async () => {
  await useMade()
  const { url, close } = await open()
  expect(await ask(url, 'show listen_addresses')).toEqual({ listen_addresses: '127.0.0.1' })
  expect(await ask(url, 'show unix_socket_directories')).toEqual({ unix_socket_directories: '' })
  const withoutPassword = url.replace(/:[^:@]+@/, ':wrong@')
  await expect(ask(withoutPassword, 'select 1')).rejects.toThrow('password authentication failed')
  const kind = 'select encoding, datlocprovider from pg_database where datname = current_database()'
  expect(await ask(url, kind)).toEqual({ encoding: 6, datlocprovider: 'b' })
  expect((await stat(join(folder, 'postgres-password'))).mode & 0o777).toBe(0o600)
  expect((await readdir(folder)).sort()).toEqual(['postgres', 'postgres-password'])
  await withClient(url, async (client) => {
    await client.query('create table t (a text primary key)')
    await client.query(`insert into t values ('canary')`)
    await expect(client.query('insert into t values ($1)', ['canary'])).rejects.toThrow('duplicate key')
    await expect(client.query(`alter role postgres password 'canary' rubbish`)).rejects.toThrow('rubbish')
  })
  await close()
  const log = await readFile(join(folder, 'postgres', 'postgres.log'), 'utf8')
  expect(log).toContain('duplicate key')
  expect(log).not.toContain('canary')
})

it('is shared by all who open it, also at the same time on an empty folder, and stopped by the last', async () => {
  const uses = await Promise.all([open(), open(), open()])
  expect(new Set(uses.map(({ url }) => url)).size).toBe(1)
  await uses[0]?.close()
  expect(await running()).toBeDefined()
  await Promise.all([uses[1]?.close(), uses[2]?.close()])
  expect(await running()).toBeUndefined()
  expect((await readdir(folder)).sort()).toEqual(['postgres', 'postgres-password'])
})

it('keeps running while another client is connected; its next user stops it', async () => {
  await useMade()
  const use = await open()
  await withClient(use.url, async (client) => {
    await use.close()
    expect((await client.query('select 1 as a')).rows).toEqual([{ a: 1 }])
  })
  expect(await running()).toBeDefined()
  await (await open()).close()
  expect(await running()).toBeUndefined()
})

it('is used when the process that started it was killed, and started again when it was killed too', async () => {
  await useMade()
  const child = await openInChild()
  const first = (await running()) as number
  child.kill('SIGKILL')
  await once(child, 'exit')
  const use = await open()
  expect(await running()).toBe(first)
  await stopServerOf(folder, 'SIGKILL')
  const again = await open()
  expect(again.url).toBe(use.url)
  expect(await ask(again.url, 'select 1 as a')).toEqual({ a: 1 })
  expect(await running()).not.toBe(first)
  await Promise.all([use.close(), again.close()])
  expect(await running()).toBeUndefined()
})

it('starts although its old process number belongs to another program of its user now', async () => {
  await useMade()
  await (await open()).close()
  const { uid, gid } = await stat(join(folder, 'postgres'))
  const other = spawn('sleep', ['100'], isRoot ? { uid, gid } : {})
  children.push(other)
  await writeFile(pidFile(), [other.pid, join(folder, 'postgres'), 1, 9, '', '127.0.0.1', 1, 'ready', ''].join('\n'))
  const use = await open()
  expect(await running()).not.toBe(other.pid)
  await use.close()
})

it('moves with its folder, and to another port when its own is taken', async () => {
  await useMade()
  const first = await open()
  await ask(first.url, 'create table kept as select 1 as a')
  await first.close()
  const port = Number(new URL(first.url).port)
  const other = createServer().listen(port, '127.0.0.1')
  await once(other, 'listening')
  await rename(folder, `${folder}-moved`)
  folder = `${folder}-moved`
  const use = await open().finally(() => other.close())
  expect(Number(new URL(use.url).port)).not.toBe(port)
  expect(await ask(use.url, 'select a from kept')).toEqual({ a: 1 })
  await use.close()
})

it.runIf(isRoot)('is made for root in a folder that others cannot enter, with its data where they can', async () => {
  await chmod(folder, 0o700)
  const first = await open()
  await ask(first.url, 'create table kept as select 1 as a')
  await first.close()
  const data = await realpath(join(folder, 'postgres'))
  try {
    expect((await lstat(join(folder, 'postgres'))).isSymbolicLink()).toBe(true)
    const use = await open()
    expect(await ask(use.url, 'select a from kept')).toEqual({ a: 1 })
    await use.close()
    expect(await running()).toBeUndefined()
  } finally {
    await rm(dirname(data), { recursive: true })
  }
})

it('says so when its password is lost, and does not keep running', async () => {
  await useMade()
  await (await open()).close()
  await rm(join(folder, 'postgres-password'))
  await expect(open()).rejects.toThrow(/refuses the password in .*postgres-password/)
  expect(await running()).toBeUndefined()
})

it('is the database when none is configured, with a secret key that is generated once, for one service', async () => {
  await useMade()
  const config = {
    databaseUrl: undefined,
    poolerUrl: undefined,
    secretKey: undefined,
    otherSecretKeys: [],
    dataDir: folder,
  }
  const service = await openDatabase(config, log, true)
  const command = await openDatabase(config, log)
  await expect(openDatabase(config, log, true)).rejects.toThrow(`a service already runs on ${folder}; stop it`)
  expect(service.embedded).toBe(true)
  expect(command.secretKey).toBe(service.secretKey)
  expect(service.secretKey.length).toBeGreaterThanOrEqual(32)
  expect((await stat(join(folder, 'secret-key'))).mode & 0o777).toBe(0o600)
  await Promise.all([service.close(), command.close()])
  const given = await openDatabase({ ...config, secretKey: 'g'.repeat(32) }, log)
  expect(given.secretKey).toBe('g'.repeat(32))
  await given.close()
})

/** Opens the server in another process, which then does nothing. */
async function openInChild(): Promise<ChildProcess> {
  const source = (path: string) => JSON.stringify(join(import.meta.dirname, '../../src', path))
  const program = `
    const { openEmbedded } = await import(${source('embedded/server.ts')})
    const { makeLogger } = await import(${source('log.ts')})
    await openEmbedded(${JSON.stringify(folder)}, makeLogger({ level: 'silent' }))
    process.stdout.write('ready')
    // If the test's process is killed, this one ends, too.
    process.stdin.resume().on('end', () => process.exit())`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['pipe', 'pipe', 'inherit'] })
  children = [...children, child]
  await once(child.stdout, 'data')
  return child
}
