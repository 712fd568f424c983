import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { queryObjects } from 'node:v8'
import { OperationPlan } from 'postgraphile/grafast'
import { getIntrospectionQuery } from 'postgraphile/graphql'
import { describe, expect, onTestFinished, test } from 'vitest'
import { problem } from '../../src/docs/openapi/responses.ts'
import { generous, isIdle } from '../support/service.ts'
import { startGraphql, tokenOf, useGraphql } from './support.ts'

const world = useGraphql()

const deep = `{ items(first: 1) { nodes { ${'location { parent { '.repeat(100)} id ${'} }'.repeat(100)} } } }`
const aliases = `{ ${Array.from({ length: 10_000 }, (_, index) => `a${index}: __typename`).join(' ')} }`
const lists = `{ ${Array.from({ length: 100 }, (_, index) => `a${index}: items(first: 1000) { nodes { id } }`).join(' ')} }`
const doubling = `query { ...f0 } ${Array.from({ length: 40 }, (_, index) => `fragment f${index} on Query { ...f${index + 1} ...f${index + 1} }`).join(' ')} fragment f40 on Query { __typename }`
const circle = 'query { ...a } fragment a on Query { ...b } fragment b on Query { ...a }'
const filter = (depth: number): object => (depth === 0 ? { name: { equalTo: 'x' } } : { not: filter(depth - 1) })
const literal = (depth: number): string =>
  depth === 0 ? '{ name: { equalTo: "x" } }' : `{ not: ${literal(depth - 1)} }`
const rows = '{ items(first: 1000) { nodes { id assignments(first: 1000) { nodes { itemId } } } } }'
const aggregates = '{ locations(first: 1000) { nodes { items { aggregates { sum { purchasePrice } } } } } }'
const sums = (count: number) =>
  `{ ${Array.from({ length: count }, (_, n) => `a${n}: items { aggregates { sum { purchasePrice } } }`).join(' ')} }`
const variable = 'query ($n: Int) { items(first: $n) { nodes { id } } }'
const filtered = 'query ($f: ItemFilter) { items(first: 1, filter: $f) { nodes { id } } }'

describe('is refused, and others are served meanwhile:', () => {
  test.each<[string, string, string, object?]>([
    ['a query that is 200 levels deep', deep, 'too_much'],
    ['ten thousand aliases', aliases, 'payload'],
    [
      'a thousand aliases',
      `{ ${Array.from({ length: 1000 }, (_, i) => `a${i}: __typename`).join(' ')} }`,
      'syntax_error',
    ],
    ['fragments that double 40 times', doubling, 'too_much'],
    ['fragments in a circle', circle, 'invalid_query'],
    ['first: 2147483647', '{ items(first: 2147483647) { nodes { id } } }', 'too_much'],
    ['first: 1001', '{ items(first: 1001) { nodes { id } } }', 'too_much'],
    ['a large first in a variable', variable, 'too_much', { n: 2147483647 }],
    ['a large first as the default of a variable', variable.replace('Int)', 'Int = 5000)'), 'too_much'],
    ['a list without first and last', '{ items { nodes { id } } }', 'too_much'],
    ['a list that hides in a fragment', '{ ...f } fragment f on Query { items { ... { nodes { id } } } }', 'too_much'],
    ['a million records', rows, 'too_much'],
    ['100 lists of a thousand', lists, 'too_much'],
    ['aggregates of a thousand lists', aggregates, 'too_much'],
    ['a filter 60 levels deep', `{ items(first: 1, filter: ${literal(60)}) { nodes { id } } }`, 'too_much'],
    ['a filter 4000 levels deep in a variable', filtered, 'too_much', { f: filter(4000) }],
    ['an offset', '{ items(first: 1, offset: 100) { nodes { id } } }', 'invalid_query'],
    ['a mutation', 'mutation { deleteItem(input: {}) { clientMutationId } }', 'invalid_query'],
    [
      'types of types of types',
      `{ __schema { types { fields { type { fields { type { fields { name } } } } } } } }`,
      'invalid_query',
    ],
  ])('%s', async (_what, query, code, variables) => {
    const asked = world.ask(query, { ...(variables && { variables }) })
    const served = await Promise.all([
      world.ask('{ account { name } }'),
      world.service.get('/v1/account', { token: world.cast.a.token.token }),
    ])
    expect(served.map(({ status }) => status)).toEqual([200, 200])
    const reply = await asked
    expect(reply.data).toBeUndefined()
    if (code === 'payload') expect(reply.status).toBe(413)
    else expect([reply.status, reply.errors?.[0]?.extensions.code]).toEqual([400, code])
    expect(isIdle(world.graphql.listener.pool)).toBe(true)
  })
})

