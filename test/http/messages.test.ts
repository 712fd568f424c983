import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { problem } from '../../src/docs/openapi/problem.ts'
import { emptyList, newToken, startApp, useApp } from './support.ts'

const app = useApp()

const token = newToken()
const authorized = `Host: x\r\nAuthorization: Bearer ${token}\r\n`

/** The response, which must be whole: one status, one problem body, then the end of the
 * connection. */
function expectProblem(answer: string, status: number, code: string): void {
  expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
  const [head = '', body = ''] = answer.split('\r\n\r\n')
  expect(head).toMatch(/\r\nContent-Type: application\/problem\+json; charset=utf-8(\r\n|$)/)
  expect(head).toMatch(/\r\nCache-Control: no-store(\r\n|$)/)
  expect(head).toMatch(/\r\nConnection: close(\r\n|$)/)
  expect(head).toMatch(new RegExp(`\\r\\nContent-Length: ${Buffer.byteLength(body, 'latin1')}(\\r\\n|$)`))
  expect(problem.parse(JSON.parse(body))).toMatchObject({ status, code })
  expect(head).toContain(`X-Request-Id: ${JSON.parse(body).request_id}`)
}

describe('messages that the parser refuses', () => {
  const malformed: [name: string, message: string][] = [
    ['no HTTP at all', 'hello\r\n\r\n'],
    ['a TLS handshake', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
    ['HTTP/0.9', 'GET /v1/items\r\n\r\n'],
    ['an HTTP/2 preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['an unknown method', `FROB /v1/items HTTP/1.1\r\n${authorized}\r\n`],
    [
      'Transfer-Encoding beside Content-Length',
      `GET /v1/items HTTP/1.1\r\n${authorized}Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n`,
    ],
    ['two Content-Lengths', `GET /v1/items HTTP/1.1\r\n${authorized}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`],
    ['a negative Content-Length', `GET /v1/items HTTP/1.1\r\n${authorized}Content-Length: -1\r\n\r\n`],
    ['a space before the colon', `GET /v1/items HTTP/1.1\r\n${authorized}X-Odd : 1\r\n\r\n`],
    ['a NUL in a header', `GET /v1/items HTTP/1.1\r\n${authorized}X-Odd: a\0b\r\n\r\n`],
    ['a bare carriage return', `GET /v1/items HTTP/1.1\r\n${authorized}X-Odd: a\rX: b\r\n\r\n`],
    ['raw bytes in the target', `GET /v1/items/\xe9\xff HTTP/1.1\r\n${authorized}\r\n`],
    ['a space in the target', `GET /v1/it ems HTTP/1.1\r\n${authorized}\r\n`],
  ]
  test.each(malformed)('%s: 400 with a body, then closed', async (_, message) => {
    expectProblem(await app.raw(message), 400, 'bad_request')
    expect(app.queries).toEqual([])
  })

  test('a 70 kB header: 431 however it arrives', async () => {
    const headers = `X-Long: ${'a'.repeat(70_000)}\r\n`
    const message = `GET /v1/items HTTP/1.1\r\n${authorized}${headers}\r\n`
    expectProblem(await app.raw(message), 431, 'header_fields_too_large')
    expectProblem(
      await app.raw([message.slice(0, 40), message.slice(40, 30_000), message.slice(30_000)]),
      431,
      'header_fields_too_large',
    )
  })

  test('a refused message does not reach the log', async () => {
    await app.raw(`GET /v1/items HTTP/1.1\r\n${authorized}X-Odd : canary-4711\r\n\r\n`)
    expect(app.log()).toContain('refused a message')
    expect(app.log()).not.toContain('canary-4711')
    expect(app.log()).not.toContain(token)
  })

  test('rubbish behind a good request: the good answer is whole or not there, and the process goes on', async () => {
    const good = `GET /v1/items HTTP/1.1\r\n${authorized}\r\n`
    const rubbish = '\x01\x02rubbish\r\n\r\n'
    let finish = () => {}
    app.answer(() => new Promise((resolve) => (finish = () => resolve(emptyList))))
    expectProblem(await app.raw([good, rubbish]), 400, 'bad_request')
    await expect.poll(app.log).toContain('"route":"/v1/items","parameters":[],"status":499')
    finish()
    app.answer(() => emptyList)
    const both = await app.raw([good, /\r\n\r\n\{.*\}$/s, 'x', rubbish])
    expect(both.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 400'])
  })

  test('rubbish during an answer that has begun: the connection is cut, nothing is written into the answer', async () => {
    const content = Readable.from(
      (async function* () {
        yield 'begun'
        await sleep(1_000)
        yield 'ended'
      })(),
    )
    const open = async () => ({ contentType: 'image/png', bytes: 10, content })
    const other = await startApp({ signer: { sign: async () => '', open } })
    const answer = await other.raw(['GET /photos/x HTTP/1.1\r\nHost: x\r\n\r\n', /begun$/, '\x01\x02rubbish\r\n\r\n'])
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n.*begun$/s)
    expect(answer).not.toContain('HTTP/1.1 400')
    await other.close()
  })
})

describe('messages that the parser lets pass and the app refuses', () => {
  test('a 20 kB URL: 414', async () => {
    expectProblem(
      await app.raw(`GET /v1/items?${'a'.repeat(20_000)} HTTP/1.1\r\n${authorized}\r\n`),
      414,
      'uri_too_long',
    )
    expectProblem(await app.raw(`GET /${'a'.repeat(20_000)} HTTP/1.1\r\n${authorized}\r\n`), 414, 'uri_too_long')
  })

  test('a 20 kB header, and a 20 kB token: 431', async () => {
    const long = 'a'.repeat(20_000)
    expectProblem(
      await app.raw(`GET /v1/items HTTP/1.1\r\n${authorized}X-Long: ${long}\r\n\r\n`),
      431,
      'header_fields_too_large',
    )
    expectProblem(
      await app.raw(`GET /v1/items HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer svc_pro_${long}\r\n\r\n`),
      431,
      'header_fields_too_large',
    )
  })

  test('2,000 headers, and the Authorization header beyond them: 431', async () => {
    const many = 'X-Many: 1\r\n'.repeat(2000)
    expectProblem(await app.raw(`GET /v1/items HTTP/1.1\r\n${many}${authorized}\r\n`), 431, 'header_fields_too_large')
    expectProblem(
      await app.raw(`GET /v1/items HTTP/1.1\r\n${authorized}${'a:\r\n'.repeat(200)}\r\n`),
      431,
      'header_fields_too_large',
    )
  })

  test('no Host, or two: 400', async () => {
    expectProblem(await app.raw(`GET /v1/items HTTP/1.1\r\nAuthorization: Bearer ${token}\r\n\r\n`), 400, 'bad_request')
    expectProblem(await app.raw(`GET /v1/items HTTP/1.1\r\nHost: y\r\n${authorized}\r\n`), 400, 'bad_request')
  })
})

describe('messages that are unusual and in order', () => {
  const close = 'Connection: close\r\n'
  const served: [name: string, message: string][] = [
    ['HTTP/1.0 without Host', `GET /v1/items HTTP/1.0\r\nAuthorization: Bearer ${token}\r\n\r\n`],
    ['the absolute form', `GET http://x/v1/items HTTP/1.1\r\n${authorized}${close}\r\n`],
    [
      'an absolute form with an impossible port',
      `GET http://x:99999999/v1/items?page=1 HTTP/1.1\r\n${authorized}${close}\r\n`,
    ],
    ['an expectation that is not known', `GET /v1/items HTTP/1.1\r\n${authorized}Expect: a-miracle\r\n${close}\r\n`],
    [
      'a body that nobody asked for',
      `GET /v1/items HTTP/1.1\r\n${authorized}Content-Length: 9\r\n${close}\r\nsvc_pro_x`,
    ],
    [
      'an upgrade that is not offered',
      `GET /v1/items HTTP/1.1\r\n${authorized}Connection: close, upgrade\r\nUpgrade: websocket\r\n\r\n`,
    ],
    [
      'an 8 kB header that means nothing',
      `GET /v1/items HTTP/1.1\r\n${authorized}X-Long: ${'a'.repeat(8_000)}\r\n${close}\r\n`,
    ],
    [
      'two requests at once',
      `GET /v1/items HTTP/1.1\r\n${authorized}\r\nGET /v1/items HTTP/1.1\r\n${authorized}${close}\r\n`,
    ],
  ]
  test.each(served)('%s: served', async (_, message) => {
    const answer = await app.raw(message)
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
    expect(answer).toContain('{"data":[],"meta":')
    expect(app.queries.length).toBeGreaterThan(0)
  })

  test('OPTIONS *: 404 as JSON', async () => {
    const answer = await app.raw('OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    expectProblem(answer, 404, 'not_found')
  })
})
