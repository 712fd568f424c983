import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { manifest } from '../../src/config/config.ts'
import { startGraphql, tokenOf } from '../graphql/support.ts'
import type { Reply } from '../support/client.ts'
import type { TestService } from '../support/service.ts'
import { useWorld } from '../support/world.ts'
import { type Collector, openCollector, type Span } from './collector.ts'

const world = useWorld()

let collector: Collector
let service: TestService
beforeAll(async () => {
  vi.stubEnv('OTEL_SERVICE_NAME', 'inventory')
  vi.stubEnv('OTEL_RESOURCE_ATTRIBUTES', 'deployment.environment.name=staging')
  vi.stubEnv('OTEL_EXPORTER_OTLP_HEADERS', 'api-key=of%20the%20collector')
  collector = await openCollector()
  service = await world.start({ poolSize: 2, acquireTimeoutMs: 300, tracing: traced() })
})
afterAll(() => {
  vi.unstubAllEnvs()
  return collector?.close()
})

const traced = (share = 1) => ({
  url: `${collector.endpoint}/v1/traces`,
  sampler: 'parentbased_traceidratio',
  share,
  exportDelayMs: 20,
})

const ask = (path: string, headers: Record<string, string> = {}, token: string | null = world.cast.a.token.token) =>
  service.get(path, { token, headers })

/** The log lines of a request: messages, with the trace that they name. */
const linesOf = ({ headers }: Pick<Reply, 'headers'>) =>
  (service.log().match(/^.*\n/gm) ?? [])
    .filter((line) => line.includes(`"request_id":"${headers['x-request-id']}"`))
    .map((line) => JSON.parse(line))
    .map(({ msg, trace_id }) => [msg, trace_id])
    .toSorted()

/** The trace of a request, once it has been exported. */
async function traceOf({ headers }: Pick<Reply, 'headers'>): Promise<[Span, ...Span[]]> {
  const id = headers['x-request-id']
  await vi.waitFor(() => expect(collector.traceOf(id).length, String(id)).toBeGreaterThan(0), 10_000)
  return collector.traceOf(id) as [Span, ...Span[]]
}

describe('a request', () => {
  test('is a span named after its route, with its statement in it', async () => {
    const { microphone } = world.cast.a.items
    // The first request of a token has a statement of its own that finds the studio.
    await ask('/v1/account')
    const reply = await ask(`/v1/items/${microphone}?unknown=1`)
    const [request, ...others] = await traceOf(reply)
    expect(request).toMatchObject({ name: 'GET /v1/items/{id}', kind: 'server', failed: false })
    expect(request.parentSpanId).toBeUndefined()
    expect(request.attributes).toEqual({
      'http.request.method': 'GET',
      'http.route': '/v1/items/{id}',
      'http.response.status_code': 200,
      'http.response.header.x-request-id': [reply.headers['x-request-id']],
      'url.scheme': 'http',
    })
    expect(others).toHaveLength(1)
    const [statement] = others
    const inRequest = { kind: 'client', failed: false, parentSpanId: request.spanId }
    expect(statement).toMatchObject({ name: 'api_v1.get_item', ...inRequest })
    const ofStatement = { 'db.system.name': 'postgresql', 'db.query.summary': 'api_v1.get_item' }
    expect(statement?.attributes).toEqual({ ...ofStatement, 'studio_inventory.pool': 'studio_api' })
    expect(statement?.durationNs).toBeGreaterThan(0n)
    expect(request.durationNs).toBeGreaterThanOrEqual(statement?.durationNs ?? 0n)
  })

  test('has the service’s name and version, and nothing of the machine or the command line', async () => {
    await traceOf(await ask('/v1/account'))
    for (const resource of collector.resources()) {
      expect(resource).toEqual({
        'service.name': 'inventory',
        'deployment.environment.name': 'staging',
        'service.version': manifest.version,
        'service.instance.id': expect.stringMatching(/^[0-9a-f-]{36}$/),
      })
    }
    for (const headers of collector.headers()) expect(headers['api-key']).toBe('of the collector')
  })
})

