import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { operations } from '../../src/api/operations.ts'
import { itemId, newToken, type Reply, startApp, useApp } from './support.ts'

const studio = '11111111-1111-4111-8111-111111111111'
const version = (data: number, day = '2026-05-05', of = studio) => `${of}/${data}/${day}`
const watermark = '2026-05-05 12:00:00+00'
const found = { status: 200, total: '1', data: '{}', studio_id: studio, version: version(7), watermark }

const app = useApp()
beforeEach(() => {
  app.answer(() => found)
})

const token = newToken()
const ask = (path: string, ifNoneMatch?: string, more: object = {}): Promise<Reply> =>
  app.get(path, { token, headers: ifNoneMatch === undefined ? {} : { 'If-None-Match': ifNoneMatch }, ...more })
const tagOf = async (path: string) => String((await ask(path)).headers.etag)

const paths = operations.map(({ id, path }) => ({ id, path: `/v1${path.replace('{id}', itemId)}` }))
const tagged = paths.filter(({ id }) => id !== 'get_item')

describe('If-None-Match', () => {
  test('HEAD has all the headers of GET', async () => {
    app.answer(() => ({ ...found, has_more: true, last_at: watermark, last_id: itemId, photo_keys: [] }))
    // These headers name a request or count it, so they differ.
    const own = new Set(['date', 'x-request-id', 'ratelimit', 'ratelimit-remaining', 'ratelimit-reset'])
    const shared = ({ headers }: Reply) => Object.entries(headers).filter(([name]) => !own.has(name))
    for (const { id, path } of paths) {
      const [get, head] = [await ask(path), await ask(path, undefined, { method: 'HEAD' })]
      expect([head.status, head.body], id).toEqual([200, ''])
      expect(Object.fromEntries(shared(head)), id).toEqual(Object.fromEntries(shared(get)))
    }
  })

  test('item detail has none, and If-None-Match never spares its body, since photo URLs are signed each time', async () => {
    const path = `/v1/items/${itemId}`
    app.answer(() => ({ ...found, photo_keys: [] }))
    const { headers } = await ask(path)
    expect(headers.etag).toBeUndefined()
    for (const tag of ['*', 'W/"x.7.2026-05-05"', await tagOf('/v1/account')]) {
      const { status, body } = await ask(path, tag)
      expect([status, body !== '']).toEqual([200, true])
    }
  })

  test.each<[form: string, field: (opaque: string) => string]>([
    ['weak', (opaque) => `W/"${opaque}"`],
    ['strong', (opaque) => `"${opaque}"`],
    ['with the coding that Apache appended', (opaque) => `W/"${opaque}-gzip"`],
    ['the same of brotli', (opaque) => `"${opaque}-br"`],
    ['in a list', (opaque) => `"x", W/"y.1.2026-01-01", W/"${opaque}"`],
    ['in a list without spaces', (opaque) => `"x",W/"${opaque}","z"`],
    ['any', () => '*'],
  ])('%s: 304', async (_form, field) => {
    const [, opaque = ''] = /"(.+)"/.exec(await tagOf('/v1/items')) ?? []
    expect((await ask('/v1/items', field(opaque))).status).toBe(304)
  })

  test.each(['', 'x', '""', 'W/', '"*"', '"unterminated', `W/"${'a'.repeat(4_000)}"`])(
    '%s: 200, as if there were none',
    async (field) => {
      const { status, body } = await ask('/v1/items', field)
      expect([status, body !== '']).toEqual([200, true])
    },
  )
})

describe('a tag is of one answer alone', () => {
  test('no operation takes that of another', async () => {
    for (const one of tagged) {
      const tag = await tagOf(one.path)
      for (const other of tagged) {
        expect((await ask(other.path, tag)).status, `${one.id} ${other.id}`).toBe(one === other ? 304 : 200)
      }
    }
  })

  test('nor another page, page size, filter or id', async () => {
    const tag = await tagOf('/v1/items?per_page=2')
    expect((await ask('/v1/items?per_page=002&unknown=1&page=1', tag)).status).toBe(304)
    for (const query of [
      '',
      '?per_page=3',
      ...['page=2', 'category=x', 'updated_since=2026-01-01'].map((q) => `?per_page=2&${q}`),
    ]) {
      expect((await ask(`/v1/items${query}`, tag)).status, query).toBe(200)
    }
    const policy = await tagOf(`/v1/policies/${itemId}`)
    expect((await ask(`/v1/policies/${itemId}`, policy)).status).toBe(304)
    expect((await ask(`/v1/policies/${studio}`, policy)).status).toBe(200)
  })

  test('nor the page that a cursor leads to', async () => {
    app.answer(() => ({ ...found, has_more: true, last_at: watermark, last_id: itemId }))
    const { headers } = await ask('/v1/items?per_page=1')
    const [, next = ''] = /<https:\/\/[^/]+([^>]+)>/.exec(String(headers.link)) ?? []
    const second = await ask(next)
    expect(second.headers.etag).not.toBe(headers.etag)
    expect((await ask(next, String(headers.etag))).status).toBe(200)
    expect((await ask(next, String(second.headers.etag))).status).toBe(304)
    expect((await ask('/v1/items?per_page=1&page=2', String(second.headers.etag))).status).toBe(200)
  })

  test('nor another release, nor one with another address of its documentation', async () => {
    const tag = await tagOf('/v1/items')
    const elsewhere = await startApp({ config: { docsUrl: 'https://elsewhere.example.com/docs' } })
    onTestFinished(elsewhere.close)
    elsewhere.answer(() => found)
    expect((await elsewhere.get('/v1/items', { token, headers: { 'If-None-Match': tag } })).status).toBe(200)
  })
})

describe('only a 200 becomes a 304', () => {
  test('404, 401, 403, 410 and 400 ignore If-None-Match and have no ETag', async () => {
    const tag = await tagOf(`/v1/policies/${itemId}`)
    for (const status of [404, 401, 403, 410]) {
      app.answer(() => ({ status, studio_id: status === 401 ? null : studio, version: version(7) }))
      for (const field of [tag, '*']) {
        const reply = await ask(`/v1/policies/${itemId}`, field)
        expect([reply.status, reply.headers.etag, reply.body !== '']).toEqual([status, undefined, true])
      }
    }
    app.answer(() => found)
    expect((await ask('/v1/items?page=0', '*')).status).toBe(400)
    expect((await ask('/v1/nothing', '*')).status).toBe(404)
  })

  test('an answer without a version has no ETag and is sent whole, also for *', async () => {
    app.answer(() => ({ ...found, version: null }))
    const reply = await ask('/v1/items', '*')
    expect([reply.status, reply.headers.etag, reply.body !== '']).toEqual([200, undefined, true])
  })
})
