import { GraphQLError } from 'postgraphile/graphql'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createPool } from '../../src/database/pool.ts'
import { signAnalystToken } from '../../src/graphql/analyst-token.ts'
import { type RunStatement, withAnalyst } from '../../src/graphql/analyst-transaction.ts'
import { maskedError } from '../../src/graphql/answers.ts'
import { makeLogger } from '../../src/log.ts'
import { testSecretKey } from '../support/server.ts'
import { tokenOf, useGraphql } from './support.ts'

// Many requests at once wait for two connections: on a busy machine for longer than usual.
const world = useGraphql({ acquireTimeoutMs: 25_000 })

const everything = /* GraphQL */ `{
  account { name itemCount currency timezone }
  items(first: 100) {
    totalCount
    nodes {
      id name serialNumber tags purchasePrice currentEstimatedValue
      location { name parent { name } }
      assignments(first: 10) { nodes { declaredValue policyName policy { name policyNumber } } }
      maintenanceRecords(first: 10) { nodes { title cost } }
    }
    aggregates { sum { purchasePrice } max { purchasePrice acquisitionDate } min { acquisitionDate } }
    groupedAggregates(groupBy: [LOCATION_ID, ACQUISITION_DATE_TRUNCATED_TO_MONTH]) { keys sum { gapAmount } }
  }
  locations(first: 100) { nodes { id name city } }
  policies(first: 100) { nodes { id name carrier overallLimit assignments(first: 10) { nodes { itemId } } } }
  assignments(first: 100) { nodes { itemId policyId declaredValue } aggregates { sum { declaredValue } } }
  maintenanceRecords(first: 100) { nodes { id title itemName cost } }
}`

const valuations = /* GraphQL */ `{
  itemsOn(day: "2999-12-31", first: 100) { totalCount nodes { id name currentEstimatedValue valueSource } }
  workings(first: 100) { nodes { itemId arithmetic passedOver item { name workings { months } } } }
  depreciationMonths(first: 100) { nodes { itemId month charge item { name } } }
  depreciationYears(first: 100) { nodes { yearStart category charge } aggregates { sum { charge } } }
  closedValues(first: 100) { nodes { monthEnd itemId name currentEstimatedValue item { name } } }
  corrections(first: 100) { nodes { monthEnd itemId name difference changed } }
}`

type Lists = Record<
  'items' | 'locations' | 'policies' | 'maintenanceRecords',
  { nodes: { id: string; name?: string }[] }
>

test('a studio reads all that is its own, and nothing of another', async () => {
  const { cast } = world
  const reply = await world.ask<Lists & { account: { name: string } }>(everything)
  expect(reply.errors).toBeUndefined()
  cast.expectNoCanary(reply.text)
  expect(reply.data.account.name).toBe('Attic Sound')
  const ids = (nodes: { id: string }[]) => nodes.map(({ id }) => id).toSorted()
  const { archived: _, ...items } = cast.a.items
  expect(ids(reply.data.items.nodes)).toEqual(Object.values(items).toSorted())
  expect(ids(reply.data.locations.nodes)).toEqual(Object.values(cast.a.locations).toSorted())
  expect(ids(reply.data.policies.nodes)).toEqual(Object.values(cast.a.policies).toSorted())

  const other = await world.ask<Lists>(everything, { token: await tokenOf(cast.b) })
  expect(other.text).toContain(cast.canary)
  expect(ids(other.data.items.nodes)).not.toEqual(ids(reply.data.items.nodes))
})

test('values of other days, schedules, closed months and workings are the studio’s own', async () => {
  const { cast } = world
  type Valuations = Record<string, { nodes: object[] }>
  const reply = await world.ask<Valuations>(valuations)
  expect(reply.errors).toBeUndefined()
  cast.expectNoCanary(reply.text)
  for (const [field, { nodes }] of Object.entries(reply.data)) expect(nodes, field).not.toEqual([])
  const other = await world.ask<Valuations>(valuations, { token: await tokenOf(cast.b) })
  expect(other.errors).toBeUndefined()
  expect(other.text).toContain(cast.canary)
})

