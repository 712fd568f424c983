import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { withClient } from '../../src/database/client.ts'
import { asOwner } from '../../src/database/session.ts'
import { end, endProcesses, type Instance, startInstance, startRedis } from '../scaling/processes.ts'
import { makeDatabase } from '../support/cluster.ts'
import { testSecretKey } from '../support/server.ts'
import { makeStudio } from '../support/world.ts'
import { createSyncClient, type SyncClient } from '../sync/client.ts'
import { adminUrl, type Cluster, killPostgres, type Node, run, startCluster, urlOfNode, whole } from './cluster.ts'
import { endedSince, startTraffic, type Traffic } from './traffic.ts'

/** What docs/high-availability.md promises: parts fail while data are written and read. */
endProcesses()
let cluster: Cluster
let studio: Awaited<ReturnType<typeof makeStudio>>
let instances: Instance[]
let traffic: Traffic
let poller: SyncClient
let polling: Promise<void>
let done = false
const failedPolls: string[] = []

beforeAll(async () => {
  cluster = await startCluster()
  await whole(cluster)
  const url = await makeDatabase(adminUrl('postgres'), 'studio_inventory')
  studio = await asOwner(url, makeStudio)
  const redis = await startRedis()
  const env = {
    ...{ DATABASE_URL: url, SECRET_KEY: testSecretKey, REDIS_URL: redis.url, PUBLIC_URL: 'http://both.example' },
    ...{ POOL_SIZE: '4', LOG_LEVEL: 'warn' },
    POOLER_DATABASE_URL: `postgresql://127.0.0.1:${cluster.pgbouncer}/studio_inventory`,
    RATE_LIMITS: 'studio=100000/100000',
  }
  instances = [await startInstance(env), await startInstance(env)]
  traffic = startTraffic(url, studio, instances)
  let turn = 0
  const baseUrl = () => `${instances[turn++ % 2]?.url}/v1`
  poller = createSyncClient({ baseUrl, token: studio.token })
  polling = poll()
})
afterAll(async () => {
  done = true
  await Promise.all([traffic?.stop(), polling])
  for (const { child } of instances ?? []) await end(child, 'SIGTERM')
  await cluster?.stop()
})

