import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { operations } from '../../src/api/operations.ts'
import { poolOf } from '../../src/database/pool.ts'
import { findPort } from '../../src/http/listener.ts'
import { makeLogger } from '../../src/log.ts'
import { type AdminListener, openAdminListener } from '../../src/observability/admin-listener.ts'
import { createMetrics } from '../../src/observability/metrics.ts'
import { openObservability } from '../../src/observability/observability.ts'
import { createTestDatabase } from '../support/server.ts'
import { docsUrl, generous, type TestService } from '../support/service.ts'
import { useWorld } from '../support/world.ts'

/** An admin port that listens, and a service that is measured by it. */
const log = makeLogger({ level: 'silent' })
const world = useWorld()
let admin: AdminListener
let service: TestService
let url: string
beforeAll(async () => {
  admin = await openAdminListener({ host: '127.0.0.1', port: 0 }, docsUrl, log)
  url = `http://127.0.0.1:${admin.port}`
  const { metrics } = admin
  service = await world.start({
    ...{ poolSize: 2, poolQueue: 3, acquireTimeoutMs: 2_000 },
    limits: { ...generous, pro: { perSecond: 5, perMinute: 1_000 }, failedPerMinute: 3 },
    measure: metrics.measure,
    limiter: metrics.counting,
  })
  metrics.watchPool('studio_api', service.api, () => 4)
  metrics.watchRecorder(service.recorder.stats)
  metrics.watchReplicas(() => [{ inUse: true, current: 5, behind: 1, failed: 0 }])
  metrics.watchConnections(async () => 7)
  metrics.watchWatermark(() => 2)
  metrics.watchLogins(() => 8)
  metrics.watchJobs(() => [{ name: 'x', everySeconds: 60, succeededAt: Date.now(), seconds: 2, rows: 3, failures: 1 }])
  metrics.watchValuationRefresh(() => 1)
  metrics.watchAnalysts(() => [['writing', 2]])
  metrics.watchSignIns({ signed_in: 3, refused: 2, unavailable: 1 })
  metrics.watchCache(() => ({ entries: 1, hits: 3, misses: 2, bytes: 1_000 }))
})
afterAll(() => admin?.close())

const scrape = async (from = url) => (await fetch(`${from}/metrics`)).text()
/** The value of a series, 0 when there is none. */
async function value(series: string, from = url): Promise<number> {
  const line = (await scrape(from)).split('\n').find((each) => each.startsWith(`studio_inventory_${series} `))
  return Number(line?.split(' ')[1] ?? 0)
}
const ask = (path: string, token: string | null = world.cast.a.token.token) => service.get(path, { token })

describe('requests', () => {
  test('are counted by operation and status, and their duration is measured', async () => {
    const before = await value('requests_total{operation="get_item",status="200"}')
    const { microphone } = world.cast.a.items
    for (const [id, status] of [
      [microphone, 200],
      [microphone, 200],
      ['x', 404],
    ] as const) {
      expect((await ask(`/v1/items/${id}`)).status).toBe(status)
    }
    const counted = (status: number) => value(`requests_total{operation="get_item",status="${status}"}`)
    await vi.waitFor(async () => expect(await counted(200)).toBe(before + 2))
    expect(await counted(404)).toBe(1)
    expect(await value('request_duration_seconds_count{operation="get_item"}')).toBe(3)
    expect(await value('request_duration_seconds_bucket{le="10",operation="get_item"}')).toBe(3)
  })

  test('leave neither a token nor an id nor an address in the metrics, for any request', async () => {
    const { a } = world.cast
    const items = [
      '?category=Microphones',
      `/${a.items.microphone}/policies`,
      ...Object.values(a.items).map((id) => `/${id}`),
    ]
    const others = ['/v1/nothing/at/all', '/elsewhere', '/photos/forged-token', `/${a.token.token}`]
    for (const path of [...items.map((rest) => `/v1/items${rest}`), ...others]) await ask(path)
    await ask('/v1/items', `svc_pro_${'q'.repeat(32)}`)
    for (const page of ['docs', '']) await fetch(`${service.url}/${page}`)
    const text = await scrape()
    expect(text).not.toContain(a.token.secret)
    expect(text).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-|svc_|elsewhere|nothing|forged|qqqq|127\.0\.0\.1|Microphones/)
    const named = new Set([...text.matchAll(/operation="([^"]*)"/g)].map(([, name]) => name))
    const pages = ['front', 'healthz', 'readyz', 'photos', 'docs', 'openapi', 'unmatched', 'console', 'graphql', 'mcp']
    const possible = new Set([...operations.map(({ id }) => id), ...pages])
    expect(named).toContain('front')
    expect([...named].filter((name) => !possible.has(name ?? ''))).toEqual([])
  })
})

