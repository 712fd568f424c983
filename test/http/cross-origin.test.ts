import { describe, expect, onTestFinished, test } from 'vitest'
import { operations, prefix } from '../../src/api/operations.ts'
import { itemId, startApp, useApp } from './support.ts'

const origin = 'https://dashboard.example'
const preflight = {
  Origin: origin,
  'Access-Control-Request-Method': 'GET',
  'Access-Control-Request-Headers': 'authorization',
}
const paths = [
  ...operations.map(({ path }) => prefix + path.replace('{id}', itemId)),
  ...['/v1/unknown', '/openapi.json', '/openapi.yaml'],
]

const app = useApp()

const send = (method: string, path: string, headers: Record<string, string>) =>
  fetch(`http://127.0.0.1:${app.port}${path}`, { method, headers, redirect: 'manual' })

describe('a script of another origin', () => {
  test.each(paths)('may ask %s, without a request to the database', async (path) => {
    const reply = await send('OPTIONS', path, preflight)
    expect([reply.status, await reply.text()]).toEqual([204, ''])
    expect(Object.fromEntries(reply.headers)).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET,HEAD',
      'access-control-allow-headers': expect.stringContaining('Authorization'),
      'access-control-max-age': '7200',
    })
    expect(reply.headers.get('access-control-allow-credentials')).toBeNull()
    expect(reply.headers.get('ratelimit')).toBeNull()
    expect(app.queries).toEqual([])
  })

  test.each(paths)('may read what %s answers, and its headers', async (path) => {
    const reply = await send('GET', path, { Origin: origin })
    expect(reply.headers.get('access-control-allow-origin')).toBe('*')
    const exposed = reply.headers.get('access-control-expose-headers')?.split(',')
    for (const name of [
      'Link',
      'ETag',
      'Next-Updated-Since-Age',
      'Retry-After',
      'RateLimit-Remaining',
      'X-Total-Count',
    ]) {
      expect(exposed).toContain(name)
    }
  })

  test.each(['/', '/docs', '/healthz', '/readyz', '/console', '/photos/x', '/v1x'])('may not read %s', async (path) => {
    for (const [method, headers] of [
      ['GET', { Origin: origin }],
      ['OPTIONS', preflight],
    ] as const) {
      const reply = await send(method, path, headers)
      expect(reply.headers.get('access-control-allow-origin'), method).toBeNull()
    }
  })
})

test('an OPTIONS request that is not a preflight gets 405', async () => {
  expect((await send('OPTIONS', '/v1/items', { Origin: origin })).status).toBe(405)
})

test('where it is switched off, no other origin may read anything', async () => {
  const closed = await startApp({ config: { cors: false } })
  onTestFinished(closed.close)
  for (const [method, headers, status] of [
    ['OPTIONS', preflight, 405],
    ['GET', { Origin: origin }, 401],
  ] as const) {
    const reply = await fetch(`http://127.0.0.1:${closed.port}/v1/items`, { method, headers })
    expect([reply.status, reply.headers.get('access-control-allow-origin')]).toEqual([status, null])
  }
})
