import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { problem } from '../../src/docs/openapi/problem.ts'
import { generous } from '../support/service.ts'
import { type GraphqlService, startGraphql, tokenOf, useGraphql } from './support.ts'

const world = useGraphql()

/** Sends a message unchanged and returns what comes back until the connection is closed. */
async function raw(message: string): Promise<string> {
  const socket = connect(world.graphql.port, '127.0.0.1')
  const chunks: Buffer[] = []
  socket.on('data', (chunk) => chunks.push(chunk))
  socket.write(message, 'latin1')
  await Promise.race([once(socket, 'close'), sleep(5_000)])
  socket.destroy()
  return Buffer.concat(chunks).toString('latin1')
}

const body = JSON.stringify({ query: '{ account { name } }' })
const post = (target: string, ...headers: string[]) =>
  [
    `POST ${target} HTTP/1.1`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    ...headers,
    '',
    body,
  ].join('\r\n')

describe('a message that is not HTTP, or too large, gets an answer and a closed connection, as at the API:', () => {
  let authorization = ''
  beforeAll(async () => {
    authorization = `Authorization: Bearer ${await tokenOf(world.cast.a)}`
  })

  test.each<[what: string, status: number, code: string, message: () => string]>([
    ['two Hosts', 400, 'bad_request', () => post('/graphql', authorization, 'Host: x', 'Host: y')],
    ['no HTTP at all', 400, 'bad_request', () => 'hello\r\n\r\n'],
  ])('%s', async (_what, status, code, message) => {
    const answer = await raw(message())
    const [head = '', text = ''] = answer.split('\r\n\r\n')
    expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
    expect(head).toMatch(/\r\nConnection: close(\r\n|$)/)
    expect(problem.parse(JSON.parse(text))).toMatchObject({ status, code })
  })
})

test('there is one address, in these letters; nothing tells what the listener is made of', async () => {
  for (const path of ['/GraphQL', '/graphql/']) expect((await world.ask('', { path })).status).toBe(404)
  const { headers } = await world.read('{ account { name } }').then(() => world.ask('{ account { name } }'))
  expect(headers).not.toHaveProperty('x-powered-by')
  expect(headers).not.toHaveProperty('etag')
  expect(headers['x-content-type-options']).toBe('nosniff')
  expect(headers['cache-control']).toBe('no-store')
  // Longer than the minute of most load balancers.
  expect(headers['keep-alive']).toBe('timeout=65')
})

describe('failed identities are counted for each address', () => {
  const limits = { ...generous, failedPerMinute: 2 }
  const started: GraphqlService[] = []
  const start = async (trustProxy: string | false) => {
    const service = await startGraphql(world.database, { limits, trustProxy })
    started.push(service)
    return async (address: string) =>
      (await service.ask('{ x }', { token: 'a.b.c', headers: { 'X-Forwarded-For': address } })).status
  }
  afterAll(async () => {
    for (const service of started) await service.stop()
  })

  test('as a trusted proxy names it', async () => {
    const from = await start('loopback')
    for (const expected of [401, 401, 429]) expect(await from('203.0.113.7')).toBe(expected)
    expect(await from('203.0.113.8')).toBe(401)
  })

  test('and by the connection’s own address without a trusted proxy', async () => {
    const from = await start(false)
    for (const [index, expected] of [401, 401, 429].entries()) expect(await from(`203.0.113.${index}`)).toBe(expected)
  })
})