describe('is served:', () => {
  test.each<[string, string, object?]>([
    ['what is at the limit', '{ items(first: 1000) { nodes { id name } } }'],
    ['sums of 20 lists', sums(20)],
    ['what is about all, without first', '{ items { totalCount aggregates { sum { purchasePrice } } } }'],
    ['the introspection that tools send', getIntrospectionQuery()],
  ])('%s', async (_what, query, variables) => {
    const reply = await world.ask(query, { ...(variables && { variables }) })
    expect([reply.status, reply.errors]).toEqual([200, undefined])
  })
})

test('different queries do not fill the memory: the plans of the last ten are kept', async () => {
  for (let n = 0; n < 30; n++) await world.read(`{ account { a${n}: name } }`)
  expect(queryObjects(OperationPlan, { format: 'count' })).toBeLessThan(20)
})

test('introspection and the schema in messages are for identified callers alone', async () => {
  for (const query of [getIntrospectionQuery(), '{ itemz { id } }']) {
    const reply = await world.graphql.ask(query)
    expect(reply.status).toBe(401)
    expect(reply.text).not.toContain('items')
  }
})

const body = JSON.stringify({ query: '{ account { name } }' })
describe('the listener takes queries as JSON by POST at one address and in no other way:', () => {
  test.each<[string, number, object]>([
    ['GET', 405, { method: 'GET', path: '/graphql?query=%7Baccount%7Bname%7D%7D' }],
    ['a form', 415, { body: 'query=%7Baccount%7D', headers: { 'Content-Type': 'application/x-www-form-urlencoded' } }],
    ['a compressed body', 415, { body, headers: { 'Content-Encoding': 'gzip' } }],
    ['a body that is too long', 413, { body: JSON.stringify({ query: 'x'.repeat(70_000) }) }],
    ['a body of unknown length that is too long', 413, { body: 'x'.repeat(200_000), chunked: true }],
    ['no JSON', 400, { body: '{' }],
    ['a list of queries', 400, { body: `[${body},${body}]` }],
    ['the API', 404, { method: 'GET', path: '/v1/items' }],
  ])('%s', async (_what, status, ask) => {
    const reply = await world.ask('{ account { name } }', ask)
    expect(reply.status, reply.text).toBe(status)
    expect(reply.headers['cache-control']).toBe('no-store')
    expect(reply.headers['access-control-allow-origin']).toBeUndefined()
  })
})

describe('an answer', () => {
  const newer = 'application/graphql-response+json'

  test.each<[accept: string | undefined, type: string]>([
    [undefined, 'application/json'],
    ['*/*', 'application/json'],
    ['text/plain', 'application/json'],
    [newer, newer],
  ])('to a client that accepts %s is of the type %s', async (accept, type) => {
    const { status, headers } = await world.ask('{ account { name } }', { headers: accept ? { Accept: accept } : {} })
    expect([status, headers['content-type']]).toEqual([200, `${type};charset=utf-8`])
  })

  test.each(['application/json', newer])('that refuses has its status for a client that accepts %s', async (Accept) => {
    expect((await world.ask('{ itemz }', { headers: { Accept } })).status).toBe(400)
    const token = await tokenOf(world.cast.a, world.cast.outsider)
    expect((await world.ask('{ account { name } }', { token, headers: { Accept } })).status).toBe(401)
  })

  test('that is long is compressed', async () => {
    const plain = await world.ask(getIntrospectionQuery())
    const { headers, bytes, text } = await world.ask(getIntrospectionQuery(), { headers: { 'Accept-Encoding': 'br' } })
    expect([headers['content-encoding'], headers.vary]).toEqual(['br', 'Accept-Encoding'])
    expect(bytes.length).toBeLessThan(plain.bytes.length / 5)
    expect(text).toBe(plain.text)
  })
})

