import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { problem } from '../../src/docs/openapi/responses.ts'
import { emptyList, newToken, startApp, useApp } from './support.ts'

const app = useApp()

const token = newToken()
const authorization = `Authorization: Bearer ${token}\r\n`
const close = 'Connection: close\r\n'
/** A message with headers of its own, each with its line's end. */
const get = (headers = '', body = '', line = 'GET /v1/items HTTP/1.1') =>
  `${line}\r\nHost: x\r\n${authorization}${headers}\r\n${body}`
const long = 'a'.repeat(20_000)

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

const bad: [name: string, message: string][] = [
  ['no HTTP at all', 'hello\r\n\r\n'],
  ['a TLS handshake', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
  ['HTTP/0.9', 'GET /v1/items\r\n\r\n'],
  ['an HTTP/2 preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ['an unknown method', get('', '', 'FROB /v1/items HTTP/1.1')],
  ['Transfer-Encoding beside Content-Length', get('Transfer-Encoding: chunked\r\nContent-Length: 4\r\n', '0\r\n\r\n')],
  ['two Content-Lengths', get('Content-Length: 1\r\nContent-Length: 2\r\n', 'ab')],
  ['a negative Content-Length', get('Content-Length: -1\r\n')],
  ['a space before the colon', get('X-Odd : 1\r\n')],
  ['a NUL in a header', get('X-Odd: a\0b\r\n')],
  ['a bare carriage return', get('X-Odd: a\rX: b\r\n')],
  ['raw bytes in the target', get('', '', 'GET /v1/items/\xe9\xff HTTP/1.1')],
  ['a space in the target', get('', '', 'GET /v1/it ems HTTP/1.1')],
  ['no Host', `GET /v1/items HTTP/1.1\r\n${authorization}\r\n`],
  ['two Hosts', get('Host: y\r\n')],
]
const uri: [number, string] = [414, 'uri_too_long']
const fields: [number, string] = [431, 'header_fields_too_large']

test.each<[name: string, status: number, code: string, message: string | string[]]>([
  ...bad.map(([name, message]): [string, number, string, string] => [name, 400, 'bad_request', message]),
  ['a 20 kB path', ...uri, get('', '', `GET /${long} HTTP/1.1`)],
  ['a 20 kB query', ...uri, get('', '', `GET /v1/items?${long} HTTP/1.1`)],
  ['a 20 kB header', ...fields, get(`X-Long: ${long}\r\n`)],
  ['an 80 kB header', ...fields, get(`X-Long: ${long.repeat(4)}\r\n`)],
  ['an 80 kB header in pieces', ...fields, get(`X-Long: ${long.repeat(4)}\r\n`).match(/.{1,30000}/gs) ?? []],
  ['a 20 kB token', ...fields, `GET /v1/items HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer svc_pro_${long}\r\n\r\n`],
  ['a token behind 2,000 headers', ...fields, get('', '', `GET /v1/items HTTP/1.1${'\r\nX-Many: 1'.repeat(2000)}`)],
  ['200 headers', ...fields, get('a:\r\n'.repeat(200))],
  ['OPTIONS *', 404, 'not_found', `OPTIONS * HTTP/1.1\r\nHost: x\r\n${close}\r\n`],
])('%s: %i with a body, then closed', async (_, status, code, message) => {
  expectProblem(await app.raw(message), status, code)
  expect(app.queries).toEqual([])
})

test('a refused message does not reach the log', async () => {
  await app.raw(get('X-Odd : canary-4711\r\n'))
  expect(app.log()).toContain('refused a message')
  expect(app.log()).not.toContain('canary-4711')
  expect(app.log()).not.toContain(token)
})

test('rubbish behind a good request: the good answer is whole or not there, and the process goes on', async () => {
  const good = get()
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

test.each([
  ['HTTP/1.0 without Host', `GET /v1/items HTTP/1.0\r\n${authorization}\r\n`],
  ['the absolute form', get(close, '', 'GET http://x/v1/items HTTP/1.1')],
  ['an absolute form with an impossible port', get(close, '', 'GET http://x:99999999/v1/items?page=1 HTTP/1.1')],
  ['an expectation that is not known', get(`Expect: a-miracle\r\n${close}`)],
  ['a body that nobody asked for', get(`Content-Length: 9\r\n${close}`, 'svc_pro_x')],
  ['an upgrade that is not offered', get('Connection: close, upgrade\r\nUpgrade: websocket\r\n')],
  ['an 8 kB header that means nothing', get(`X-Long: ${'a'.repeat(8_000)}\r\n${close}`)],
  ['two requests at once', get() + get(close)],
])('the service answers %s', async (_, message) => {
  const answer = await app.raw(message)
  expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
  expect(answer).toContain('{"data":[],"meta":')
  expect(app.queries.length).toBeGreaterThan(0)
})
