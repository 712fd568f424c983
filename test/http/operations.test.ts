import { createHash } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { operations } from '../../src/api/operations.ts'
import { problem } from '../../src/api/problem.ts'
import { statementsOf } from '../../src/api/statements.ts'
import { DatabaseUnavailable } from '../../src/database/errors.ts'
import {
  docsUrl,
  emptyList,
  itemId,
  newToken,
  type Reply,
  type RunningApp,
  startApp,
  withoutRequestId,
} from './support.ts'

let app: RunningApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.close())
beforeEach(() => {
  app.queries.length = 0
})
afterEach(() => app.answer(() => emptyList))

const token = newToken()
const digest = createHash('sha256').update(token).digest()

const meta = JSON.stringify({
  disclaimers: [
    'coverage_state and gap_amount reflect valuation status and not insurance adequacy.',
    'market_value_estimate is derived from third-party market data and is no guarantee of resale value.',
  ],
  documentation_url: `${docsUrl}#adequacy-disclaimer`,
})

describe('one statement per request', () => {
  const since = '2024-03-01T12:30:00%2B02:00'
  const instant = '2024-03-01T10:30:00.000Z'
  const cases: [path: string, text: string, values: unknown[]][] = [
    [
      '/items',
      'list_items(token_digest => $1::bytea, page => $2::bigint, per_page => $3::integer, category => $4::text, coverage_state => $5::text, updated_since => $6::timestamptz, known_version => $7::text, anchor_version => $8::text, anchor_total => $9::bigint, anchor_at => $10::timestamptz, anchor_id => $11::uuid)',
      [1, 50, null, null, null],
    ],
    [
      `/items?page=3&per_page=20&category=Microphones&coverage_state=uninsured&updated_since=${since}`,
      'list_items(token_digest => $1::bytea, page => $2::bigint, per_page => $3::integer, category => $4::text, coverage_state => $5::text, updated_since => $6::timestamptz, known_version => $7::text, anchor_version => $8::text, anchor_total => $9::bigint, anchor_at => $10::timestamptz, anchor_id => $11::uuid)',
      [3, 20, 'Microphones', 'uninsured', instant],
    ],
    [`/items/${itemId}`, 'get_item(token_digest => $1::bytea, id => $2::uuid)', [itemId]],
    [
      `/items/${itemId}/policies`,
      'list_item_policies(token_digest => $1::bytea, id => $2::uuid, known_version => $3::text)',
      [itemId],
    ],
    [
      `/locations?updated_since=${since}`,
      'list_locations(token_digest => $1::bytea, page => $2::bigint, per_page => $3::integer, updated_since => $4::timestamptz, known_version => $5::text)',
      [1, 50, instant],
    ],
    [
      `/maintenance?item_id=${itemId}&status=completed&updated_since=${since}&per_page=100`,
      'list_maintenance(token_digest => $1::bytea, page => $2::bigint, per_page => $3::integer, item_id => $4::uuid, status => $5::text, updated_since => $6::timestamptz, known_version => $7::text, anchor_version => $8::text, anchor_total => $9::bigint, anchor_at => $10::timestamptz, anchor_id => $11::uuid)',
      [1, 100, itemId, 'completed', instant],
    ],
    [
      `/policies?updated_since=${since}&page=2`,
      'list_policies(token_digest => $1::bytea, page => $2::bigint, per_page => $3::integer, updated_since => $4::timestamptz, known_version => $5::text)',
      [2, 50, instant],
    ],
    [
      `/policies/${itemId}`,
      'get_policy(token_digest => $1::bytea, id => $2::uuid, known_version => $3::text)',
      [itemId],
    ],
    ['/account', 'get_account(token_digest => $1::bytea, known_version => $2::text)', []],
  ]
  test.each(cases)('%s', async (path, call, values) => {
    await app.get(`/v1${path}`, { token })
    expect(app.queries).toHaveLength(1)
    expect(app.queries[0]?.text).toBe(`select * from api_v1.${call}`)
    const held = app.queries[0]?.values.slice(1 + values.length)
    expect(app.queries[0]?.values).toEqual([digest, ...values, ...(held ?? [])])
    expect(new Set(held)).toEqual(new Set(held?.length ? [null] : []))
  })

  test('every operation has its own name, and every path answers', async () => {
    expect(new Set(operations.map((operation) => statementsOf(operation).one.name)).size).toBe(8)
    for (const { path } of operations) {
      expect((await app.get(`/v1${path.replace('{id}', itemId)}`)).status).toBe(200)
    }
  })
})

