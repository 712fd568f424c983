import { type AddressInfo, createServer } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { urlOfOneHost, withClient } from '../../src/database/client.ts'
import { hostsOf } from '../../src/database/hosts.ts'
import { findPort } from '../../src/http/listener.ts'
import { createTestDatabase, type TestDatabase } from '../support/server.ts'
import { backend, failure, one, usePools } from './pools.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())
const { pool } = usePools(() => database)

/** The test's server after hosts on which nothing listens. */
async function url(kind?: string, closed = 1): Promise<string> {
  const { username, password, hostname, port, pathname } = new URL(database.adminUrl)
  const ports = [...(await Promise.all(Array.from({ length: closed }, () => findPort('127.0.0.1', 0)))), port]
  const hosts = ports.map((one) => `${hostname}:${one}`)
  const kinds = kind === undefined ? '' : `?target_session_attrs=${kind}`
  return `postgresql://${username}:${password}@${hosts}${pathname}${kinds}`
}

it.each(['any', 'read-write', 'primary', 'prefer-standby'])(
  'the first host with a server of the kind %s is connected to, for commands and for pools',
  async (kind) => {
    const several = await url(kind, 2)
    expect((await withClient(several, (client) => client.query('select 1 as one'))).rows).toEqual([{ one: 1 }])
    expect(await pool(several).query(one)).toEqual([{ one: 1 }])
    const alone = await urlOfOneHost(several)
    expect(new URL(alone).searchParams.get('port')).toBe(new URL(database.adminUrl).port)
    expect(alone).not.toContain('target_session_attrs')
  },
)

it.each(['standby', 'read-only'])('no connection to a server that is not of the kind %s is lent', async (kind) => {
  const several = await url(kind)
  const reason = new RegExp(
    `127.0.0.1:\\d+: connect ECONNREFUSED.*; 127.0.0.1:\\d+: .*it is a read-write server, wanted is ${kind}`,
  )
  expect((await failure(withClient(several, async () => undefined))).message).toMatch(reason)
  const refused = await failure(pool(several).query(one))
  expect([refused.name, refused.message]).toEqual(['DatabaseUnavailable', expect.stringMatching(reason)])
})

it('a host that takes connections and never answers is passed over', async () => {
  const silent = createServer(() => undefined)
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  const { port } = silent.address() as AddressInfo
  const several = (await url('primary', 0)).replace('@', `@127.0.0.1:${port},`)
  const lending = pool(several, { acquireTimeoutMs: 200 })
  try {
    await expect.poll(() => lending.query(one).catch(() => undefined), { timeout: 20_000 }).toEqual([{ one: 1 }])
  } finally {
    silent.close()
  }
})

it('a login that is refused is not tried on the other hosts, and is said to be refused', async () => {
  const wrong = (await url('primary')).replace(/:[^:@/]*@/, ':wrong@')
  expect(await failure(withClient(wrong, async () => undefined))).toMatchObject({ code: '28P01' })
  expect((await failure(pool(wrong).query(one))).message).toContain('28P01')
})

it('the host that worked is remembered, by the whole process', async () => {
  const several = await url('primary')
  await withClient(several, async () => undefined)
  const { port } = new URL(database.adminUrl)
  expect(hostsOf(several)?.order()[0]).toMatchObject({ port: Number(port) })
  hostsOf(several)?.lost({ host: '127.0.0.1', port: Number(port) })
  expect(hostsOf(several)?.order().at(-1)).toMatchObject({ port: Number(port) })
})

it('a connection on which the server has become read-only is not lent again', async () => {
  const lending = pool(await url('read-write'))
  const [first] = await lending.query<{ pid: number }>(backend)
  expect(await lending.query(backend)).toEqual([first])
  await lending.query({ name: 'off', text: 'set default_transaction_read_only = on' })
  expect(await lending.query(backend)).not.toEqual([first])
})

it('after a statement that failed because the server is read-only, no connection is used again', async () => {
  const lending = pool(await url('primary'), { size: 2 })
  const slow = { name: 'slow', text: 'select pg_backend_pid() as pid, pg_sleep(0.1)' }
  const both = await Promise.all([lending.query<{ pid: number }>(slow), lending.query<{ pid: number }>(slow)])
  const before = both.map(([row]) => row?.pid)
  expect(new Set(before).size).toBe(2)
  const readOnly = `do $$ begin raise sqlstate '25006' using message = 'cannot execute UPDATE in a read-only transaction'; end $$`
  const refused = await failure(lending.query({ name: 'write', text: readOnly }))
  expect([refused.name, refused.message]).toEqual(['DatabaseUnavailable', expect.stringContaining('25006')])
  const after = await Promise.all([lending.query<{ pid: number }>(slow), lending.query<{ pid: number }>(slow)])
  for (const [row] of after) expect(before).not.toContain(row?.pid)
})

it('a connection of an older timeline than one that was seen is not lent', async () => {
  const several = await url('primary')
  const lending = pool(several)
  const [first] = await lending.query<{ pid: number }>(backend)
  const hosts = hostsOf(several)
  const client = { query: async (text: string) => ({ rows: [answerOf(text)] }) } as never
  const [other] = hosts?.url.hosts ?? []
  if (!hosts || !other) expect.fail('there are two hosts')
  const system = await lending.query<{ history: string }>({
    name: 'history',
    text: 'select access.history() as history',
  })
  const answerOf = (text: string) =>
    text.includes('history')
      ? { history: system[0]?.history.replace(/\/.*/, '/000000A7') }
      : { standby: 'false', read_only: 'off' }
  // Another server has been promoted from this one.
  await hosts.check(client, other)
  const refused = await failure(lending.query(backend))
  expect(refused.message).toMatch(/its timeline is 1, and a primary of timeline 167 has replaced it/)
  expect(first?.pid).toBeGreaterThan(0)
})
