import { createHash, randomBytes } from 'node:crypto'
import { rename, rm, stat } from 'node:fs/promises'
import { dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { withClient } from '../../database/client.ts'
import { isRefusedLogin, sqlState } from '../../database/errors.ts'
import type { Logger } from '../../observability/log.ts'
import { identify, isRunning } from '../../process/identity.ts'
import { type Account, mayEnter, serverAccount } from './account.ts'
import { type Binaries, findBinaries } from './binaries.ts'
import { type Cluster, createCluster } from './cluster.ts'
import { isFolder, keepSecret, makeFolder, readState, type State, writeState } from './files.ts'
import { withLock } from './lock.ts'
import { findServer, type RunningServer, type ServerSettings, startServer, stopServer } from './running.ts'

export type EmbeddedServer = {
  /** The superuser's connection string. */
  url: string
  /** What runs now. */
  server: RunningServer
  /** Finds the server, or starts it when it has ended; on its port, if that is free. */
  start(): Promise<RunningServer>
  /** Ends this use of the server; the last user's end stops it. */
  close(): Promise<void>
}

/** For tests: other settings, or the programs of another PostgreSQL. */
export type EmbeddedOptions = { settings?: ServerSettings; binaries?: Binaries; locale?: string[] }

const database = 'studio_inventory'

/** Where programs and data go when the server's account cannot enter the checkout. */
const reachableFolder = '/var/lib/studio-inventory'

/**
 * Gives the use of the PostgreSQL server that lives in a data folder: makes it, starts it, or joins the one that runs,
 * also when the process that started it is gone. It listens on 127.0.0.1 only and asks for a password.
 *
 * @throws with one sentence that says what to do when there can be no server here
 */
export async function openEmbedded(
  dataFolder: string,
  log: Logger,
  options: EmbeddedOptions = {},
): Promise<EmbeddedServer> {
  const lockFile = join(dataFolder, 'embedded.lock')
  const user = `${await identify(process.pid)}#${randomBytes(4).toString('hex')}`
  try {
    await makeFolder(dataFolder)
    const start = () => withLock(lockFile, () => enter(dataFolder, user, log, options))
    const { url, server } = await start()
    return {
      url,
      server,
      start: async () => (await start()).server,
      close: () => withLock(lockFile, () => leave(dataFolder, user, log)),
    }
  } catch (error) {
    throw explained(error, dataFolder)
  }
}

type Entered = { url: string; server: RunningServer }

/** Puts a user on the list of a server that runs, makes or starts one before that, and gives its connection string. */
async function enter(dataFolder: string, user: string, log: Logger, options: EmbeddedOptions): Promise<Entered> {
  const state = await readState(stateFile(dataFolder))
  const cluster = await clusterFor(dataFolder, state, options)
  const password = await keepSecret(passwordFile(dataFolder))
  if (!(await isFolder(cluster.directory))) {
    log.info({ directory: cluster.directory }, 'making a new embedded PostgreSQL')
    await createCluster(cluster, password, options.locale)
  }
  const found = await findServer(cluster.directory)
  const server = found ?? (await startServer(cluster, state?.port, options.settings))
  const { port } = server
  log.debug({ port, joined: found !== undefined }, 'embedded PostgreSQL is ready')
  const others = (state?.users ?? []).filter((other) => other !== user)
  const users = [...(await stillRunning(others)), user]
  await writeState(stateFile(dataFolder), { dataDirectory: fromFolder(dataFolder, cluster.directory), port, users })
  const base = `postgresql://postgres:${password}@127.0.0.1:${port}`
  try {
    await ensureDatabase(base)
  } catch (error) {
    // One that was killed a moment ago can still be found, and is gone when it is asked: then another one is started.
    if (found !== undefined && (await findServer(cluster.directory)) === undefined) {
      return enter(dataFolder, user, log, options)
    }
    await leave(dataFolder, user, log)
    throw error
  }
  return { url: `${base}/${database}`, server }
}

/** Takes a user off the list; when nobody is left, the server stops. */
async function leave(dataFolder: string, user: string, log: Logger): Promise<void> {
  const state = await readState(stateFile(dataFolder))
  if (state === undefined) return
  const users = await stillRunning(state.users.filter((other) => other !== user))
  await writeState(stateFile(dataFolder), { ...state, users })
  if (users.length > 0) return
  const server: RunningServer | undefined = await findServer(resolve(dataFolder, state.dataDirectory))
  if (server === undefined) return
  await stopServer(server)
  log.debug('embedded PostgreSQL has stopped')
}

async function clusterFor(dataFolder: string, state: State | undefined, options: EmbeddedOptions): Promise<Cluster> {
  const known = state && resolve(dataFolder, state.dataDirectory)
  const account = await serverAccount(known, dataFolder)
  const home = known && (await isFolder(known)) ? dirname(known) : await newHome(account, dataFolder)
  const binaries = options.binaries ?? (await findBinaries(account, reachableFolder))
  return { directory: join(home, 'postgres'), logFile: join(home, 'postgres.log'), binaries, account }
}

/** The data folder itself, or a folder of its own elsewhere when the account cannot enter it. */
async function newHome(account: Account, dataFolder: string): Promise<string> {
  if (account === undefined || (await mayEnter(account, dataFolder))) return dataFolder
  const home = join(reachableFolder, createHash('sha256').update(dataFolder).digest('hex').slice(0, 16))
  await makeFolder(reachableFolder)
  await makeFolder(home)
  await setAsideUnknown(dataFolder, join(home, 'postgres'))
  return home
}

/** The data folder was removed to start afresh, its password with it, but the data had been put elsewhere. */
async function setAsideUnknown(dataFolder: string, directory: string): Promise<void> {
  const passwordKept = (await stat(passwordFile(dataFolder)).catch(() => undefined)) !== undefined
  if (passwordKept || !(await isFolder(directory))) return
  const server = await findServer(directory)
  if (server !== undefined) await stopServer(server)
  await rm(`${directory}.previous`, { recursive: true, force: true })
  await rename(directory, `${directory}.previous`)
}

function stateFile(dataFolder: string): string {
  return join(dataFolder, 'embedded.json')
}

function passwordFile(dataFolder: string): string {
  return join(dataFolder, 'postgres-password')
}

async function ensureDatabase(base: string): Promise<void> {
  try {
    await withClient(`${base}/${database}`, async () => undefined)
  } catch (error) {
    if (sqlState(error) !== '3D000') throw error
    await withClient(`${base}/postgres`, (client) => client.query(`create database ${database}`))
  }
}

async function stillRunning(users: string[]): Promise<string[]> {
  const running = await Promise.all(users.map((user) => isRunning(user.split('#')[0] ?? '')))
  return users.filter((_, index) => running[index])
}

/** Relative when it lies below the data folder, so that the folder can be moved. */
function fromFolder(dataFolder: string, directory: string): string {
  const path = relative(dataFolder, directory)
  return path.startsWith('..') || isAbsolute(path) ? directory : path
}

function explained(error: unknown, dataFolder: string): unknown {
  const code = (error as NodeJS.ErrnoException).code
  if (code === 'EACCES' || code === 'EPERM') {
    return new Error(
      `the data folder ${dataFolder} cannot be used by this user (${(error as Error).message}); start as its owner, or set DATA_DIR to another folder`,
    )
  }
  if (isRefusedLogin(error)) {
    return new Error(
      `the embedded PostgreSQL refuses the password in ${passwordFile(dataFolder)}: the file does not belong to this database (${(error as Error).message})`,
    )
  }
  return error
}