describe('envelopes', () => {
  test('a list is data, meta and _meta, around the text as it came', async () => {
    app.answer(() => ({ status: 200, total: '120', data: '{"id":1,"price":0.10},{"id":2,"price":9999999999.99}' }))
    const { body } = await app.get('/v1/items?page=2')
    expect(body).toBe(
      '{"data":[{"id":1,"price":0.10},{"id":2,"price":9999999999.99}],' +
        `"meta":{"page":2,"per_page":50,"total":120,"next_page":3},"_meta":${meta}}`,
    )
  })

  const pages: [query: string, total: string, meta: unknown][] = [
    ['', '0', { page: 1, per_page: 50, total: 0, next_page: null }],
    ['?per_page=1', '1', { page: 1, per_page: 1, total: 1, next_page: null }],
    ['?per_page=1', '2', { page: 1, per_page: 1, total: 2, next_page: 2 }],
    ['?page=2&per_page=50', '100', { page: 2, per_page: 50, total: 100, next_page: null }],
    ['?page=2&per_page=50', '101', { page: 2, per_page: 50, total: 101, next_page: 3 }],
    ['?per_page=5000', '101', { page: 1, per_page: 100, total: 101, next_page: 2 }],
    ['?page=3', '101', { page: 3, per_page: 50, total: 101, next_page: null }],
    ['?page=99', '101', { page: 99, per_page: 50, total: 101, next_page: null }],
    [`?page=${'9'.repeat(30)}`, '101', { page: Number.MAX_SAFE_INTEGER, per_page: 50, total: 101, next_page: null }],
  ]
  test.each(pages)('%s of %s: its meta', async (query, total, expected) => {
    app.answer(() => ({ status: 200, total, data: '' }))
    const reply = await app.get(`/v1/policies${query}`)
    expect(JSON.parse(reply.body)).toMatchObject({ data: [], meta: expected })
  })

  test('a resource is data and _meta', async () => {
    app.answer(() => ({ status: 200, data: '{"name":"A \\u2014 B"}' }))
    expect((await app.get('/v1/account')).body).toBe(`{"data":{"name":"A \\u2014 B"},"_meta":${meta}}`)
  })

  test('the assignments of an item are an array in the single-resource envelope', async () => {
    app.answer(() => ({ status: 200, data: '{"a":1},{"a":2}' }))
    expect((await app.get(`/v1/items/${itemId}/policies`)).body).toBe(`{"data":[{"a":1},{"a":2}],"_meta":${meta}}`)
    app.answer(() => ({ status: 200, data: '' }))
    expect((await app.get(`/v1/items/${itemId}/policies`)).body).toBe(`{"data":[],"_meta":${meta}}`)
  })

  test('an item has its photos signed, in order, as its last member', async () => {
    app.answer(() => ({ status: 200, data: '{"id":"x"}', photo_keys: ['b.png', 'a.png'] }))
    expect((await app.get(`/v1/items/${itemId}`)).body).toBe(
      `{"data":{"id":"x","photo_urls":["https://photos.example.com/b.png","https://photos.example.com/a.png"]},"_meta":${meta}}`,
    )
    app.answer(() => ({ status: 200, data: '{"id":"x"}', photo_keys: [] }))
    expect((await app.get(`/v1/items/${itemId}`)).body).toBe(`{"data":{"id":"x","photo_urls":[]},"_meta":${meta}}`)
  })

  test('Content-Length counts bytes', async () => {
    app.answer(() => ({ status: 200, data: '{"name":"— ü 🎛"}' }))
    const { headers, body } = await app.get('/v1/account')
    expect(headers['content-length']).toBe(String(Buffer.byteLength(body)))
    expect(headers['content-type']).toBe('application/json; charset=utf-8')
  })
})

