import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { describeApi } from '../../src/docs/openapi/document.ts'
import { docsUrl, type RunningApp, startApp } from '../http/support.ts'

const rateLimits = { pro: { perSecond: 3, perMinute: 7 }, studio: { perSecond: 5, perMinute: 12 }, failedPerMinute: 4 }
const publicUrl = 'https://inventory.example'
const expected = JSON.parse(JSON.stringify(describeApi({ publicUrl, docsUrl, rateLimits })))

let app: RunningApp
beforeAll(async () => {
  app = await startApp({ config: { publicUrl, rateLimits } })
})
afterAll(() => app.close())
beforeEach(() => {
  app.queries.length = 0
})

describe.each([
  ['/openapi.json', 'application/json; charset=utf-8', (text: string) => JSON.parse(text)],
  ['/openapi.yaml', 'application/yaml', (text: string) => parse(text)],
])('%s', (path, type, read) => {
  test('is the description, with the addresses and limits of this service, for everybody', async () => {
    const reply = await app.get(path, { token: null })
    expect(reply.status).toBe(200)
    expect(reply.headers['content-type']).toBe(type)
    expect(reply.headers['cache-control']).toBe('no-cache')
    expect(read(reply.body)).toEqual(expected)
    expect(expected.servers[0].url).toBe('https://inventory.example/v1')
    expect(expected.info.description).toContain('5 requests in a second and 12 in a minute')
    expect(app.queries).toEqual([])
  })

  test('is not sent again to a client that has it', async () => {
    const { headers } = await app.get(path)
    expect(headers.etag).toMatch(/^W\/"[\w-]{20}"$/)
    for (const known of [headers.etag, `"other", ${headers.etag}`, '*']) {
      const again = await app.get(path, { headers: { 'If-None-Match': String(known), 'Accept-Encoding': 'br' } })
      expect([again.status, again.body, again.headers.etag]).toEqual([304, '', headers.etag])
    }
    const other = await app.get(path, { headers: { 'If-None-Match': 'W/"other"' } })
    expect([other.status, other.body.length > 0]).toEqual([200, true])
  })
})
