import { once } from 'node:events'
import { type IncomingMessage, request, type ServerResponse } from 'node:http'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Person } from '../support/cast.ts'
import { type GraphqlService, startGraphql, tokenOf, useGraphql } from './support.ts'

/** A studio has half of these. */
const poolSize = 2
const world = useGraphql({ poolSize })

type Groups = { items: { groupedAggregates: { keys: (string | null)[] }[] } }

async function expectTooMuch(query: string, message: RegExp): Promise<void> {
  const { status, errors } = await world.ask(query)
  expect([status, errors]).toMatchObject([
    400,
    [{ message: expect.stringMatching(message), extensions: { code: 'too_much' } }],
  ])
}

describe('groups', () => {
  test('are read in pages, in the order of their keys, each once', async () => {
    const query = (page: string) =>
      `{ items { groupedAggregates(groupBy: [CATEGORY, COVERAGE_STATE]${page}) { keys } } }`
    const all = (await world.read<Groups>(query(''))).items.groupedAggregates
    expect(all.length).toBeGreaterThan(3)
    const read: Groups['items']['groupedAggregates'] = []
    for (let offset = 0; offset < all.length; offset += 2) {
      const { items } = await world.read<Groups>(query(`, first: 2, offset: ${offset}`))
      expect(items.groupedAggregates.length).toBeLessThanOrEqual(2)
      read.push(...items.groupedAggregates)
    }
    expect(read).toEqual(all)
  })

  test('of each record of a list have pages of their own', async () => {
    const { locations } = await world.read<{ locations: { nodes: Groups[] } }>(`{ locations(first: 10) {
      nodes { items { groupedAggregates(groupBy: [CATEGORY], first: 1) { keys sum { purchasePrice } } } }
    } }`)
    expect(locations.nodes.map(({ items }) => items.groupedAggregates.length)).toContain(1)
    for (const { items } of locations.nodes) expect(items.groupedAggregates.length).toBeLessThanOrEqual(1)
  })

  test('are at most a thousand, and the error says how to read more', async () => {
    const text = `insert into app.items (studio_id, name, manufacturer)
      select $1, 'one of many', 'Maker ' || n from generate_series(1, 1001) as n`
    await world.write((transaction) => transaction.query(text, [world.cast.a.id]))
    const query = (page: string) => `{ items { groupedAggregates(groupBy: [MANUFACTURER]${page}) { keys } } }`
    await expectTooMuch(query(''), /^There are more than 1000 groups: .*"filter".*"first" and "offset"\.$/)
    expect((await world.read<Groups>(query(', first: 1000'))).items.groupedAggregates).toHaveLength(1000)
    const rest = await world.read<Groups>(query(', first: 1000, offset: 1000'))
    expect(rest.items.groupedAggregates.length).toBeGreaterThan(0)
    expect(rest.items.groupedAggregates.length).toBeLessThan(1000)
  })

  test.each(['first: 1001', 'first: -1', 'offset: -1'])('%s is refused', async (page) => {
    await expectTooMuch(`{ items { groupedAggregates(groupBy: [CATEGORY], ${page}) { keys } } }`, /./)
  })
})

test('an answer of more than 8 MB is refused, and its connection serves others afterwards', async () => {
  const text = `insert into app.maintenance_records (studio_id, item_id, title, description)
    select $1, $2, 'long', repeat(md5(n::text), 312) from generate_series(1, 1000) as n`
  await world.write((transaction) => transaction.query(text, [world.cast.a.id, world.cast.a.items.microphone]))
  const list = (first: number, fields = 'description') =>
    `{ maintenanceRecords(first: ${first}) { nodes { ${fields} } } }`
  const aliases = Array.from({ length: 20 }, (_, n) => `d${n}: description`).join(' ')
  for (const query of [list(1000), list(100, aliases)]) {
    const advice = /^The answer is larger than 8 MB: request fewer records, groups or fields, or read it in pages\.$/
    await expectTooMuch(query, advice)
  }
  await world.read(list(300))
})

const query = '{ policies(first: 1) { nodes { id } } }'