describe('404', () => {
  const ids: [cause: string, segment: string][] = [
    ['no UUID', 'x'],
    ['%ZZ', '%ZZ'],
    ['a lone %', '%'],
    ['cut UTF-8', '%E0%A4%A'],
    ['invalid UTF-8', '%ff%fe'],
    ['NUL', '%00'],
    ['NUL behind an id', `${itemId}%00`],
    ['braces', `{${itemId}}`],
    ['braces, encoded', `%7B${itemId}%7D`],
    ['no hyphens', itemId.replaceAll('-', '')],
    ['one character more', `${itemId}0`],
    ['a urn', `urn:uuid:${itemId}`],
    ['a climb', '..%2f..%2fpolicies'],
    ['dots', '%2e%2e'],
    ['5 kB', 'a'.repeat(5_000)],
    ['an SQL quotation mark', "'%20or%201=1--"],
    ['an id with a space', `${itemId}%20`],
  ]
  const places: [before: string, after: string][] = [
    ['/v1/items/', ''],
    ['/v1/items/', '/policies'],
    ['/v1/policies/', ''],
  ]

  test.each(ids)(
    'an id that is %s: the statement judges the token, then the answer of an unknown id',
    async (_, segment) => {
      app.answer(() => ({ status: 404 }))
      for (const [before, after] of places) {
        app.queries.length = 0
        const unknown = withoutRequestId(await app.get(`${before}${itemId}${after}`))
        const answer = await app.raw(
          `GET ${before}${segment}${after} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\n\r\n`,
        )
        expect(answer).toMatch(/^HTTP\/1\.1 404 Not Found\r\n/)
        expect(bodyWithoutId(answer)).toBe(bodyWithoutId(unknown))
        expect(app.queries.map(({ name, values }) => [name, values[1]])).toEqual([
          [app.queries[0]?.name, itemId],
          [app.queries[0]?.name, null],
        ])
      }
    },
  )

  test('a malformed id and a wrong token: 401, as for any other id', async () => {
    app.answer(() => ({ status: 401 }))
    expect((await app.get('/v1/items/x')).status).toBe(401)
  })

  test('an id in capitals is an id', async () => {
    await app.get(`/v1/items/${itemId.toUpperCase()}`)
    expect(app.queries[0]?.values[1]).toBe(itemId.toUpperCase())
  })

  test('an unknown address has the same body, needs no token and makes no statement', async () => {
    app.answer(() => ({ status: 404 }))
    const known = await app.get(`/v1/items/${itemId}`)
    app.queries.length = 0
    const paths = [
      '/v1',
      '/v1/',
      '/v2/items',
      '/V1/items',
      '/v1/Items',
      '/v1/items/',
      '//v1/items',
      '/v1/%69tems',
      '/v1/items//policies',
    ]
    for (const path of [...paths, '/index.php', '/v1/items/x/policies/', '/healthz/', '/v1/items%2f']) {
      const reply = await app.get(path, { token: null })
      expect(reply.status).toBe(404)
      expect(bodyWithoutId(reply.body)).toBe(bodyWithoutId(known.body))
    }
    expect(app.queries).toEqual([])
  })
})

describe('methods', () => {
  test('HEAD gives the headers of GET and no body', async () => {
    for (const path of ['/v1/items', `/v1/items/${itemId}`, '/v1/items?page=0', '/nothing', '/healthz']) {
      const [get, head] = [await app.get(path), await app.get(path, { method: 'HEAD' })]
      expect(head.body).toBe('')
      expect(headersOf(head)).toBe(headersOf(get))
    }
  })

  test('any other method is 405 with Allow, without a token and without a statement', async () => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND']) {
      for (const path of [
        '/v1/items',
        `/v1/items/${itemId}`,
        '/v1/items/x/policies',
        '/v1/account',
        '/healthz',
        '/photos/x',
      ]) {
        const reply = await app.get(path, { method, token: null })
        expect([method, path, reply.status, reply.headers.allow]).toEqual([method, path, 405, 'GET, HEAD'])
        expect(problem.parse(JSON.parse(reply.body)).code).toBe('method_not_allowed')
      }
    }
    expect(app.queries).toEqual([])
  })

  test('any other method on an unknown address is 404', async () => {
    expect((await app.get('/v1/nothing', { method: 'POST' })).status).toBe(404)
    expect((await app.get('/v1/nothing', { method: 'OPTIONS' })).status).toBe(404)
  })
})

