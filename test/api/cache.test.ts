import { expect, test } from 'vitest'
import { type CachedAnswer, createCache, type RequestKey } from '../../src/api/cache.ts'
import { listItems } from '../../src/api/items.ts'
import { readParameters, type Values } from '../../src/api/parameters.ts'
import type { Answer } from '../../src/database/answer.ts'
import { createBody } from '../../src/http/compression.ts'

const requestKey = (more: Values = {}): RequestKey => ({
  ...{ operation: listItems, id: null, format: 'json' },
  values: { ...readParameters(listItems.parameters, '').values, ...more },
})
const answer = (more: Partial<Answer> = {}): Answer => ({
  ...{ status: 200, token_id: 'a token', plan_tier: 'studio', studio_id: 'A', version: 'A/1', watermark: null },
  ...{ total: '1', data: '{}' },
  ...more,
})
const body = (text: string | Buffer) => ({ content: createBody(text), headers: {} })
const textOf = (cached: CachedAnswer | undefined) =>
  cached && 'plain' in cached.content ? String(cached.content.plain) : undefined

test('ten million bytes of different questions stay within what they may take', () => {
  const cache = createCache(1_000_000, '{}')
  for (let n = 0; n < 5_000; n += 1) {
    cache.store(requestKey({ category: `category ${n}` }), answer(), body(Buffer.alloc(2_000)))
  }
  for (let n = 0; n < 20_000; n += 1) {
    const updated_since = new Date(n).toISOString()
    cache.store(requestKey({ category: `c ${n}`, updated_since }), answer({ total: '0' }), body(''))
  }
  const { bytes, entries } = cache.stats()
  expect(bytes).toBeLessThanOrEqual(1_000_000)
  expect(entries).toBeGreaterThan(100)
})

test('an answer that is larger than the whole cache is not cached, and evicts nothing', () => {
  const cache = createCache(10_000, '{}')
  cache.store(requestKey(), answer(), body('small'))
  cache.store(requestKey({ page: 2 }), answer(), body(Buffer.alloc(20_000)))
  expect(cache.find('A', requestKey())).toMatchObject({ version: 'A/1' })
  expect(cache.find('A', requestKey({ page: 2 }))).toBeUndefined()
})

test('what is cached for one studio is not found for another', () => {
  const cache = createCache(10_000, '{}')
  cache.store(requestKey(), answer(), { ...body('of A'), headers: { ETag: '"a"' } })
  expect(cache.find('B', requestKey())).toBeUndefined()
  const found = cache.find('A', requestKey())
  expect([found?.version, textOf(found), found?.headers]).toEqual(['A/1', 'of A', { ETag: '"a"' }])
})

test('formats, pages and filters are questions of their own', () => {
  const cache = createCache(100_000, '{}')
  const others: RequestKey[] = [
    { ...requestKey(), format: 'csv' },
    ...[{ page: 2 }, { per_page: 10 }, { category: 'Microphones' }, { updated_since: '2026-01-01' }].map(requestKey),
  ]
  cache.store(requestKey(), answer(), body('the first'))
  for (const other of others) expect(cache.find('A', other)).toBeUndefined()
  for (const other of others) cache.store(other, answer(), body('another'))
  expect(textOf(cache.find('A', requestKey()))).toBe('the first')
})

test('of two empty polls of one version the earlier time is cached, for all later ones', () => {
  const cache = createCache(10_000, '{"m":1}')
  for (const updated_since of ['2026-02-01', '2026-01-01', '2026-03-01']) {
    cache.store(requestKey({ updated_since }), answer({ total: '0', data: '' }), body('x'))
  }
  const page = '{"data":[],"meta":{"page":1,"per_page":50,"total":0,"next_page":null},"_meta":{"m":1}}'
  for (const updated_since of ['2026-01-01', '2026-01-02', '2026-09-09']) {
    expect(textOf(cache.find('A', requestKey({ updated_since })))).toBe(page)
  }
  expect(cache.find('A', requestKey({ updated_since: '2025-12-31' }))).toBeUndefined()
  expect(cache.find('A', requestKey())).toBeUndefined()
  cache.store(requestKey({ updated_since: '2026-06-01' }), answer({ total: '0', version: 'A/2' }), body('x'))
  expect(cache.find('A', requestKey({ updated_since: '2026-01-01' }))).toBeUndefined()
})