test('the release and the Node that run are labels, of a series that is always 1', async () => {
  expect(await value(`build_info{version="${manifest.version}",node="${process.version.slice(1)}"}`)).toBe(1)
})

describe('the parts', () => {
  test('the pool: its connections, those idle, who waits, and refusals by a full queue', async () => {
    const studios = await Promise.all(Array.from({ length: 8 }, () => world.newStudio()))
    // Tokens that were never seen are first looked up on another pool.
    for (const { token } of studios) await ask('/v1/account', token)
    const held = await Promise.all([service.api.connect(), service.api.connect()])
    const asked = studios.map(({ token }) => ask('/v1/items', token))
    await vi.waitFor(async () => expect(await value('pool_waiting{pool="studio_api"}')).toBe(3))
    expect(await value('pool_idle{pool="studio_api"}')).toBe(0)
    expect(await value('pool_size{pool="studio_api"}')).toBe(2)
    const replies = await Promise.all(asked)
    expect(replies.map(({ status }) => status)).toEqual(Array(8).fill(503))
    for (const { headers } of replies) expect(Number(headers['retry-after'])).toBeGreaterThan(0)
    expect(await value('pool_refused_total{pool="studio_api"}')).toBe(5)
    for (const client of held) client.release()
    expect(await value('pool_idle{pool="studio_api"}')).toBe(2)
  })

  test('studios that exceed their share: how often, and in the log which, once in ten seconds', async () => {
    const lines: { studio_id?: string; pool?: string }[] = []
    const written = makeLogger({ level: 'warn', stream: { write: (line) => void lines.push(JSON.parse(line)) } })
    await using resources = new AsyncDisposableStack()
    const config = { metrics: { host: '127.0.0.1', port: 0 }, docsUrl, tracing: undefined }
    const { metrics, watchPool } = await openObservability(config, written, resources)
    // A studio has one connection and two places in the line.
    const pool = poolOf(new pg.Pool(), { size: 2, acquireTimeoutMs: 60_000, maxWaiting: 4 })
    watchPool('studio_api', pool)
    const { promise: work, resolve } = Promise.withResolvers<void>()
    const asked = ['one', 'one', 'one', 'one', 'one', 'another'].map((studio) => pool.inShare(studio, () => work))
    resolve()
    expect((await Promise.allSettled(asked)).filter(({ status }) => status === 'rejected')).toHaveLength(2)
    expect(await metrics?.text()).toContain('studio_inventory_share_refusals_total{pool="studio_api"} 2\n')
    expect(lines).toMatchObject([{ studio_id: 'one', pool: 'studio_api' }])
  })

  test('refusals of the rate limit: of a token, of an address', async () => {
    const pro = await world.newStudio({ plan: 'pro' })
    await ask('/v1/account', pro.token)
    for (let count = 0; count < 8; count += 1) await ask('/v1/account', pro.token)
    expect(await value('rate_limit_refusals_total{limit="token"}')).toBeGreaterThan(0)
    for (let count = 0; count < 5; count += 1) await ask('/v1/account', `svc_pro_${String(count).repeat(32)}`)
    expect(await value('rate_limit_refusals_total{limit="address"}')).toBeGreaterThan(0)
  })
})

