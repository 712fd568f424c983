import { expect, test, vi } from 'vitest'
import { operations, prefix } from '../../src/api/operations.ts'
import { gateMessage } from '../support/gate-message.ts'
import { docsUrl } from '../support/service.ts'
import { pathsOf, useWorld } from '../support/world.ts'

type Meta = { disclaimers: string[]; documentation_url: string }

// Tests here change the schema, which moves no version. So the service must not cache answers.
const world = useWorld({ cacheMaxBytes: 0 })
const paths = () => pathsOf(world.cast.a)

/** What v1 promises: the specification's eight endpoints, and ours that have been released. */
const promised = [
  ...['/items', '/items/{id}', '/items/{id}/policies', '/valuations', '/valuations/summary', '/locations'],
  ...['/maintenance', '/policies', '/policies/{id}', '/policies/{id}/items', '/removals', '/account'],
]

test('every endpoint that v1 promises answers, as each that was added since, under the version segment', async () => {
  const missing = promised.filter((path) => !operations.some((operation) => operation.path === path))
  const wrong = gateMessage({
    wrong: 'v1 loses no endpoint; a new one needs no line here',
    edit: 'src/api/operations.ts: list the operation again',
    run: 'npx vitest run test/rest/every-response.test.ts',
  })
  expect(missing, wrong).toEqual([])
  for (const path of paths()) {
    expect((await world.get(path)).status).toBe(200)
    expect((await world.get(path.slice(prefix.length))).status).toBe(404)
  }
})

test('_meta has the two disclaimers and the deep link, on every response, errors included', async () => {
  const replies = [
    ...(await Promise.all(paths().map((path) => world.get<{ _meta: Meta }>(path)))),
    await world.get<{ _meta: Meta }>('/v1/items?page=0'),
    await world.get<{ _meta: Meta }>('/v1/items', { token: null }),
    await world.get<{ _meta: Meta }>('/v1/items/unknown'),
    await world.get<{ _meta: Meta }>('/v1/items', { method: 'DELETE' }),
  ]
  expect(replies.map(({ status }) => status)).toEqual([...paths().map(() => 200), 400, 401, 404, 405])
  for (const { json } of replies) {
    expect(Object.keys(json._meta)).toEqual(['disclaimers', 'documentation_url'])
    const [coverage = '', market = '', ...more] = json._meta.disclaimers
    expect(more).toEqual([])
    expect(coverage).toMatch(/coverage_state and gap_amount reflect valuation status and not insurance adequacy/)
    expect(market).toMatch(
      /market_value_estimate is derived from third-party market data and is no guarantee of resale value/,
    )
    expect(json._meta.documentation_url).toBe(`${docsUrl}#adequacy-disclaimer`)
  }
})

test('other methods are refused with Allow, reach no database and write nothing', async () => {
  const look = () => Promise.all(paths().map(async (path) => (await world.get(path)).json))
  const before = await look()
  const statements = Object.values(world.service.pools).flatMap((pool) =>
    (['connect', 'query'] as const).map((way) => vi.spyOn(pool, way)),
  )
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND']) {
    for (const path of [...paths(), '/v1/items/x/policies', '/healthz', '/photos/x']) {
      const reply = await world.get(path, { method, token: null })
      expect([path, reply.status, reply.headers.allow]).toEqual([path, 405, 'GET, HEAD'])
    }
  }
  for (const spy of statements) {
    expect(spy).not.toHaveBeenCalled()
    spy.mockRestore()
  }
  expect(withoutPhotos(await look())).toEqual(withoutPhotos(before))
})

/** The URLs have the second in which they were signed. */
function withoutPhotos(bodies: unknown): string {
  return JSON.stringify(bodies).replace(/"photo_urls":\[[^\]]*\]/, '')
}
