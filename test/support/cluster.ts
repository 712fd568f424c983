import { access, chmod, constants, mkdtemp, readdir, rm, statfs } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { openEmbedded } from '../../src/embedded/server.ts'
import { makeLogger } from '../../src/log.ts'
import { migrate } from '../../src/migration/migrate.ts'
import { runs, stopServerOf } from './embedded.ts'
import { databaseUrl, testSecretKey, withClient } from './server.ts'

/** A PostgreSQL server for one run of the tests. */
export type TestCluster = { kind: string; adminUrl: string; stop(): Promise<void> }

/** A server of the test file's own with a migrated database `name` on it: roles, which the audit
 * looks at, belong to the whole server. To be called at the top. */
export function useCluster(name: string): { cluster: TestCluster; url: string } {
  const own = {} as ReturnType<typeof useCluster>
  beforeAll(async () => {
    own.cluster = await startCluster({ TEST_POSTGRES_BIN: process.env.TEST_POSTGRES_BIN })
    own.url = await makeDatabase(own.cluster.adminUrl, name)
  }, 120_000)
  afterAll(() => own.cluster?.stop())
  return own
}

/** Makes a database on a server by the migrations, as a user with the password x if one is named.
 * Returns its connection string. */
export async function makeDatabase(serverUrl: string, name: string, owner = ''): Promise<string> {
  await withClient(serverUrl, (admin) => admin.query(`create database ${name} ${owner && `owner ${owner}`}`))
  const url = new URL(databaseUrl(serverUrl, name))
  if (owner) Object.assign(url, { username: owner, password: 'x' })
  await migrate(url.href, testSecretKey, makeLogger({ level: 'error', fileDescriptor: 2 }))
  const mutation = process.env.TEST_MUTATION_SQL
  if (mutation) await withClient(url.href, (admin) => admin.query(mutation))
  return url.href
}

/** Nothing here has to survive a power failure. */
const hurried = {
  fsync: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'off',
  // For what a transaction does that is prepared; usually a server has none.
  max_prepared_transactions: '20',
  // PostgreSQL's workers would visit some two hundred databases, one every third of a second.
  autovacuum_naptime: '1h',
}

/** TEST_DATABASE_URL, else a container where an engine answers, else the embedded server, with
 * the programs in TEST_POSTGRES_BIN. */
export async function startCluster(env: NodeJS.ProcessEnv): Promise<TestCluster> {
  const url = env.TEST_DATABASE_URL
  if (url) return { kind: 'TEST_DATABASE_URL', adminUrl: url, stop: async () => undefined }
  const programs = env.TEST_POSTGRES_BIN
  if (!programs && (await engineAnswers(env))) {
    try {
      return await startContainer()
    } catch (error) {
      console.warn(`no container could be started (${(error as Error).message}); using the embedded server`)
    }
  }
  return startEmbedded(programs)
}

/** The one that compose.yaml names. */
const postgresImage = 'postgres:18'

/** Its number is this process's: a later test run removes what is left of one that was killed. */
const folderPrefix = 'studio-inventory-test-of-'

async function startEmbedded(programs: string | undefined): Promise<TestCluster> {
  await Promise.all([memory, tmpdir()].map(removeAbandoned))
  const folder = await mkdtemp(join((await hasRoom(memory)) ? memory : tmpdir(), `${folderPrefix}${process.pid}-`))
  // As root the server runs as another user, who has to get in.
  await chmod(folder, 0o755)
  const options = programs ? { settings: hurried, programs } : { settings: hurried }
  const server = await openEmbedded(folder, makeLogger({ level: 'warn', fileDescriptor: 2 }), options)
  return {
    kind: programs ?? 'embedded',
    adminUrl: server.url,
    stop: async () => {
      await server.close()
      await stopServerOf(folder)
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** In memory a database is copied in a tenth of the time that a disk takes. */
const memory = '/dev/shm'

/** Whether the folder is writable and has two gigabytes free. A container has 64 MB by default. */
async function hasRoom(folder: string): Promise<boolean> {
  try {
    await access(folder, constants.W_OK)
    const { bavail, bsize } = await statfs(folder)
    return bavail * bsize > 2 * 1024 ** 3
  } catch {
    return false
  }
}

/** Removes what a killed run has left behind: its folder, and the server in it. */
async function removeAbandoned(parent: string): Promise<void> {
  for (const name of await readdir(parent).catch(() => [])) {
    const owner = Number(name.startsWith(folderPrefix) ? name.slice(folderPrefix.length).split('-')[0] : Number.NaN)
    if (Number.isNaN(owner) || (await runs(owner))) continue
    const folder = join(parent, name)
    await stopServerOf(folder).catch(() => undefined)
    await rm(folder, { recursive: true, force: true }).catch(() => undefined)
  }
}

async function startContainer(): Promise<TestCluster> {
  const { GenericContainer, Wait } = await import('testcontainers')
  const settings = Object.entries({ ...hurried, max_connections: '200' }).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ])
  const container = await new GenericContainer(postgresImage)
    .withEnvironment({ POSTGRES_PASSWORD: 'postgres' })
    .withCommand(['postgres', ...settings])
    .withExposedPorts(5432)
    // The image starts the server twice: once to set it up, once to stay.
    .withWaitStrategy(Wait.forLogMessage(/ready to accept connections/, 2))
    .start()
  return {
    kind: `container ${postgresImage}`,
    adminUrl: `postgres://postgres:postgres@${container.getHost()}:${container.getMappedPort(5432)}/postgres`,
    stop: async () => {
      await container.stop()
    },
  }
}

/** Asks the engine itself, for two seconds at most. */
async function engineAnswers(env: NodeJS.ProcessEnv): Promise<boolean> {
  const host = env.DOCKER_HOST ? URL.parse(env.DOCKER_HOST) : null
  const sockets = host?.protocol === 'unix:' ? [host.pathname] : ['/var/run/docker.sock']
  if (env.XDG_RUNTIME_DIR) sockets.push(join(env.XDG_RUNTIME_DIR, 'docker.sock'))
  if (env.HOME) sockets.push(join(env.HOME, '.docker/run/docker.sock'))
  const places =
    host?.protocol === 'tcp:'
      ? [{ host: host.hostname, port: Number(host.port || 2375) }]
      : sockets.map((socketPath) => ({ socketPath }))
  const answers = await Promise.all(places.map(ping))
  return answers.includes(true)
}

function ping(place: { socketPath: string } | { host: string; port: number }): Promise<boolean> {
  return new Promise((resolve) => {
    const asking = request({ ...place, path: '/_ping', timeout: 2000 }, (response) => {
      response.resume()
      resolve(response.statusCode === 200)
    })
    asking.on('timeout', () => asking.destroy())
    asking.on('error', () => resolve(false))
    asking.end()
  })
}
