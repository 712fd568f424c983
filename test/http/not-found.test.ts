import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { emptyList, itemId, newToken, type RunningApp, startApp, withoutRequestId } from './support.ts'

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
    'an id that is %s: the statement authenticates the token, then the answer of an unknown id',
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
        expect(app.queries.map(({ name, values }) => [name, values.at(-1)])).toEqual([
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
    expect(app.queries[0]?.values.at(-1)).toBe(itemId.toUpperCase())
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

function bodyWithoutId(answer: string): string {
  return answer.slice(answer.indexOf('{"type"')).replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}|<id>/g, '<id>')
}
