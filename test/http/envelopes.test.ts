import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { docsUrl, emptyList, itemId, type RunningApp, startApp } from './support.ts'

let app: RunningApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.close())
beforeEach(() => {
  app.queries.length = 0
})
afterEach(() => app.answer(() => emptyList))

const meta = JSON.stringify({
  disclaimers: [
    'coverage_state and gap_amount reflect valuation status and not insurance adequacy.',
    'market_value_estimate is derived from third-party market data and is no guarantee of resale value.',
  ],
  documentation_url: `${docsUrl}#adequacy-disclaimer`,
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
