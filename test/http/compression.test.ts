import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { beforeEach, describe, expect, test } from 'vitest'
import { smallestCompressed } from '../../src/http/compression.ts'
import { itemId, newToken, useApp } from './support.ts'

const studio = '11111111-1111-4111-8111-111111111111'
const version = `${studio}/7/2026-05-05`
const long = JSON.stringify({ name: 'a microphone, '.repeat(300) })
const found = { status: 200, total: '1', data: long, studio_id: studio, version, watermark: '2026-05-05 12:00:00+00' }

const app = useApp()
beforeEach(() => app.answer(() => found))

const token = newToken()
const ask = (path: string, encoding?: string, more: Record<string, string> = {}, method = 'GET') =>
  app.bytes(path, {
    ...{ token, method },
    headers: { ...(encoding !== undefined && { 'Accept-Encoding': encoding }), ...more },
  })

const unpack = { br: brotliDecompressSync, gzip: gunzipSync, identity: (bytes: Buffer) => bytes }

test.each<[field: string | undefined, sent: keyof typeof unpack]>([
  [undefined, 'identity'],
  ['br', 'br'],
  ['GZIP', 'gzip'],
  ['gzip, deflate, br, zstd', 'br'],
  ['gzip;q=1, br;q=0.5', 'gzip'],
  ['br;q=0, gzip;q=0', 'identity'],
  ['identity, br;q=0.5', 'identity'],
  ['identity;q=0, gzip', 'gzip'],
  ['*', 'br'],
  ['br;q=0, *', 'gzip'],
  ['*;q=0', 'identity'],
  ['nonsense;;q=x,', 'identity'],
])('Accept-Encoding decides about the body, %s: %s', async (field, sent) => {
  const plain = await ask('/v1/items')
  const reply = await ask('/v1/items', field)
  expect(reply.status).toBe(200)
  expect(reply.headers['content-encoding'] ?? 'identity').toBe(sent)
  expect(reply.headers['content-length']).toBe(String(reply.bytes.length))
  expect(unpack[sent](reply.bytes).toString()).toBe(plain.bytes.toString())
  if (sent !== 'identity') expect(reply.bytes.length).toBeLessThan(plain.bytes.length / 4)
})

describe.each(['br', 'gzip', 'identity'] as const)('where the client takes %s', (encoding) => {
  test('the entity-tag is the same, and is answered with 304 in every coding', async () => {
    const { headers } = await ask('/v1/items', encoding)
    expect(headers.etag).toBe((await ask('/v1/items')).headers.etag)
    expect(headers.etag).toMatch(/^W\//)
    for (const other of ['br', 'gzip', 'identity']) {
      const again = await ask('/v1/items', other, { 'If-None-Match': String(headers.etag) })
      expect([again.status, again.bytes.length, again.headers.vary]).toEqual([304, 0, 'Accept, Accept-Encoding'])
      expect(again.headers).not.toHaveProperty('content-encoding')
    }
  })
})

test('every answer of the API says that it depends on Accept-Encoding, whether it was compressed or not', async () => {
  for (const path of ['/v1/items', `/v1/items/${itemId}`, '/v1/account', '/v1/items?page=x']) {
    for (const encoding of [undefined, 'br']) {
      expect((await ask(path, encoding)).headers.vary, path).toMatch(/^(Accept, )?Accept-Encoding$/)
    }
  }
})

test('a small body is sent uncompressed, unless the client refuses that', async () => {
  app.answer(() => ({ ...found, version: null, data: '{}' }))
  const plain = await ask('/v1/account', 'br, gzip')
  expect(plain.headers).not.toHaveProperty('content-encoding')
  expect(plain.bytes.length).toBeLessThan(smallestCompressed)
  const packed = await ask('/v1/account', 'br, identity;q=0')
  expect(packed.headers['content-encoding']).toBe('br')
  expect(unpack.br(packed.bytes).toString()).toBe(plain.bytes.toString())
})
