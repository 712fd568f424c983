import { connect } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { emptyList, newToken, type RunningApp, startApp, tokenId } from './support.ts'

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