describe('traceparent', () => {
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
  const caller = '00f067aa0ba902b7'

  test('of the client is continued, without its tracestate', async () => {
    const traceparent = `00-${traceId.replace('4b', '4c')}-${caller}-01`
    const [request, statement] = await traceOf(await ask('/v1/items', { traceparent, tracestate: 'vendor=hunter2' }))
    expect([request.traceId, request.parentSpanId]).toEqual([traceId.replace('4b', '4c'), caller])
    expect([statement?.traceId, statement?.parentSpanId]).toEqual([request.traceId, request.spanId])
    expect(collector.text()).not.toContain('hunter2')
  })

  test.each(['hunter2', `00-${'0'.repeat(32)}-${caller}-01`, `00-${traceId}-${caller}-01-more`])(
    'that is malformed is ignored: %.60s',
    async (traceparent) => {
      const reply = await ask('/v1/account', { traceparent })
      expect(reply.status).toBe(200)
      const [request] = await traceOf(reply)
      expect(request.traceId).not.toBe(traceId)
      expect(request.parentSpanId).toBeUndefined()
    },
  )

  test('decides whether a trace is recorded; of the others a share is', async () => {
    const none = await world.start({ tracing: traced(0) })
    const get = (headers: Record<string, string>) => none.get('/v1/items', { token: world.cast.a.token.token, headers })
    const unasked = await get({})
    const unwanted = await ask('/v1/items', { traceparent: `00-${traceId}-${caller}-00` })
    const wanted = await get({ traceparent: `00-${traceId}-${caller}-01` })
    expect((await traceOf(wanted)).length).toBeGreaterThan(1)
    await traceOf(await ask('/v1/account'))
    for (const { headers } of [unasked, unwanted]) expect(collector.traceOf(headers['x-request-id'])).toEqual([])
  })
})

describe('a failure', () => {
  test('of a statement marks it and its request, by the state and without the message', async () => {
    const reply = await world.without('service.policy_documents', () => ask('/v1/policies'))
    expect(reply.status).toBe(500)
    const [request, statement] = await traceOf(reply)
    expect(request.failed).toBe(true)
    expect(request.attributes).toMatchObject({ 'http.response.status_code': 500, 'error.type': '500' })
    expect(statement).toMatchObject({ name: 'api_v1.list_policies', failed: true })
    expect(statement?.attributes).toMatchObject({ 'db.response.status_code': '42P01', 'error.type': '42P01' })
    expect(collector.text()).not.toMatch(/does not exist/)
    expect(linesOf(reply)).toEqual(['a request failed', 'request'].map((message) => [message, request.traceId]))
  })

  test('to get a connection marks both: 503', async () => {
    const held = await Promise.all([service.api.connect(), service.api.connect()])
    const reply = await ask('/v1/maintenance')
    for (const client of held) client.release()
    expect(reply.status).toBe(503)
    const [request, statement] = await traceOf(reply)
    expect(request).toMatchObject({ failed: true, attributes: { 'error.type': '503' } })
    expect(statement).toMatchObject({ failed: true, attributes: { 'error.type': 'DatabaseUnavailable' } })
  })
})

test('with a replica the trace shows who authenticated and who read', async () => {
  const replicated = await world.start({ replicaUrls: [world.database.adminUrl], tracing: traced() })
  const [, ...statements] = await traceOf(await replicated.get('/v1/policies', { token: world.cast.a.token.token }))
  expect(statements.map(({ name, attributes }) => [name, attributes['studio_inventory.pool']])).toEqual([
    ['access.authenticate_batch', 'authentication'],
    ['api_v1.list_policies', 'replica_1'],
  ])
})

test('a GraphQL request is a span, with its transaction in it', async () => {
  const graphql = await startGraphql(world.database, { tracing: traced() })
  const token = await tokenOf(world.cast.a)
  const reply = await graphql.ask('{ items(first: 1) { nodes { name serialNumber } } }', { token })
  const [request, transaction] = await traceOf(reply)
  await graphql.stop()
  expect(request).toMatchObject({ name: 'POST /graphql', failed: false, attributes: { 'http.route': '/graphql' } })
  expect(transaction).toMatchObject({ name: 'graphql', parentSpanId: request.spanId, failed: false })
  expect(transaction?.attributes['studio_inventory.pool']).toBe('studio_graphql')
  expect(collector.text()).not.toContain(token)
})

test('what the collector refuses is dropped; it is logged once, and so is recovery', async () => {
  const moody = await openCollector()
  const other = await world.start({ tracing: { ...traced(), url: `${moody.endpoint}/v1/traces` } })
  const get = () => other.get('/v1/items', { token: world.cast.a.token.token })
  const said = (message: string) => other.log().split(message).length - 1
  // Nobody wants the trace of a token's first request, which has one statement more.
  const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00'
  await other.get('/v1/account', { token: world.cast.a.token.token, headers: { traceparent } })
  moody.answer(400)
  for (let count = 1; count <= 3; count += 1) {
    expect((await get()).status).toBe(200)
    await vi.waitFor(() => expect(moody.refused()).toBe(count), 10_000)
  }
  moody.answer('takes')
  await get()
  await vi.waitFor(() => expect(said('traces are exported again')).toBe(1), 10_000)
  await moody.close()
  expect(said('traces could not be exported')).toBe(1)
  expect(moody.spans()).toHaveLength(2)
})
