import { afterAll, beforeAll, expect, test } from 'vitest'
import { roleUrl } from '../../src/database/roles.ts'
import { type EmbeddedServer, openEmbedded } from '../../src/embedded/server.ts'
import { makeLogger } from '../../src/log.ts'
import { migrate } from '../../src/migration/migrate.ts'
import { envFor, runCli } from '../cli/run.ts'
import { type Cast, createCast } from '../support/cast.ts'
import { stopServerOf } from '../support/embedded.ts'
import { useFolder } from '../support/folder.ts'
import { type DatabaseProxy, openProxy } from '../support/proxy.ts'
import { ownerUrl, type TestDatabase, testSecretKey } from '../support/server.ts'
import { type Caller, pause, send, untilHealthy } from './load.ts'
import { startLoad } from './steady.ts'
import { type ServiceProcess, startProcess } from './support.ts'

/** The test kills this server, so no other test uses it. */
const log = makeLogger({ level: 'error', fileDescriptor: 2 })
const uses: EmbeddedServer[] = []
const processes: ServiceProcess[] = []
const folder = useFolder()
let database: TestDatabase
let cast: Cast
let callers: Caller[]
let proxy: DatabaseProxy

const useServer = async () => {
  const server = await openEmbedded(folder.path, log)
  uses.push(server)
  return server.url
}

beforeAll(async () => {
  const adminUrl = await useServer()
  await migrate(adminUrl, testSecretKey, log)
  database = {
    name: 'studio_inventory',
    adminUrl,
    urlFor: (role) => (role === 'studio_owner' ? ownerUrl(adminUrl) : roleUrl(adminUrl, role, testSecretKey)),
    drop: async () => undefined,
  }
  cast = await createCast(database)
  callers = [{ token: cast.a.token.token }, { token: cast.b.token.token }]
  proxy = await openProxy(adminUrl)
})

afterAll(async () => {
  for (const service of processes) {
    if (service.alive()) service.signal('SIGKILL')
    await service.ended
  }
  await proxy?.close()
  for (const server of uses) await server.close()
  await stopServerOf(folder.path)
})

async function start(url = database.adminUrl): Promise<ServiceProcess> {
  const service = await startProcess(url)
  processes.push(service)
  return service
}

/** `pg_ctl restart -m immediate` does this: the server leaves without a word, and recovers at the
 * start. */
async function restartImmediately(): Promise<void> {
  await stopServerOf(folder.path, 'SIGQUIT')
  await useServer()
}

test('PostgreSQL is restarted without a goodbye, under load: 503 until it is back, the process stays', async () => {
  const service = await start()
  const seen: string[] = []
  const load = startLoad(service.port, callers, 16, ({ text }, caller) => {
    if (caller === callers[0]) cast.expectNoCanary(text)
    else seen.push(text.slice(0, 50))
  })
  await pause(1_000)
  await restartImmediately()
  const recovered = await untilHealthy(service.port, callers[0] as Caller)
  const outcomes = await load.stop()
  expect(service.alive()).toBe(true)
  expect(seen.length).toBeGreaterThan(0)
  expect(outcomes.filter(({ result }) => result !== 200 && result !== 503)).toEqual([])
  for (const { result, retryAfter } of outcomes) if (result === 503) expect(Number(retryAfter)).toBeGreaterThan(0)
  expect(recovered).toBeLessThan(10_000)
})

test('the database is absent at the start: the service waits for it, says so, and needs no help', async () => {
  await proxy.down()
  const service = await start(proxy.reach(database.adminUrl))
  const caller = callers[0] as Caller
  const early = [await send(service.port, caller), await send(service.port, { token: null, path: '/readyz' })]
  expect(early.map(({ result }) => result)).toEqual([503, 503])
  expect((await send(service.port, { token: null, path: '/healthz' })).result).toBe(200)
  expect((await send(service.metricsPort, { token: null, path: '/readyz' })).result).toBe(503)
  await proxy.up()
  const recovered = await untilHealthy(service.port, caller)
  await expect
    .poll(async () => (await send(service.metricsPort, { token: null, path: '/readyz' })).result, { timeout: 20_000 })
    .toBe(200)
  expect(recovered).toBeLessThan(10_000)
})

test('a wrong password ends the start with one clear line', async () => {
  const { status, stderr } = await runCli(['serve'], {
    ...envFor(database, { PORT: '0' }),
    SECRET_KEY: 'another secret key, of another installation',
  })
  expect(status).toBe(1)
  expect(stderr).toMatch(/^studio-inventory: cannot use .* as studio_api: password authentication failed.*migrate.*\n$/)
})
