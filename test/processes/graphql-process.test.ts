import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import {
  type GraphqlProcess,
  type ProcessOptions,
  startGraphql as startProcess,
} from '../../src/apps/graphql/process.ts'
import { makeLogger } from '../../src/observability/log.ts'
import { asking, optionsFor, startGraphql, tokenOf } from '../graphql/support.ts'
import { openProxy } from '../support/proxy.ts'
import { withClient } from '../support/server.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()
const query = '{ account { name } }'
const answer = { account: { name: 'Attic Sound' } }
let folder: string
const started: GraphqlProcess[] = []

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'studio-inventory-processes-'))
})
afterEach(async () => {
  await Promise.all(started.splice(0).map((graphql) => graphql.close()))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

async function start(more: Partial<ProcessOptions> = {}) {
  const lines: string[] = []
  const log = makeLogger({ level: 'info', stream: { write: (line) => void lines.push(line) } })
  const options = optionsFor(world.database)
  // Where others use the cores the process takes its time to start.
  const patient = { host: '127.0.0.1', port: 0, options, logLevel: 'silent', log, waitMs: 60_000 }
  const graphql = await startProcess({ ...patient, ...more })
  started.push(graphql)
  return { graphql, ask: asking(graphql.port), log: () => lines.join('') }
}

/** A module in place of the process's own. */
async function childOf(name: string, lines: readonly string[]): Promise<URL> {
  const file = join(folder, `${name}.mjs`)
  await writeFile(file, lines.join('\n'))
  return pathToFileURL(file)
}

const itself = new URL('../../src/apps/graphql/child.ts', import.meta.url).href

/** The process of the service, in which something goes wrong a little later, once: the next one may be slow to begin. */
function crashing(name: string, crash: string): Promise<URL> {
  const crashed = JSON.stringify(join(folder, `${name}.crashed`))
  return childOf(name, [
    `import { existsSync, writeFileSync } from 'node:fs'`,
    `await import(${JSON.stringify(itself)})`,
    `if (!existsSync(${crashed})) setTimeout(() => { writeFileSync(${crashed}, ''); ${crash} }, 2500)`,
  ])
}

const isAlive = (pid: number | undefined): boolean => {
  try {
    return pid !== undefined && process.kill(pid, 0)
  } catch {
    return false
  }
}

test('there is no process until somebody connects, whose first query it answers, and none after the end', async () => {
  const { graphql, ask } = await start()
  const token = await tokenOf(world.cast.a)
  await sleep(500)
  expect([graphql.pid(), graphql.poolStats().size]).toEqual([undefined, 0])
  const [first, second] = await Promise.all([ask(query, { token }), ask(query, { token })])
  expect([first.data, second.data]).toEqual([answer, answer])
  const pid = graphql.pid()
  expect(isAlive(pid)).toBe(true)
  await graphql.close()
  expect(isAlive(pid)).toBe(false)
  await expect(ask(query, { token })).rejects.toThrow(/ECONNREFUSED/)
})

test('further connections than MAX_CONNECTIONS are closed on arrival', async () => {
  const options = optionsFor(world.database)
  const config = { ...options.config, maxConnections: 2 }
  const { graphql } = await start({ options: { ...options, config } })
  const open = [1, 2].map(() => connect(graphql.port, '127.0.0.1'))
  await Promise.all(open.map((socket) => once(socket, 'connect')))
  const third = connect(graphql.port, '127.0.0.1')
  // A reset is a close as well.
  third.on('error', () => undefined)
  await once(third, 'close')
  expect(open.map(({ destroyed }) => destroyed)).toEqual([false, false])
  for (const socket of open) socket.destroy()
})

test('/healthz and /readyz are answered by the process as any other request', async () => {
  const { ask } = await start()
  for (const path of ['/readyz', '/healthz']) expect((await ask('', { method: 'GET', path })).status, path).toBe(200)
})

test('at the end a request in flight is answered, and one that waits for the process is told to come again', async () => {
  const { graphql, ask } = await start()
  const token = await tokenOf(world.cast.a)
  await ask(query, { token })
  const pid = graphql.pid()
  const asked = Array.from({ length: 10 }, () => ask(query, { token }))
  await sleep(100)
  await graphql.close()
  for (const reply of await Promise.all(asked)) expect(reply.data).toEqual(answer)
  expect(isAlive(pid)).toBe(false)

  const other = await start({ file: await childOf('silent', ['process.on("message", () => undefined)']) })
  const waits = other.ask(query, { token })
  await sleep(300)
  const closing = other.graphql.close()
  const reply = await waits
  expect([reply.status, reply.headers['retry-after'], reply.headers.connection]).toEqual([503, '2', 'close'])
  expect(reply.errors?.[0]?.extensions.code).toBe('unavailable')
  await closing
}, 60_000)

describe('what goes wrong there leaves the API alone, is logged, and the process is started again:', () => {
  test.each([
    ['an error that nobody handles', 'error', `throw new Error('a defect')`],
    ['a rejection that nobody handles', 'rejection', `Promise.reject(new Error('a defect'))`],
    ['a lack of memory', 'memory', `const garbage = []; for (;;) garbage.push(new Array(1e6).fill(garbage.length))`],
    ['a call to end the process', 'exit', 'process.exit(7)'],
    ['a kill', 'kill', `process.kill(process.pid, 'SIGKILL')`],
  ])(
    '%s',
    async (_what, name, crash) => {
      const { graphql, ask, log } = await start({ file: await crashing(name, crash) })
      const token = await tokenOf(world.cast.a)
      const answered = async () => (await ask(query, { token }).catch(() => ({ status: 0 }))).status
      await answered()
      const first = graphql.pid()
      await expect.poll(log, { timeout: 60_000, interval: 20 }).toContain('the GraphQL process failed and is restarted')
      expect((await world.get('/v1/account')).status).toBe(200)
      await expect.poll(answered, { timeout: 90_000, interval: 20 }).toBe(200)
      expect(graphql.pid()).not.toBe(first)
    },
    180_000,
  )
})

test('a request in flight when the process fails is answered with 503', async () => {
  const { graphql, ask, log } = await start()
  const token = await tokenOf(world.cast.a)
  expect((await ask(query, { token })).status).toBe(200)
  // Its rows wait for this lock, so it is in flight for as long as we like.
  await withClient(world.database.adminUrl, async (admin) => {
    await admin.query('begin; lock table app.studios in access exclusive mode')
    const asked = Array.from({ length: 2 }, () => ask(query, { token }))
    const waiting = `select count(*)::int as n from pg_stat_activity where usename = 'studio_graphql' and wait_event_type = 'Lock'`
    await expect.poll(async () => (await admin.query(waiting)).rows[0].n, { timeout: 20_000 }).toBeGreaterThan(0)
    process.kill(graphql.pid() ?? 0, 'SIGKILL')
    for (const reply of await Promise.all(asked)) {
      expect([reply.status, reply.headers['retry-after'], reply.headers.connection]).toEqual([503, '2', 'close'])
      expect(reply.errors?.[0]?.extensions.code).toBe('unavailable')
    }
  })
  expect(log()).toContain('the GraphQL process failed and is restarted')
}, 60_000)

test('where the process cannot start, requests get a 503 after a while, and it is tried less and less often', async () => {
  const { ask, log } = await start({ file: await childOf('broken', ['process.exit(3)']), waitMs: 700 })
  expect((await ask(query)).status).toBe(503)
  expect((await ask('', { method: 'GET', path: '/healthz' })).status).toBe(503)
  await expect.poll(log, { timeout: 10_000 }).toContain('"backoff_ms":1000')
  expect(log()).toContain('"code":3')
})

test('a process that nobody is connected to is ended after a while, and the next connection starts another', async () => {
  const { graphql, ask, log } = await start({ idleMs: 300 })
  const token = await tokenOf(world.cast.a)
  expect((await ask(query, { token, headers: { Connection: 'close' } })).data).toEqual(answer)
  const first = graphql.pid()
  await expect.poll(() => isAlive(first), { timeout: 10_000 }).toBe(false)
  expect(graphql.pid()).toBe(undefined)
  expect(log()).not.toContain('failed')
  expect((await ask(query, { token })).data).toEqual(answer)
  expect(graphql.pid()).not.toBe(first)
})

test('clients get the limits of any listener: half-closed connections are answered, mute ones are cut', async () => {
  const { graphql, ask } = await start()
  await ask('', { method: 'GET', path: '/healthz' })
  const socket = connect({ port: graphql.port, host: '127.0.0.1', allowHalfOpen: true })
  socket.end('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n')
  const text = String(Buffer.concat(await socket.toArray()))
  expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n/)

  const mute = connect({ port: graphql.port, host: '127.0.0.1' })
  mute.write('GET /healthz HTTP/1.1\r\n')
  const cut = String(Buffer.concat(await mute.toArray()))
  expect(cut).toMatch(/^HTTP\/1\.1 408 /)
}, 40_000)

test('more connections than are allowed are closed on arrival', async () => {
  const options = optionsFor(world.database)
  const { graphql } = await start({ options: { ...options, config: { ...options.config, maxConnections: 2 } } })
  const open = [1, 2].map(() => connect(graphql.port, '127.0.0.1'))
  for (const socket of open) {
    // An answer says that the process has accepted the connection.
    socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n')
    await once(socket, 'data')
  }
  const third = connect(graphql.port, '127.0.0.1')
  third.on('error', () => undefined)
  await once(third, 'close')
  for (const socket of open) {
    expect(socket.readyState).toBe('open')
    socket.destroy()
  }
})

test('nothing is left of it when the process that started it is killed', async () => {
  const file = join(folder, 'parent.ts')
  const pidFile = join(folder, 'child.pid')
  const source = (path: string) => JSON.stringify(new URL(`../../src/${path}`, import.meta.url).href)
  const options = optionsFor(world.database)
  const lines = [
    `import { writeFileSync } from 'node:fs'`,
    `import { startGraphql } from ${source('apps/graphql/process.ts')}`,
    `import { makeLogger } from ${source('observability/log.ts')}`,
    `const log = makeLogger({ level: 'silent' })`,
    `const graphql = await startGraphql({ host: '127.0.0.1', port: 0, options: ${JSON.stringify(options)}, logLevel: 'silent', log })`,
    `await fetch(\`http://127.0.0.1:\${graphql.port}/healthz\`)`,
    `writeFileSync(${JSON.stringify(pidFile)}, String(graphql.pid()))`,
  ]
  await writeFile(file, lines.join('\n'))
  const parent = spawn(process.execPath, [file], { stdio: 'ignore' })
  await expect.poll(() => readFile(pidFile, 'utf8').catch(() => ''), { timeout: 20_000 }).toMatch(/^\d+$/)
  const pid = Number(await readFile(pidFile, 'utf8'))
  expect(isAlive(pid)).toBe(true)
  parent.kill('SIGKILL')
  await expect.poll(() => isAlive(pid), { timeout: 10_000 }).toBe(false)
}, 60_000)

test('a port that another program uses is reported at once', async () => {
  const other = createServer()
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  const address = other.address()
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0
  await expect(start({ port })).rejects.toThrow(`port ${port} is taken: set GRAPHQL_PORT to another`)
  other.close()
})

test('while the database is away requests are answered with 503, and the schema is built when it comes', async () => {
  const proxy = await openProxy(world.database.adminUrl)
  await proxy.down()
  const databaseUrl = proxy.reach(world.database.urlFor('studio_graphql'))
  const service = await startGraphql(world.database, { databaseUrl })
  try {
    const token = await tokenOf(world.cast.a)
    const reply = await service.ask(query, { token })
    expect([reply.status, reply.headers['retry-after']]).toEqual([503, '2'])
    expect((await service.ask('', { method: 'GET', path: '/healthz' })).status).toBe(200)
    expect((await service.ask('', { method: 'GET', path: '/readyz' })).status).toBe(503)

    await proxy.up()
    await expect.poll(async () => (await service.ask(query, { token })).status, { timeout: 15_000 }).toBe(200)

    await proxy.down()
    expect((await service.ask(query, { token })).status).toBe(503)
    await proxy.up()
    await expect.poll(async () => (await service.ask(query, { token })).status, { timeout: 15_000 }).toBe(200)
  } finally {
    await service.stop()
    await proxy.close()
  }
})
