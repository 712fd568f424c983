import { expect, test } from 'vitest'
import { type CachedAnswer, createCache } from '../../src/api/cache.ts'
import type { Question } from '../../src/api/operation.ts'
import { operations } from '../../src/api/operations.ts'
import type { Answer } from '../../src/database/answer.ts'
import { type Body, createBody } from '../../src/http/compression.ts'
import { defaultParameters } from '../../src/http/parameters.ts'

const listItems = operations.find(({ id }) => id === 'list_items')
if (listItems === undefined) throw new Error('there is no list_items')
const operation = listItems

const question = (more: Partial<Question> = {}): Question => ({ ...defaultParameters, id: null, ...more })
const answer = (more: Partial<Answer> = {}): Answer => ({
  status: 200,
  token_id: 'a token',
  plan_tier: 'studio',
  total: '1',
  data: '{}',
  photo_keys: null,
  studio_id: 'A',
  version: 'A/1',
  last_at: null,
  last_id: null,
  has_more: null,
  watermark: null,
  ...more,
})

const textOf = (cached: CachedAnswer | undefined) => String((cached?.content as Body | undefined)?.plain)

test('ten million bytes of different questions stay within what they may take', () => {
  const cache = createCache(1_000_000, '{}')
  const body = createBody(Buffer.alloc(2_000))
  for (let n = 0; n < 5_000; n += 1) cache.set(operation, question({ category: `category ${n}` }), answer(), body)
  for (let n = 0; n < 20_000; n += 1) {
    const updated_since = new Date(n).toISOString()
    cache.set(operation, question({ category: `c ${n}`, updated_since }), answer({ total: '0' }), body)
  }
  const { bytes, entries } = cache.stats()
  expect(bytes).toBeLessThanOrEqual(1_000_000)
  expect(entries).toBeGreaterThan(100)
})

test('an answer that is larger than the whole cache is not cached, and evicts nothing', () => {
  const cache = createCache(10_000, '{}')
  cache.set(operation, question(), answer(), createBody('small'))
  cache.set(operation, question({ page: 2 }), answer(), createBody(Buffer.alloc(20_000)))
  expect(cache.get('A', operation, question())).toMatchObject({ answer: { version: 'A/1' } })
  expect(cache.get('A', operation, question({ page: 2 }))).toEqual({})
})

test('what was compressed of a body counts towards the size of the cache, until the body is evicted', async () => {
  const cache = createCache(10_000, '{}')
  const body = createBody('a list of the studio, '.repeat(100))
  cache.set(operation, question(), answer(), body)
  const before = cache.stats().bytes
  const [brotli, gzip] = await Promise.all([body.encoded('br'), body.encoded('gzip')])
  expect(brotli.length).toBeGreaterThan(20)
  expect(cache.stats().bytes - before).toBe(brotli.length + gzip.length)
  expect(await body.encoded('br')).toBe(brotli)

  const late = createBody('another page, '.repeat(100))
  cache.set(operation, question({ page: 2 }), answer(), late)
  cache.set(operation, question({ page: 3 }), answer(), createBody(Buffer.alloc(8_000)))
  const full = cache.stats().bytes
  await late.encoded('br')
  expect(cache.stats().bytes).toBeLessThanOrEqual(full)
  expect(cache.get('A', operation, question({ page: 2 }))).toEqual({})
})

test('what is cached for one studio is not found for another, nor for a token never seen', () => {
  const cache = createCache(10_000, '{}')
  cache.set(operation, question(), answer(), createBody('of A'), { etag: '"a"' })
  // Whatever B was last seen at: no two studios have the same version, but nothing shall hang on it.
  cache.set(operation, question({ page: 9 }), answer({ studio_id: 'B' }), createBody('of B'))
  expect(cache.get('B', operation, question())).toEqual({})
  expect(cache.get(undefined, operation, question())).toEqual({})
  const { answer: found } = cache.get('A', operation, question())
  expect([found?.version, textOf(found), found?.headers]).toEqual(['A/1', 'of A', { etag: '"a"' }])
})