describe('what went wrong', () => {
  test('a plan without API access: 403, without WWW-Authenticate', async () => {
    app.answer(() => ({ status: 403, plan_tier: null }))
    const reply = await app.get('/v1/items')
    expect(reply.status).toBe(403)
    expect(reply.headers['www-authenticate']).toBeUndefined()
    expect(problem.parse(JSON.parse(reply.body))).toMatchObject({
      code: 'plan_required',
      type: `${docsUrl}#error-plan-required`,
    })
  })

  test('a database that cannot be used: 503 with Retry-After', async () => {
    for (const error of [new DatabaseUnavailable('down'), new Error('Connection terminated unexpectedly')]) {
      app.answer(() => error)
      const reply = await app.get('/v1/items')
      expect([reply.status, reply.headers['retry-after']]).toEqual([503, '2'])
      expect(problem.parse(JSON.parse(reply.body)).code).toBe('unavailable')
    }
  })

  test('anything unexpected: 500 with the request id, and not a word of the cause', async () => {
    const causes = [new Error('canary-4711'), Object.assign(new Error('canary-4711'), { code: '42703' })]
    for (const cause of causes) {
      app.answer(() => cause)
      const reply = await app.get('/v1/items')
      expect(reply.status).toBe(500)
      expect(problem.parse(JSON.parse(reply.body)).request_id).toBe(reply.headers['x-request-id'])
      expect(reply.body + reply.rawHeaders.join()).not.toContain('canary-4711')
      expect(app.log()).toContain(`"request_id":"${reply.headers['x-request-id']}"`)
    }
    expect(app.log()).toContain('canary-4711')
  })

  test('a status that no operation has: 500', async () => {
    app.answer(() => ({ status: 302 }))
    expect((await app.get('/v1/items')).status).toBe(500)
  })

  test('errors are problems with their members in one order', async () => {
    const reply = await app.get('/v1/items?page=0')
    expect(reply.headers['content-type']).toBe('application/problem+json; charset=utf-8')
    expect(Object.keys(JSON.parse(reply.body))).toEqual([
      'type',
      'title',
      'status',
      'detail',
      'code',
      'request_id',
      '_meta',
      'errors',
    ])
  })
})

describe('every answer', () => {
  const paths = [
    '/v1/items',
    '/v1/items?page=0',
    '/v1/nothing',
    '/healthz',
    '/readyz',
    '/photos/x',
    `/v1/items/${itemId}`,
  ]
  test.each(paths)('%s: request id, no-store, nosniff, and nothing of the machinery', async (path) => {
    for (const token of [undefined, null]) {
      const { headers } = await app.get(path, token === null ? { token } : {})
      expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/)
      expect(headers['cache-control']).toBe('no-store')
      expect(headers['x-content-type-options']).toBe('nosniff')
      expect(headers).not.toHaveProperty('x-powered-by')
      expect(headers).not.toHaveProperty('etag')
    }
  })

  test('a request id is never taken from the request', async () => {
    const { headers } = await app.get('/v1/items', { headers: { 'X-Request-Id': 'mine' } })
    expect(headers['x-request-id']).not.toBe('mine')
  })
})

describe('health', () => {
  test('/healthz asks nobody', async () => {
    const reply = await app.get('/healthz', { token: null })
    expect([reply.status, reply.body]).toEqual([200, '{"status":"ok"}'])
  })

  test('/readyz says whether the service can answer', async () => {
    const ready = await app.get('/readyz', { token: null })
    expect([ready.status, ready.body]).toEqual([200, '{"status":"ready","schema_version":"000001.sql"}'])
    const other = await startApp({ ready: async () => ({ ready: false, reason: 'a migration is pending' }) })
    const failing = await startApp({ ready: () => Promise.reject(new Error('canary')) })
    const [away, broken] = [await other.get('/readyz'), await failing.get('/readyz')]
    expect([away.status, away.body]).toEqual([503, '{"status":"unavailable","reason":"a migration is pending"}'])
    expect([broken.status, broken.body]).toEqual([
      503,
      '{"status":"unavailable","reason":"the readiness check failed"}',
    ])
    await Promise.all([other.close(), failing.close()])
  })
})

/** Without what counts requests. */
function headersOf(reply: Reply): string {
  return withoutRequestId({ ...reply, body: '' }).replaceAll(/[rt]=\d+/g, '')
}

function bodyWithoutId(answer: string): string {
  return answer.slice(answer.indexOf('{"type"')).replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}|<id>/g, '<id>')
}