test('ids of another studio name nothing, as fields and as filters', async () => {
  const { b } = world.cast
  const reply = await world.ask(
    `query ($item: UUID!, $place: UUID!, $policy: UUID!, $work: UUID!) {
      item(id: $item) { name } location(id: $place) { name } policy(id: $policy) { name }
      maintenanceRecord(id: $work) { title }
      itemsOn(day: "2999-12-31", itemId: $item, first: 5) { totalCount nodes { id } }
      items(first: 5, filter: { or: [{ id: { equalTo: $item } }, { location: { id: { equalTo: $place } } }] }) {
        totalCount nodes { id }
      }
    }`,
    {
      variables: {
        item: b.items.microphone,
        place: b.locations.rack,
        policy: b.policies.active,
        work: b.maintenance.due,
      },
    },
  )
  expect(reply.data).toEqual({
    item: null,
    location: null,
    policy: null,
    maintenanceRecord: null,
    itemsOn: { totalCount: 0, nodes: [] },
    items: { totalCount: 0, nodes: [] },
  })
})

test('headers, variables, extensions and settings in the body change nothing', async () => {
  const { cast } = world
  const plain = await world.ask(everything)
  const forged = { 'studio.id': cast.b.id, studio_id: cast.b.id, role: 'studio_owner' }
  const body = JSON.stringify({
    query: everything,
    variables: forged,
    extensions: { pgSettings: forged, explain: true },
    pgSettings: forged,
    context: { pgSettings: forged },
    onError: 'HALT',
  })
  const headers = {
    'studio.id': cast.b.id,
    'x-studio-id': cast.b.id,
    'x-pg-settings': JSON.stringify(forged),
    'x-graphql-explain': 'on',
    'x-forwarded-user': cast.b.people.owner.id,
    cookie: `studio.id=${cast.b.id}`,
  }
  for (const path of ['/graphql', `/graphql?studio.id=${cast.b.id}&query=%7Baccount%7Bname%7D%7D`]) {
    const reply = await world.ask('', { body, headers, path })
    expect(reply.text).toBe(plain.text)
  }
})

test('each request has one connection, and so one snapshot, whatever it asks and whoever asked it before', async () => {
  const connect = vi.spyOn(world.graphql.listener.pool, 'connect')
  onTestFinished(() => connect.mockRestore())
  for (const token of [await tokenOf(world.cast.a), await tokenOf(world.cast.b)]) {
    for (const query of [everything, valuations]) {
      connect.mockClear()
      expect((await world.ask(query, { token })).errors).toBeUndefined()
      expect(connect).toHaveBeenCalledTimes(1)
    }
  }
})

test('requests of two studios on the same connections never mix', async () => {
  const tokens = [await tokenOf(world.cast.a), await tokenOf(world.cast.b)] as const
  const replies = await Promise.all(
    Array.from({ length: 16 }, async (_, index) => ({
      ofB: index % 2 === 1,
      reply: await world.graphql.ask<{ account: { name: string } }>(everything, { token: tokens[index % 2] ?? null }),
    })),
  )
  for (const { ofB, reply } of replies) {
    expect(reply.data.account.name).toBe(ofB ? world.cast.b.name : world.cast.a.name)
    if (!ofB) world.cast.expectNoCanary(reply.text)
  }
})

test('a member who was removed, a user of elsewhere and an outsider are refused at their next request', async () => {
  const { a, b, outsider } = world.cast
  const token = await tokenOf(a, a.people.member)
  const asked = () => world.ask('{ account { name } }', { token })
  expect((await asked()).status).toBe(200)
  await world.owner('select access.remove_member($1, $2)', [a.id, a.people.member.id])
  expect((await asked()).status).toBe(401)
  for (const person of [b.people.owner, outsider]) {
    const reply = await world.ask('{ account { name } }', { token: await tokenOf(a, person) })
    expect({ status: reply.status, data: reply.data }).toEqual({ status: 401, data: undefined })
  }
})