test('a partial answer, without a version, is not cached', () => {
  const cache = createCache(10_000, '{}')
  cache.set(operation, question(), answer({ version: null }), createBody('partly'))
  expect(cache.get('A', operation, question())).toEqual({})
})

test('the last key of a page is the cursor of the next one to the same question', () => {
  const cache = createCache(10_000, '{}')
  const last = { total: '100', last_at: '2026-01-01 00:00:00+00', last_id: 'an id' }
  cache.set(operation, question({ page: 3 }), answer(last), createBody('page 3'))
  const cursor = { version: 'A/1', total: '100', at: '2026-01-01 00:00:00+00', id: 'an id' }
  expect(cache.get('A', operation, question({ page: 4 }))).toEqual({ cursor })
  expect(cache.get('A', operation, question({ page: 4, per_page: 10 }))).toEqual({})
  expect(cache.get('A', operation, question({ page: 4, category: 'Microphones' }))).toEqual({})
  expect(cache.get('A', operation, question({ page: 5 }))).toEqual({})
})

test('an entry of another version than the last one seen is dropped, and does not hide the current cursor of its page', () => {
  const cache = createCache(10_000, '{}')
  const last = { total: '100', last_at: '2026-01-01 00:00:00+00', last_id: 'an id' }
  for (const page of [3, 4]) cache.set(operation, question({ page }), answer(last), createBody(`page ${page} then`))
  cache.set(operation, question({ page: 3 }), answer({ ...last, version: 'A/2' }), createBody('page 3 now'))
  const cursor = { version: 'A/2', total: '100', at: '2026-01-01 00:00:00+00', id: 'an id' }
  expect(cache.get('A', operation, question({ page: 4 }))).toEqual({ cursor })
  expect(cache.get('A', operation, question({ page: 5 }))).toEqual({})
  expect(textOf(cache.get('A', operation, question({ page: 3 })).answer)).toBe('page 3 now')
})

test('an empty poll of another version than the last one seen is not used', () => {
  const cache = createCache(10_000, '{}')
  const poll = question({ updated_since: '2026-01-01' })
  cache.set(operation, poll, answer({ total: '0', data: '' }), createBody('x'))
  expect(cache.get('A', operation, poll).answer?.version).toBe('A/1')
  cache.set(operation, question(), answer({ version: 'A/2' }), createBody('y'))
  expect(cache.get('A', operation, poll)).toEqual({})
})

test('of two empty polls of one version the earlier time is cached', () => {
  const cache = createCache(10_000, '{"m":1}')
  const empty = answer({ total: '0', data: '' })
  for (const since of ['2026-02-01', '2026-01-01', '2026-03-01']) {
    cache.set(operation, question({ updated_since: since }), empty, createBody('x'))
  }
  const body = '{"data":[],"meta":{"page":1,"per_page":50,"total":0,"next_page":null},"_meta":{"m":1}}'
  for (const since of ['2026-01-01', '2026-01-02', '2026-09-09']) {
    const cached = cache.get('A', operation, question({ updated_since: since }))
    expect(textOf(cached.answer)).toBe(body)
  }
  expect(cache.get('A', operation, question({ updated_since: '2025-12-31' }))).toEqual({})
  expect(cache.get('A', operation, question())).toEqual({})
})

test('an item whose photos are signed for each answer is cached unsigned, and counts with its keys', () => {
  const cache = createCache(10_000, '{}')
  const unsigned = { data: '{"id":1}', photoKeys: ['a/1.jpg', 'a/2.jpg'] }
  cache.set(operation, question(), answer({ total: null }), { data: '', photoKeys: [] })
  const before = cache.stats().bytes
  cache.set(operation, question(), answer({ total: null }), unsigned)
  expect(cache.stats().bytes - before).toBe(unsigned.data.length + 2 * 14)
  expect(cache.get('A', operation, question()).answer?.content).toBe(unsigned)
})
