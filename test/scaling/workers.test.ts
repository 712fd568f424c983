import { request } from 'node:http'
import { beforeAll, expect, test, vi } from 'vitest'
import { enterStudio } from '../../src/database/session.ts'
import { findPort } from '../../src/http/listener.ts'
import { isRunning } from '../../src/process/identity.ts'
import { envFor, runCli } from '../cli/run.ts'
import { printTable } from '../support/table.ts'
import { useWorld } from '../support/world.ts'
import { childrenOf, endProcesses, type Instance, logOf, startInstance, startRedis } from './processes.ts'

const world = useWorld()
endProcesses()

let env: Record<string, string>
beforeAll(async () => {
  const redis = await startRedis()
  env = envFor(world.database, { WORKERS: '2', REDIS_URL: redis.url, POOL_SIZE: '2' })
})

/** One request on a connection of its own: connections go to the workers in turn. */
function ask(
  { port }: Instance,
  path: string,
  token = world.cast.a.token.token,
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const headers = { Authorization: `Bearer ${token}`, Connection: 'close' }
    const asking = request({ host: '127.0.0.1', port, path, headers, agent: false }, async (response) => {
      resolve({ status: response.statusCode ?? 0, text: Buffer.concat(await response.toArray()).toString() })
    })
    asking.on('error', reject)
    asking.end()
  })
}

/** Leaves an item of A with a value of long ago, which the refresh corrects. */
const makeValueDue = () =>
  world.asOwner(async (transaction) => {
    await enterStudio(transaction, world.cast.a.id)
    await transaction.query(
      `update app.item_valuations set current_estimated_value = current_estimated_value + 1, revalue_on = '2000-01-01'
       where item_id = (select item_id from app.item_valuations where current_estimated_value is not null limit 1)`,
    )
  })

const listening = (instance: Instance) =>
  logOf(instance)
    .filter(({ msg }) => msg === 'listening')
    .map(({ worker }) => worker)

test('two workers answer on one port and name themselves; each has an admin port, and the first alone opens GraphQL and refreshes values', async () => {
  const [graphqlPort, metricsPort] = [await findPort('127.0.0.1', 0), await findPort('127.0.0.1', 0)]
  const ports = { GRAPHQL_PORT: String(graphqlPort), METRICS_PORT: String(metricsPort) }
  await makeValueDue()
  const instance = await startInstance({ ...env, ...ports })
  await vi.waitFor(() => expect(listening(instance)).toEqual([1, 2]), { timeout: 15_000 })
  for (const own of [metricsPort, metricsPort + 1]) {
    expect((await fetch(`http://127.0.0.1:${own}/metrics`)).status).toBe(200)
  }
  await Promise.all(Array.from({ length: 12 }, () => ask(instance, '/v1/items')))
  await vi.waitFor(() => {
    const answered = logOf(instance).filter(({ path, status }) => JSON.stringify([path, status]).includes('200'))
    expect(new Set(answered.map(({ worker }) => worker))).toEqual(new Set([1, 2]))
  })
  await vi.waitFor(() => {
    const refreshed = logOf(instance).filter(({ msg }) => msg === 'refreshed valuations')
    expect(refreshed.map(({ worker }) => worker)).toEqual([1])
  })
  instance.child.kill('SIGTERM')
  const { status, stderr } = await instance.ended
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  const stopped = logOf(instance).filter(({ msg }) => msg === 'stopped')
  expect(stopped.map(({ worker }) => worker).toSorted()).toEqual([1, 2, undefined])
})

test('a token has one quota, whichever worker it meets', async () => {
  const instance = await startInstance({ ...env, RATE_LIMIT_STUDIO_PER_MINUTE: '30', RATE_LIMIT_PRO_PER_MINUTE: '30' })
  await vi.waitFor(() => expect(listening(instance)).toEqual([1, 2]), { timeout: 15_000 })
  const { token } = await world.newStudio()
  const statuses: number[] = []
  for (let count = 0; count < 40; count += 1) statuses.push((await ask(instance, '/v1/account', token)).status)
  const admitted = statuses.filter((status) => status === 200).length
  printTable('One quota of two workers', [{ connections: statuses.length, quota: 30, admitted }])
  // Until a worker has met the token it does not know its plan, and 20 requests in a second are a limit too.
  expect(admitted).toBeLessThanOrEqual(30)
  expect(statuses.at(-1)).toBe(429)
})

test('a worker that dies is replaced, and the other answers meanwhile; a SIGTERM ends them all', async () => {
  const instance = await startInstance(env)
  await vi.waitFor(() => expect(listening(instance)).toEqual([1, 2]), { timeout: 15_000 })
  const before = await childrenOf(instance.child)
  expect(before).toHaveLength(2)
  process.kill(before[0] ?? 0, 'SIGKILL')
  await vi.waitFor(() => expect(logOf(instance).map(({ msg }) => msg)).toContain('a worker ended and is replaced'))
  for (let count = 0; count < 5; count += 1) expect((await ask(instance, '/v1/account')).status).toBe(200)
  await vi.waitFor(() => expect(listening(instance)).toEqual([1, 2, 1]), { timeout: 15_000 })
  const after = await childrenOf(instance.child)
  expect(after).toHaveLength(2)
  expect(after).not.toContain(before[0])
  instance.child.kill('SIGTERM')
  expect((await instance.ended).status).toBe(0)
  for (const pid of after) expect(await isRunning(`${pid}@`)).toBe(false)
})

test('workers whose supervisor is gone end', async () => {
  const instance = await startInstance(env)
  await vi.waitFor(() => expect(listening(instance)).toEqual([1, 2]), { timeout: 15_000 })
  const workers = await childrenOf(instance.child)
  instance.child.kill('SIGKILL')
  await vi.waitFor(async () => {
    for (const pid of workers) expect(await isRunning(`${pid}@`)).toBe(false)
  }, 10_000)
})

test('an error that keeps a worker from starting is printed once, and ends the start', async () => {
  const port = String(await findPort('127.0.0.1', 0))
  const { status, stderr } = await runCli(['serve'], {
    ...env,
    PORT: port,
    SECRET_KEY: 'another secret key than the roles have',
  })
  expect(status).toBe(1)
  expect(stderr.trim().split('\n')).toEqual([
    expect.stringMatching(
      /^studio-inventory: cannot use the PostgreSQL database .* as studio_api: .*; run studio-inventory migrate/,
    ),
    'studio-inventory: the first worker could not start',
  ])
})

test('several workers need a database and a store of their own', async () => {
  const { REDIS_URL: _, ...alone } = env
  expect(await runCli(['serve'], alone)).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/^studio-inventory: WORKERS: more than 1 needs REDIS_URL; .*\n$/),
  })
  expect(await runCli(['serve'], { WORKERS: '2' })).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/^studio-inventory: WORKERS: more than 1 needs DATABASE_URL; .*\n$/),
  })
})
