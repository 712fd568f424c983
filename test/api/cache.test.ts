import { expect, test } from 'vitest'
import { type CachedBody, createCache, type RequestKey } from '../../src/api/cache.ts'
import { listItems } from '../../src/api/items.ts'
import { readParameters, type Values } from '../../src/api/parameters.ts'
import type { OperationRow } from '../../src/database/operation-row.ts'
import { createBody } from '../../src/http/compression.ts'

const requestKey = (more: Values = {}): RequestKey => ({
  ...{ operation: listItems, id: null, format: 'json' },
  values: { ...readParameters(listItems.parameters, '').values, ...more },
})
const answer = (more: Partial<OperationRow> = {}): OperationRow => ({
  ...{ status: 200, token_id: 'a token', plan_tier: 'studio', studio_id: 'A', version: 'A/1', watermark: null },
  ...{ total: '1', data: '{}' },
  ...more,
})
const body = (text: string | Buffer) => ({ content: createBody(text), headers: {} })
const textOf = (cached: CachedBody | undefined) =>
  cached && 'plain' in cached.content ? String(cached.content.plain) : undefined

test('a million bytes of different questions stay within what they may take', () => {
  const cache = createCache(100_000, '{}')
  for (let n = 0; n < 500; n += 1) {
    cache.store(requestKey({ category: `category ${n}` }), answer(), body(Buffer.alloc(2_000)))
  }
  for (let n = 0; n < 2_000; n += 1) {
    const updated_since = new Date(n).toISOString()
    cache.store(requestKey({ category: `c ${n}`, updated_since }), answer({ total: '0' }), body(''))
  }
  const { bytes, entries } = cache.stats()
  expect(bytes).toBeLessThanOrEqual(100_000)
  expect(entries).toBeGreaterThan(10)
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