test('replicas, by their number: whether each is in use, and what it answered', async () => {
  const elsewhere = await createTestDatabase()
  onTestFinished(() => elsewhere.drop())
  const closed = `postgres://127.0.0.1:${await findPort('127.0.0.1', 0)}/studio`
  const metrics = createMetrics()
  const service = await world.start({
    replicaUrls: [world.database.adminUrl, elsewhere.adminUrl, closed],
    replicaPauseMs: 600_000,
  })
  if (service.replicas) metrics.watchReplicas(service.replicas.states)
  for (let page = 1; page <= 12; page += 1) {
    const { status } = await service.get(`/v1/items?page=${page}`, { token: world.cast.a.token.token })
    expect(status).toBe(200)
  }
  const text = await metrics.text()
  const told = (series: string) => Number(text.split(`\nstudio_inventory_${series} `)[1]?.split('\n')[0])
  const saidOf = (replica: number) => [
    told(`replica_in_use{replica="${replica}"}`),
    ...['current', 'behind', 'failed'].map((how) =>
      told(`replica_answers_total{replica="${replica}",answer="${how}"}`),
    ),
  ]
  expect(saidOf(1)).toEqual([1, 5, 0, 0])
  // The replica answers 401 for a token that it does not know, so the service uses none of its answers.
  expect(saidOf(2)).toEqual([1, 0, 6, 0])
  expect(saidOf(3)).toEqual([0, 0, 0, 1])
  expect(text).not.toMatch(/127\.0\.0\.1|postgres/)
})

describe('docs/monitoring', () => {
  const file = (name: string) => readFile(join(import.meta.dirname, '../../docs', name), 'utf8')
  /** The names of metrics in an expression: words that are no function, label or keyword. */
  const namesIn = (expression: string) =>
    [...expression.matchAll(/\b(?:studio_inventory|nodejs|process)_[a-z0-9_]+/g)].map(([name]) => name)

  async function exposed(): Promise<Set<string>> {
    await ask('/v1/items')
    return new Set((await scrape()).split('\n').flatMap((line) => /^([a-z][a-z0-9_]*)[ {]/.exec(line)?.[1] ?? []))
  }

  test('every metric of the dashboard exists', async () => {
    type Dashboard = { panels: { title: string; targets: { expr: string }[] }[] }
    const { panels } = JSON.parse(await file('monitoring/dashboard.json')) as Dashboard
    const names = await exposed()
    for (const { title, targets } of panels) {
      for (const { expr } of targets) {
        expect(namesIn(expr).length, title).toBeGreaterThan(0)
        for (const name of namesIn(expr)) expect(names, title).toContain(name)
      }
    }
  })

  test('monitoring.md names each of our metrics, and no other', async () => {
    const page = await file('monitoring.md')
    const listed = [...page.matchAll(/^\| `(studio_inventory_[a-z_]+)/gm)].map(([, name]) => name)
    const own = [...(await scrape()).matchAll(/^# HELP (studio_inventory_[a-z_]+)/gm)].map(([, name]) => name)
    expect(listed.toSorted()).toEqual(own.toSorted())
  })
})

// Last, because it leaves the service unready.
describe('the admin port', () => {
  const get = async (path: string, init?: RequestInit) => {
    const response = await fetch(url + path, init)
    return { status: response.status, body: await response.text(), headers: response.headers }
  }

  test('says that the service lives; that it can answer, only while it can', async () => {
    expect(await get('/healthz')).toMatchObject({ status: 200, body: '{"status":"ok"}' })
    expect(await get('/readyz')).toMatchObject({ status: 503, body: expect.stringContaining('starting') })
    admin.readyWhen(async () => ({ ready: true, schemaVersion: '000001.sql' }))
    const body = '{"status":"ready","schema_version":"000001.sql"}'
    expect(await get('/readyz')).toMatchObject({ status: 200, body })
    admin.readyWhen(() => Promise.reject(new Error('no')))
    expect(await get('/readyz')).toMatchObject({ status: 503, body: expect.stringContaining('failed') })
  })

  test('has nothing else, and is read only', async () => {
    expect((await get('/v1/items')).status).toBe(404)
    expect((await get('/metrics?x=1')).headers.get('cache-control')).toBe('no-store')
    const refused = await get('/metrics', { method: 'POST' })
    expect(refused).toMatchObject({ status: 405 })
    expect(refused.headers.get('allow')).toBe('GET, HEAD')
  })
})