test('a studio whose plan has lapsed is refused, as by the API', async () => {
  const { id, owner } = await world.newStudio()
  const token = await signAnalystToken(testSecretKey, { studioId: id, userId: owner })
  expect((await world.ask('{ account { name } }', { token })).status).toBe(200)
  await world.owner(
    `update access.subscriptions set status = 'canceled', current_period_end = null where studio_id = $1`,
    [id],
  )
  const reply = await world.ask('{ account { name } }', { token })
  expect(reply.status).toBe(403)
  expect(reply.errors?.[0]?.extensions.code).toBe('plan_required')
})

test('no answer, no error and no line of the log contains SQL, a setting or a token', async () => {
  const token = await tokenOf(world.cast.a)
  const texts = [world.graphql.log()]
  for (const query of [
    '{ items(first: 3, filter: { acquisitionDate: { equalTo: "2024-99-99" } }) { nodes { id } } }',
    '{ items(first: 3, after: "bm9uc2Vuc2U=") { nodes { id } } }',
    '{ items(first: 3, filter: { name: null }) { nodes { id } } }',
    '{ items(first: 3, filter: { purchasePrice: { equalTo: "1e999999" } }) { nodes { id } } }',
    '{ items(first: 3, filter: { name: { equalTo: "\\u0000" } }) { nodes { id } } }',
    '{ nothing }',
  ]) {
    const { status, text, errors } = await world.ask(query, { token })
    expect(status, text).toBeLessThan(500)
    expect(errors?.[0]?.extensions.code, text).toMatch(/^(invalid_value|invalid_query)$/)
    texts.push(text)
  }
  texts.push(world.graphql.log())
  for (const text of texts) {
    expect(text).not.toMatch(/select |from api_v1|set_config|studio\.id|SQLSTATE \d+.*select/i)
    expect(text).not.toContain(token)
  }
})

test('an analyst’s transaction reads one snapshot and never writes', async () => {
  // As if the role had not been told to read only, and to begin no transaction in this way.
  const url = new URL(world.database.urlFor('studio_graphql'))
  url.searchParams.set('options', '-c default_transaction_read_only=off -c default_transaction_isolation=serializable')
  const pool = createPool(url.href.replaceAll('+', '%20'), {
    ...{ applicationName: 'test', size: 1, acquireTimeoutMs: 2_000, statementTimeoutMs: 5_000 },
    log: makeLogger({ level: 'silent' }),
  })
  onTestFinished(pool.close)
  const { id: studioId, people } = world.cast.a
  const inTransaction = <Result>(work: (run: RunStatement) => Promise<Result>) =>
    withAnalyst(pool, { studioId, userId: people.owner.id, email: null }, { timeMs: 5_000, bytes: 1_000_000 }, work)
  const text = `select current_setting('default_transaction_read_only') as read_only`
  expect(await pool.query({ name: 'default', text })).toEqual([{ read_only: 'off' }])
  const settings = `select current_setting('transaction_read_only') as read_only, current_setting('transaction_isolation') as isolation`
  const { result } = await inTransaction(async (run) => (await run(settings)).rows)
  expect(result).toEqual([{ read_only: 'on', isolation: 'repeatable read' }])
  await expect(inTransaction((run) => run('create temporary table t ()'))).rejects.toThrow('SQLSTATE 25006')
})

test('an error that was not made for clients is not shown, but told to the log', () => {
  const hidden: unknown[] = []
  const cause = new Error('relation "app.items" does not exist')
  const error = new GraphQLError(cause.message, { originalError: cause })
  const message = 'Something went wrong on our side.'
  expect(maskedError(error, (each) => hidden.push(each))).toMatchObject({
    message,
    extensions: { code: 'internal_error' },
  })
  expect(hidden).toEqual([cause])
})
