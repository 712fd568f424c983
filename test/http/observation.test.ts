import { connect } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { DatabaseUnavailable } from '../../src/database/errors.ts'
import { emptyList, itemId, newToken, type RunningApp, startApp, tokenId } from './support.ts'

let app: RunningApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.close())
beforeEach(() => {
  app.activities.length = 0
  app.answer(() => emptyList)
})

const lines = () =>
  app
    .log()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
const lineOf = (requestId: unknown) => lines().find((line) => line.request_id === requestId && line.msg === 'request')

test('one line per request, with the template of its route and the names of its parameters', async () => {
  const reply = await app.get('/v1/items?page=2&category=Microphones&other=1')
  expect(lineOf(reply.headers['x-request-id'])).toEqual({
    level: 'info',
    time: expect.any(String),
    request_id: reply.headers['x-request-id'],
    method: 'GET',
    route: '/v1/items',
    parameters: ['page', 'category'],
    status: 200,
    duration_ms: expect.any(Number),
    token_id: tokenId,
    msg: 'request',
  })
  const unknown = await app.get('/some/where', { token: null })
  expect(lineOf(unknown.headers['x-request-id'])).toMatchObject({ route: 'unmatched', status: 404 })
})

test('a request of a known token is recorded, whatever its answer', async () => {
  const token = newToken()
  const path = `/v1/items/${itemId}`
  await app.get(path, { token })
  app.answer(() => ({ status: 404 }))
  await app.get(path, { token, method: 'HEAD' })
  app.answer(() => ({ status: 403 }))
  await app.get(path, { token })
  app.answer(() => new DatabaseUnavailable('down'))
  await app.get(path, { token })
  await app.get('/v1/items?page=0', { token })
  expect(app.activities.map(({ endpoint, status }) => `${status} ${endpoint}`)).toEqual([
    '200 GET /v1/items/{id}',
    '404 HEAD /v1/items/{id}',
    '403 GET /v1/items/{id}',
    '503 GET /v1/items/{id}',
    '400 GET /v1/items',
  ])
  for (const { tokenId: id, at, durationMs } of app.activities) {
    expect(id).toBe(tokenId)
    expect(Math.abs(Date.now() - at.getTime())).toBeLessThan(5_000)
    expect(durationMs).toBeGreaterThan(0)
  }
})

test('a request without a known token is not recorded', async () => {
  app.answer(() => ({ status: 401 }))
  await app.get('/v1/items')
  await app.get('/v1/items', { token: null })
  await app.get('/healthz')
  expect(app.activities).toEqual([])
})

test('a client that leaves early is logged as such', async () => {
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  app.answer(async () => {
    await released
    return emptyList
  })
  const before = app.queries.length
  const socket = connect(app.port)
  socket.write(`GET /v1/items HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${newToken()}\r\n\r\n`)
  await vi.waitFor(() => expect(app.queries.length).toBe(before + 1))
  socket.destroy()
  await vi.waitFor(() =>
    expect(lines().filter(({ aborted, status }) => aborted === true && status === 499)).toHaveLength(1),
  )
  release()
})

test('no secret reaches the log, wherever it was put', async () => {
  const token = newToken()
  const secret = token.slice('svc_studio_'.length)
  app.answer(() => new Error('it broke'))
  await app.get('/v1/items', { token })
  app.answer(() => emptyList)
  const paths = [
    `/v1/items?token=${token}`,
    `/v1/items/${token}`,
    `/${token}`,
    `/photos/${token}.${token}.${token}`,
    `/v1/items?page=${token}`,
  ]
  for (const path of paths)
    await app.get(path, { token, headers: { Cookie: token, 'User-Agent': token, Referer: token } })
  await app.raw(`GET /${token} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nX-Odd : ${token}\r\n\r\n`)
  expect(app.log()).not.toContain(secret)
  expect(app.log()).not.toContain(secret.slice(4))
})
