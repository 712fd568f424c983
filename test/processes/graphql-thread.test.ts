import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startGraphql as startThread } from '../../src/apps/graphql/thread.ts'
import { findPort } from '../../src/http/listener.ts'
import { makeLogger } from '../../src/observability/log.ts'
import { asking, optionsFor, startGraphql, tokenOf } from '../graphql/support.ts'
import { openProxy } from '../support/proxy.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()
const query = '{ account { name } }'
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'studio-inventory-processes-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

async function start(file?: URL) {
  const port = await findPort('127.0.0.1', 0)
  const lines: string[] = []
  const log = makeLogger({ level: 'info', stream: { write: (line) => void lines.push(line) } })
  const options = { ...optionsFor(world.database), port }
  const thread = await startThread({ options, logLevel: 'silent', log, ...(file && { file }) })
  return { thread, ask: asking(port), log: () => lines.join('') }
}

/** The thread of the service, in which something goes wrong a little later, once: the next one may be slow to begin. */
async function crashing(crash: string): Promise<URL> {
  const worker = new URL('../../src/apps/graphql/worker.ts', import.meta.url).href
  const file = join(folder, `${crash.length}.mjs`)
  const lines = [
    `import { existsSync, writeFileSync } from 'node:fs'`,
    `await import(${JSON.stringify(worker)})`,
    `const crashed = ${JSON.stringify(`${file}.crashed`)}`,
    `if (!existsSync(crashed)) setTimeout(() => { writeFileSync(crashed, ''); ${crash} }, 2500)`,
  ]
  await writeFile(file, lines.join('\n'))
  return pathToFileURL(file)
}

test('GraphQL is answered from a thread of its own, which shuts down gracefully', async () => {
  const { thread, ask } = await start()
  const token = await tokenOf(world.cast.a)
  await expect
    .poll(async () => (await ask(query, { token })).data, { timeout: 15_000 })
    .toEqual({ account: { name: 'Attic Sound' } })
  await thread.close()
  await expect(ask(query, { token })).rejects.toThrow(/ECONNREFUSED/)
})

test.each([
  ['an error that nobody handles', `throw new Error('a defect')`],
  ['a rejection that nobody handles', `Promise.reject(new Error('a defect'))`],
  ['a lack of memory', `const garbage = []; for (;;) garbage.push(new Array(1e6).fill(garbage.length))`],
  ['a call to end the process', 'process.exit(7)'],
])(
  '%s there leaves the API alone, and the thread restarts',
  async (_what, crash) => {
    const { thread, ask, log } = await start(await crashing(crash))
    try {
      const token = await tokenOf(world.cast.a)
      const answered = async () => (await ask(query, { token }).catch(() => ({ status: 0 }))).status
      await expect.poll(() => log(), { timeout: 20_000, interval: 20 }).toContain('restarted')
      expect((await world.get('/v1/account')).status).toBe(200)
      await expect.poll(answered, { timeout: 15_000, interval: 20 }).toBe(200)
    } finally {
      await thread.close()
    }
  },
  60_000,
)

test('a port that another program uses is reported at once', async () => {
  const other = createServer()
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  const address = other.address()
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0
  const log = makeLogger({ level: 'silent' })
  const starting = startThread({ options: { ...optionsFor(world.database), port }, logLevel: 'silent', log })
  await expect(starting).rejects.toThrow(`port ${port} is taken: set GRAPHQL_PORT to another`)
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