/** Sends a query and leaves before it is answered; resolves when the server has noticed that. */
async function leaveDuringQuery(queryDatabase: (sql: string) => Promise<unknown[]>): Promise<void> {
  const { port, listener } = world.graphql
  const headers = {
    Authorization: `Bearer ${await tokenOf(world.cast.a)}`,
    'Content-Type': 'application/json',
  }
  const received = once(listener.server, 'request') as Promise<[IncomingMessage, ServerResponse]>
  const sent = request({ host: '127.0.0.1', port, path: '/graphql', method: 'POST', headers, agent: false })
  sent.on('error', () => undefined)
  sent.end(JSON.stringify({ query }))
  const [, response] = await received
  const isWaiting = async () => {
    // What a transaction has seen of the sessions it sees until its end.
    await queryDatabase('select pg_stat_clear_snapshot()')
    const waiting =
      await queryDatabase(`select from pg_stat_activity where usename = 'studio_graphql' and wait_event_type = 'Lock'
        and datname = current_database()`)
    return waiting.length > 0
  }
  await vi.waitUntil(isWaiting, { timeout: 20_000 })
  const closed = once(response, 'close')
  sent.destroy()
  await closed
}

test('clients that leave during their queries keep no turn: the next query is answered', async () => {
  for (let count = 0; count <= poolSize; count++) {
    await world.asOwner(async (transaction) => {
      await transaction.query('lock table app.policies in access exclusive mode')
      await leaveDuringQuery(transaction.query)
    })
    const reply = await world.ask(query)
    expect([reply.status, reply.errors]).toEqual([200, undefined])
  }
})

test('a studio has half of the connections: 20 more queries of a person wait, the next is refused, and other studios are answered', async () => {
  const small = '{ account { name } }'
  const others = await tokenOf(world.cast.b)
  const waiting: ReturnType<typeof world.ask>[] = []
  await world.asOwner(async ({ query: run }) => {
    await run('lock table app.policies in access exclusive mode')
    waiting.push(...Array.from({ length: 22 }, () => world.ask(query)))
    const refused = await Promise.race(waiting)
    expect([refused.status, refused.errors?.[0]?.extensions.code]).toEqual([429, 'busy'])
    expect(refused.headers['retry-after']).toBe('2')
    expect((await world.ask(small, { token: others })).status).toBe(200)
  })
  const statuses = (await Promise.all(waiting)).map(({ status }) => status)
  expect(statuses.toSorted()).toEqual([...Array.from({ length: 21 }, () => 200), 429])
})

test('all people of a studio have half of the connections, and one person half of these', async () => {
  const graphql = await startGraphql(world.database, { poolSize: 4 })
  onTestFinished(graphql.stop)
  const { owner, admin, member } = world.cast.a.people
  const as = async (person: Person, text = query) => graphql.ask(text, { token: await tokenOf(world.cast.a, person) })
  const small = '{ account { name } }'
  const waiting: ReturnType<typeof as>[] = []
  await world.asOwner(async ({ query: run }) => {
    await run('lock table app.policies in access exclusive mode')
    waiting.push(as(owner), as(owner), as(owner))
    await expect.poll(() => busyOf(graphql)).toBe(1)
    expect((await as(admin, small)).status).toBe(200)
    waiting.push(as(admin), as(member))
    await expect.poll(() => busyOf(graphql)).toBe(2)
    expect((await graphql.ask(small, { token: await tokenOf(world.cast.b) })).status).toBe(200)
    expect(busyOf(graphql)).toBe(2)
  })
  for (const { status } of await Promise.all(waiting)) expect(status).toBe(200)
})

test('a studio whose query took long to plan rests, and another one is answered meanwhile', async () => {
  const fields = 'nodes { id name location { name items(first: 1) { nodes { id } } } }'
  const long = `{ ${Array.from({ length: 30 }, (_, n) => `long${n}: items(first: 1) { ${fields} }`).join(' ')} }`
  const small = '{ account { name } }'
  const others = await tokenOf(world.cast.b)
  expect((await world.ask(small, { token: others })).status).toBe(200)
  // On a busy machine it may be refused, for the time that its plan takes.
  await world.ask(long)
  const own = world.ask(small).then(({ status }) => ['own', status])
  const other = async () => {
    for (let count = 0; count < 3; count += 1) expect((await world.ask(small, { token: others })).status).toBe(200)
    return ['other', 200]
  }
  expect(await Promise.race([own, other()])).toEqual(['other', 200])
  expect(await own).toEqual(['own', 200])
})

const busyOf = ({ listener }: GraphqlService) => listener.pool.stats().size - listener.pool.stats().idle
