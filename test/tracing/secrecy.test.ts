import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startGraphql, tokenOf } from '../graphql/support.ts'
import { useWorld } from '../support/world.ts'
import { type Collector, openCollector } from './collector.ts'

const world = useWorld()

let collector: Collector
beforeAll(async () => {
  collector = await openCollector()
})
afterAll(() => collector?.close())

test('nothing that is exported contains a token, a digest, an id, a value of a query, a path, or data of a studio', async () => {
  const tracing = { url: `${collector.endpoint}/v1/traces`, sampler: 'always_on', share: 1, exportDelayMs: 20 }
  const service = await world.start({ tracing, replicaUrls: [world.database.adminUrl] })
  const { a, b } = world.cast
  const ids = [...Object.values(a.items), ...Object.values(b.items)]
  const paths = [
    ...ids.map((id) => `/v1/items/${id}`),
    `/v1/items/${a.items.microphone}/policies?as_of=2025-03-17`,
    ...['category=Microphones&per_page=7&q=hunter2', 'updated_since=2001-02-03T04:05:06Z', 'page=hunter2'].map(
      (query) => `/v1/items?${query}`,
    ),
    ...['/v1/account', '/v1/locations?per_page=1&page=2', '/v1/maintenance', '/v1/policies', '/v1/items/hunter2'],
    // The cache answers the first request.
    ...['/v1/locations?per_page=1&page=2', '/photos/forged-hunter2', '/hunter2/elsewhere', `/${a.token.token}`],
  ]
  const headers = { cookie: 'studio-inventory-session=hunter2', 'user-agent': 'hunter2', baggage: 'key=hunter2' }
  const requestIds = new Set<unknown>()
  for (const token of [a.token.token, b.token.token, `svc_pro_${'q'.repeat(32)}`]) {
    for (const path of paths) requestIds.add((await service.get(path, { token, headers })).headers['x-request-id'])
  }
  const failed = await world.without('service.policy_documents', () =>
    service.get('/v1/policies?per_page=77', { token: a.token.token }),
  )
  expect(failed.status).toBe(500)
  requestIds.add(failed.headers['x-request-id'])

  const graphql = await startGraphql(world.database, { tracing })
  const person = await tokenOf(a)
  const query = '{ items(filter: { name: { equalTo: "hunter2" } }) { nodes { name serialNumber } } }'
  for (const asked of [query, '{ items(first: 1) { nodes { name } } }', 'hunter2']) {
    requestIds.add((await graphql.ask(asked, { token: person })).headers['x-request-id'])
  }
  await graphql.stop()
  await vi.waitFor(() => {
    for (const id of requestIds) expect(collector.traceOf(id)).not.toEqual([])
  }, 10_000)

  const text = collector.text()

  for (const { token, secret, prefix, id } of [a.token, b.token]) {
    const digests = [token, secret].map((each) => createHash('sha256').update(each).digest())
    const secrets = [token, secret, prefix, id]
    const forms = digests.flatMap((digest) => [digest.toString('hex'), digest.toString('base64').slice(0, 20)])
    for (const each of [...secrets, ...forms]) expect(text).not.toContain(each)
  }
  expect(text).not.toContain(person)
  expect(text).not.toMatch(/svc_|hunter2|qqqq|Microphones|elsewhere|forged|2025-03-17|2001-02-03|select|\$1/)
  for (const studio of [a, b]) {
    for (const { name, email } of Object.values(studio.people)) expect(text).not.toMatch(new RegExp(`${name}|${email}`))
    expect(text).not.toContain(studio.name)
  }
  world.cast.expectNoCanary(text)
  // Any id there belongs to a request or to the process.
  const readiness = collector.spans().filter(({ attributes }) => attributes['http.route'] === '/readyz')
  const own = new Set([
    ...requestIds,
    ...readiness.map(({ attributes }) => String(attributes['http.response.header.x-request-id'])),
    ...collector.resources().map((resource) => resource['service.instance.id']),
  ])
  const found = new Set(text.match(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g))
  expect([...found].filter((id) => !own.has(id))).toEqual([])
  const known = ['http.', 'url.scheme', 'db.', 'error.type', 'studio_inventory.pool']
  for (const { attributes } of collector.spans()) {
    for (const key of Object.keys(attributes)) expect(known.some((start) => key.startsWith(start))).toBe(true)
  }
  // All of that was traced.
  const names = new Set(collector.spans().map(({ name }) => name))
  expect([...names]).toEqual(expect.arrayContaining(['access.authenticate_batch', 'api_v1.get_item', 'graphql', 'GET']))
})