/** Polls by the documented cycle; a failed poll is done again from where the last ended. */
async function poll(): Promise<void> {
  while (!done) {
    await poller.poll().catch((error: Error) => failedPolls.push(error.message))
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
}

/** Breaks something, and waits until writes and reads succeed again. */
async function broken(breakIt: () => Promise<unknown>, heal?: (from: number) => Promise<unknown>): Promise<void> {
  const from = performance.now()
  await breakIt()
  const failing = () => endedSince(traffic.writes, from).some(({ status }) => status !== 200)
  await vi.waitUntil(failing, { timeout: 120_000, interval: 100 })
  if (heal) await heal(from)
  await worksAgain()
  expect(traffic.wrong).toEqual([])
  const failed = endedSince(traffic.reads, from).map(({ status }) => status)
  expect(failed.filter((status) => status !== 200 && status !== 503)).toEqual([])
  await nothingLost()
}

/** Ten writes and ten reads succeed in a row. */
const worksAgain = () =>
  vi.waitUntil(
    () =>
      [traffic.writes, traffic.reads].every(
        (all) => all.length > 10 && all.slice(-10).every(({ status }) => status === 200),
      ),
    { timeout: 200_000, interval: 200 },
  )

/** Expects that every acknowledged write is there, and that no answer had anything else. */
async function nothingLost(): Promise<void> {
  const [acknowledged, seen] = [[...traffic.acknowledged], [...traffic.seen]]
  const least = [...traffic.counted].map(([name, state]) => [name, Math.max(state.acknowledged, state.shown)] as const)
  const { rows: found } = await withClient(adminUrl(), (admin) =>
    admin.query<{ name: string; manufacturer: string | null }>('select name, manufacturer from app.items'),
  )
  const items = new Map(found.map(({ name, manufacturer }) => [name, Number(manufacturer)]))
  expect(acknowledged.filter((name) => !items.has(name))).toEqual([])
  expect(seen.filter((name) => !items.has(name))).toEqual([])
  expect(least.filter(([name, number]) => (items.get(name) ?? 0) < number)).toEqual([])
}

test('without a failure no request and no write fails', async () => {
  await vi.waitUntil(() => traffic.acknowledged.size > 20 && poller.counts.polls > 2, { timeout: 120_000 })
  await worksAgain()
  expect(failedPolls).toEqual([])
  await nothingLost()
})

test('the primary and its Patroni are killed: the standby takes over, and they come back as its standby', async () => {
  const { primary, standby } = await whole(cluster)
  await broken(async () => {
    await end(primary.patroni, 'SIGKILL')
    await killPostgres(primary.data)
  })
  await primary.start()
  expect((await whole(cluster)).primary.name).toBe(standby.name)
})

test('the primary cannot reach etcd any more: it stops being the primary before another is', async () => {
  const { primary, standby } = await whole(cluster)
  await broken(() => primary.etcd.down())
  await primary.etcd.up()
  expect((await whole(cluster)).primary.name).toBe(standby.name)
})

test('the machine of the primary is cut off, without a word to anybody: another takes over, and what is written on it meanwhile is nowhere', async () => {
  const { primary, standby } = await whole(cluster)
  let alone: Promise<string> | undefined
  await broken(async () => {
    await primary.machine.cut()
    alone = writeOn(primary, 'Written on a machine that is cut off')
  })
  expect(await alone).toMatch(/might not have been replicated|terminating connection|server closed the connection/)
  await primary.machine.join()
  expect((await whole(cluster)).primary.name).toBe(standby.name)
  const asked = await withClient(adminUrl(), (admin) =>
    admin.query(`select from app.items where name like 'Written on%'`),
  )
  expect(asked.rowCount).toBe(0)
})

test('the primary is made read-only: everything is still read, and a switchover to the standby lets writes succeed', async () => {
  const { primary, standby } = await whole(cluster)
  const readOnly = (setting: string) =>
    withClient(urlOfNode(primary), async (admin) => {
      await admin.query('set default_transaction_read_only = off')
      await admin.query(`alter system ${setting}`)
      await admin.query('select pg_reload_conf()')
    })
  await broken(
    () => readOnly('set default_transaction_read_only = on'),
    async (from) => {
      const until = performance.now()
      expect(traffic.reads.filter(({ at, took, status }) => at > from && at + took < until && status !== 200)).toEqual(
        [],
      )
      await switchOver(primary, standby)
    },
  )
  await whole(cluster)
  await readOnly('reset default_transaction_read_only')
})

test('the disk of the primary is full: everything is still read, and when there is no room for the log either, the standby takes over', async () => {
  const { primary, standby } = await whole(cluster)
  const ballast = join(primary.data, '..', 'ballast')
  await broken(
    () => fill(ballast),
    async (from) => {
      const failed = endedSince(traffic.writes, from).filter(({ status }) => status !== 200)
      expect(failed[0]?.status).toBe('53100')
      const full = failed[0]?.at ?? from
      const reads = () => traffic.reads.filter(({ at }) => at > full)
      const many = () => reads().length > 20 && traffic.writes.filter(({ at }) => at > full).length > 10
      await vi.waitUntil(many, { timeout: 60_000 })
      expect(reads().filter(({ status }) => status !== 200)).toEqual([])
      await fillLog(primary)
    },
  )
  await run('rm', ['-f', ballast])
  expect((await whole(cluster)).primary.name).toBe(standby.name)
})

test('a client that polled all the time has the data of the service, to the byte', async () => {
  await traffic.stop()
  done = true
  await polling
  const other = createSyncClient({ baseUrl: () => `${instances[1]?.url}/v1`, token: studio.token })
  await other.poll()
  expect(other.copy.item.size).toBeGreaterThanOrEqual(traffic.acknowledged.size)
  const itemsOf = ({ copy }: SyncClient) => [...copy.item].toSorted()
  const polled = async () => {
    await poller.poll()
    return itemsOf(poller)
  }
  // What was written last is before the watermark a few seconds later.
  await expect.poll(polled, { timeout: 120_000, interval: 1_000 }).toEqual(itemsOf(other))
  expect(traffic.notModified()).toBeGreaterThan(20)
})

async function switchOver(from: Node, to: Node): Promise<void> {
  const response = await fetch(`http://${from.machine.address}:8008/switchover`, {
    method: 'POST',
    body: JSON.stringify({ leader: from.name, candidate: to.name }),
  })
  expect(response.status, await response.text()).toBe(200)
}

/** Inserts an item on an isolated machine; what psql says when it is not acknowledged. */
async function writeOn(node: Node, name: string): Promise<string> {
  const insert = `insert into app.items (studio_id, name, category) values ('${studio.id}', '${name}', 'Microphones')`
  const text = `select set_config('studio.id', '${studio.id}', true); ${insert}`
  const [command = '', ...rest] = [...node.machine.enter, 'psql', '-X', urlOfNode(node, 'studio_inventory'), '-c', text]
  return run(command, rest).then(
    ({ stdout }) => `acknowledged: ${stdout}`,
    ({ stderr }: { stderr: string }) => stderr,
  )
}

/** Writes until the disk is full. */
const fill = (file: string) => run('dd', ['if=/dev/zero', `of=${file}`, 'bs=1M']).catch(() => undefined)

/** Begins segments of the log, until there is no room for one and PostgreSQL crashes. */
async function fillLog(node: Node): Promise<void> {
  const next = () =>
    withClient(urlOfNode(node), async (admin) => {
      await admin.query(`select pg_logical_emit_message(false, 'test', 'more')`)
      await admin.query('select pg_switch_wal()')
      return false
    }).catch(() => true)
  await vi.waitUntil(next, { timeout: 120_000, interval: 20 })
}
