import { spawn } from 'node:child_process'
import { type AddressInfo, createServer } from 'node:net'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { findPort } from '../../src/http/listener.ts'
import { expectRefused } from '../cli/here.ts'
import { envFor, runCli } from '../cli/run.ts'
import { startProcess } from '../faults/support.ts'
import { asking, startGraphql, tokenOf } from '../graphql/support.ts'
import { runs, statusOf } from '../support/embedded.ts'
import { useFolder } from '../support/folder.ts'
import { openProxy } from '../support/proxy.ts'
import { withClient } from '../support/server.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()
const query = '{ account { name } }'
const answer = { account: { name: 'Attic Sound' } }
const folder = useFolder()

/** Whether it is ready; queries would count against the limit of their person. */
const statusAt = (port: number) => statusOf(`http://127.0.0.1:${port}/readyz`)

const started = async (env: Record<string, string> = {}) => {
  const graphql = await startProcess(world.database.adminUrl, env, 'graphql')
  onTestFinished(() => graphql.signal('SIGKILL'))
  await expect.poll(() => statusAt(graphql.port), { timeout: 30_000 }).toBe(200)
  return graphql
}

describe('studio-inventory graphql', () => {
  test('answers, is healthy and ready, has its own metrics, and finishes requests at the end', async () => {
    const graphql = await started()
    for (const port of [graphql.port, graphql.metricsPort]) {
      for (const path of ['/healthz', '/readyz']) {
        expect([path, await statusOf(`http://127.0.0.1:${port}${path}`)]).toEqual([path, 200])
      }
    }
    const token = await tokenOf(world.cast.a)
    expect((await asking(graphql.port)(query, { token })).data).toEqual(answer)
    await expect
      .poll(() => graphql.metric('requests_total{operation="graphql",status="200"}'), { timeout: 10_000 })
      .toBe(1)
    expect(await graphql.metric('pool_size{pool="studio_graphql"}')).toBeGreaterThan(0)

    const asked = await withClient(world.database.adminUrl, async (admin) => {
      // Its rows wait for this lock, so the query runs as long as the test wants.
      await admin.query('begin; lock table app.studios in access exclusive mode')
      const reply = asking(graphql.port)(query, { token })
      const waiting = `select from pg_stat_activity where usename = 'studio_graphql' and wait_event_type = 'Lock'`
      await expect.poll(async () => (await admin.query(waiting)).rowCount, { timeout: 20_000 }).toBeGreaterThan(0)
      graphql.signal('SIGTERM')
      await vi.waitUntil(() => graphql.output().includes('"msg":"stopping"'), { timeout: 10_000 })
      return { reply }
    })
    expect((await asked.reply).data).toEqual(answer)
    expect(await graphql.ended).toMatchObject({ status: 0, stderr: '' })
  }, 90_000)

  test('says in one line that its port is taken, and that its login is refused', async () => {
    const other = createServer()
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void other.close())
    const port = String((other.address() as AddressInfo).port)
    const taken = await runCli(['graphql'], envFor(world.database, { GRAPHQL_PORT: port }))
    expectRefused(taken, `port ${port} is taken: set GRAPHQL_PORT to another`)
    const wrong = { GRAPHQL_PORT: '0', SECRET_KEY: 'another secret, of more than 32 characters' }
    const refused = await runCli(['graphql'], envFor(world.database, wrong))
    expect(refused.status).toBe(1)
    expect(refused.stderr).toMatch(/run studio-inventory migrate with the same DATABASE_URL and SECRET_KEY\n$/)
  })
})

/** A service that starts GraphQL beside itself, and the processes of GraphQL by its log. */
async function startBeside() {
  const source = (path: string) => JSON.stringify(new URL(`../../src/${path}`, import.meta.url).href)
  const port = await findPort('127.0.0.1', 0)
  const file = await folder.file(
    'service.ts',
    `import { readConfig } from ${source('config/config.ts')}
     import { makeLogger } from ${source('log.ts')}
     import { startGraphql } from ${source('service/graphql-child.ts')}
     const { ready } = startGraphql(readConfig(), ${port}, makeLogger({ level: 'info' }))
     ready.then(() => process.stdout.write('it answers'))
     setInterval(() => undefined, 1_000)`,
  )
  const env = { ...process.env, ...envFor(world.database), NODE_ENV: 'production' }
  const service = spawn(process.execPath, [file], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void service.kill('SIGKILL'))
  let log = ''
  service.stdout.on('data', (text) => {
    log += text
  })
  const pids = () => [...log.matchAll(/"pid":(\d+),.*"GraphQL is listening"/g)].map(([, pid]) => Number(pid))
  await expect.poll(() => log, { timeout: 60_000 }).toContain('it answers')
  expect(await statusAt(port)).toBe(200)
  return { service, port, pids, log: () => log }
}

test('next to a service it is started again after it was killed, and nothing of it is left when the service is killed', async () => {
  const { service, port, pids, log } = await startBeside()
  process.kill(pids()[0] ?? 0, 'SIGKILL')
  await expect.poll(() => pids().length, { timeout: 60_000 }).toBe(2)
  await expect.poll(() => statusAt(port), { timeout: 30_000 }).toBe(200)
  expect(log()).toContain('"signal":"SIGKILL","msg":"the GraphQL process has failed; it is started again"')
  expect(log().split('has failed')).toHaveLength(2)
  service.kill('SIGKILL')
  await expect.poll(() => runs(pids()[1] ?? 0), { timeout: 20_000 }).toBe(false)
}, 180_000)

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

    const asked = async () => (await service.ask(query, { token })).status
    await proxy.up()
    await expect.poll(asked, { timeout: 15_000 }).toBe(200)
    await proxy.down()
    expect(await asked()).toBe(503)
    await proxy.up()
    await expect.poll(asked, { timeout: 15_000 }).toBe(200)
  } finally {
    await service.stop()
    await proxy.close()
  }
})