test('rates are limited for each person, and before the database is asked', async () => {
  const quota = { perSecond: 3, perMinute: 3 }
  const limited = await startGraphql(world.database, { limits: { pro: quota, studio: quota, failedPerMinute: 2 } })
  onTestFinished(limited.stop)
  const { a, b } = world.cast
  const ask = (token: string) => limited.ask('{ account { name } }', { token })
  const token = await tokenOf(a)
  for (let count = 0; count < 3; count++) expect((await ask(token)).status).toBe(200)
  const refused = await ask(await tokenOf(a))
  expect([refused.status, refused.errors?.[0]?.extensions.code]).toEqual([429, 'rate_limited'])
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
  expect(refused.headers.ratelimit).toMatch(/r=0/)
  for (const other of [tokenOf(b), tokenOf(a, a.people.admin)]) expect((await ask(await other)).status).toBe(200)
})

describe('time', () => {
  test('a query that takes too long is ended in the database, and says so; its connection is replaced', async () => {
    const slow = await startGraphql(world.database, { statementTimeoutMs: 200, poolSize: 1 })
    onTestFinished(slow.stop)
    await world.asOwner(async ({ query }) => {
      await query('lock table app.policies in access exclusive mode')
      const reply = await slow.ask('{ policies(first: 1) { nodes { id } } }', { token: await tokenOf(world.cast.a) })
      expect([reply.status, reply.errors?.[0]?.extensions.code]).toEqual([400, 'too_slow'])
      expect(reply.text).not.toMatch(/select|57014/)
      const waiting = await query(
        `select from pg_stat_activity where usename = 'studio_graphql' and state = 'active' and wait_event_type = 'Lock'
           and application_name = 'studio-inventory studio_graphql' and datname = current_database()`,
      )
      expect(waiting).toEqual([])
    })
    expect((await slow.ask('{ account { name } }', { token: await tokenOf(world.cast.a) })).status).toBe(200)
  })

  test('when every connection is in use, a request is answered with 503', async () => {
    const { listener, ask, stop } = await startGraphql(world.database, { acquireTimeoutMs: 2_000 })
    onTestFinished(stop)
    const token = await tokenOf(world.cast.a)
    const clients = await Promise.all([listener.pool.connect(), listener.pool.connect()])
    expect((await ask('{ account { name } }', { token })).status).toBe(503)
    for (const client of clients) client.release()
    expect((await ask('{ account { name } }', { token })).status).toBe(200)
  })
})

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

const twoHosts = async () =>
  `POST /graphql HTTP/1.1
Content-Type: application/json
Content-Length: ${body.length}
Authorization: Bearer ${await tokenOf(world.cast.a)}
Host: x
Host: y

`.replaceAll('\n', '\r\n') + body

test.each<[what: string, message: () => string | Promise<string>]>([
  ['two Hosts', twoHosts],
  ['no HTTP at all', () => 'hello\r\n\r\n'],
])('a message of %s gets an answer and a closed connection, as at the API', async (_what, message) => {
  const [head = '', text = ''] = (await raw(await message())).split('\r\n\r\n')
  expect(head).toMatch(/^HTTP\/1\.1 400 .*\r\nConnection: close(\r\n|$)/s)
  expect(problem.parse(JSON.parse(text))).toMatchObject({ status: 400, code: 'bad_request' })
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

test.each([
  ['as a trusted proxy names it', 'loopback', 401],
  ['and by the connection’s own address without a trusted proxy', false, 429],
] as const)('failed identities are counted for each address, %s', async (_how, trustProxy, ofAnother) => {
  const limits = { ...generous, failedPerMinute: 2 }
  const service = await startGraphql(world.database, { limits, trustProxy })
  onTestFinished(service.stop)
  const from = async (address: string) =>
    (await service.ask('{ x }', { token: 'a.b.c', headers: { 'X-Forwarded-For': address } })).status
  for (const expected of [401, 401, 429]) expect(await from('203.0.113.7')).toBe(expected)
  expect(await from('203.0.113.8')).toBe(ofAnother)
})

test.each(['includesInsensitive', 'startsWithInsensitive'])(
  '%s takes 64 characters, in a variable too',
  async (how) => {
    const asked = (length: number) =>
      world.ask(`query ($f: ItemFilter) { items(first: 1, filter: $f) { totalCount } }`, {
        variables: { f: { name: { [how]: 'a'.repeat(length) } } },
      })
    expect((await asked(64)).status).toBe(200)
    const { errors } = await asked(65)
    expect(errors).toMatchObject([{ message: `"${how}" takes at most 64 characters.` }])
    const written = `{ items(first: 1, filter: { name: { ${how}: "${'a'.repeat(3_000)}" } }) { totalCount } }`
    expect((await world.ask(written)).errors?.[0]?.extensions.code).toBe('invalid_value')
  },
)
