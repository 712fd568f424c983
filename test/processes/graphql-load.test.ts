import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { signAnalystToken } from '../../src/apps/graphql/analyst-token.ts'
import { type ServiceProcess, startProcess } from '../faults/support.ts'
import { asking, type GraphqlService, tokenOf } from '../graphql/support.ts'
import { fillStudio } from '../support/bulk.ts'
import { asAdmin, testSecretKey } from '../support/server.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()
let graphql: ServiceProcess
let ask: GraphqlService['ask']
let token: string

/** A studio of 100,000 items, nearly all of which are a group of their own. */
beforeAll(async () => {
  const { id } = await world.newStudio()
  await asAdmin(world.database, async (admin) => {
    const run = (text: string, values: readonly unknown[] = []) => admin.query(text, [...values])
    await fillStudio(run, id, { items: 100_000, locations: 500 })
    await run('set session_replication_role = replica')
    await run(
      `update app.items set manufacturer = 'Maker ' || external_key, model = repeat('long ', 40) where studio_id = $1`,
      [id],
    )
    await run('reset session_replication_role')
    await run('analyze app.items')
    const { rows } = await admin.query('select access.owner_of($1) as owner', [id])
    token = await signAnalystToken(testSecretKey, { studioId: id, userId: rows[0].owner })
  })
  // As much memory as the service gives it.
  const env = { STATEMENT_TIMEOUT_MS: '60000', NODE_OPTIONS: '--max-old-space-size=512' }
  graphql = await startProcess(world.database.adminUrl, env, 'graphql')
  ask = asking(graphql.port)
  const ready = async () => (await ask('', { method: 'GET', path: '/readyz' })).status === 200
  await vi.waitUntil(ready, { timeout: 30_000, interval: 50 })
}, 180_000)
afterAll(() => graphql?.signal('SIGKILL'))

const groups = (name: string, page = '') =>
  `${name}: groupedAggregates(groupBy: [MANUFACTURER, LOCATION_ID, ACQUISITION_DATE_TRUNCATED_TO_MONTH]${page}) {
    keys distinctCount { id } sum { purchasePrice currentEstimatedValue gapAmount } average { purchasePrice }
  }`
const three = (page: string) => `{ items { ${['a', 'b', 'c'].map((name) => groups(name, page)).join(' ')} } }`

/** Sends many of one person's queries at once, and meanwhile asks for somebody else and for the API. */
async function besides(query: string, count: number) {
  const asked = Array.from({ length: count }, () => ask(query, { token }))
  let ended = false
  const all = Promise.all(asked).finally(() => {
    ended = true
  })
  const neighbour = await tokenOf(world.cast.b)
  do {
    const [other, rest] = await Promise.all([
      ask('{ items { totalCount } }', { token: neighbour }),
      world.get('/v1/account'),
    ])
    expect([other.status, rest.status]).toEqual([200, 200])
  } while (!ended)
  expect(graphql.alive()).toBe(true)
  return all
}

test('six queries of one person, each for three times 100,000 groups, are told how to ask, and take nothing from others', async () => {
  for (const reply of await besides(three(''), 6)) {
    expect([reply.status, reply.errors?.[0]?.extensions.code]).toEqual([400, 'too_much'])
    expect(reply.errors?.[0]?.message).toBe(
      'There are more than 1000 groups: group by fewer fields, narrow the records with "filter", or read the groups in ' +
        'pages with "first" and "offset".',
    )
  }
}, 180_000)

test('in pages they are answered, however many are asked for at once, and take nothing from others', async () => {
  for (const reply of await besides(three(', first: 1000, offset: 5000'), 12)) {
    expect(reply.errors).toBeUndefined()
    expect((reply.data as { items: { a: unknown[] } }).items.a).toHaveLength(1000)
  }
}, 180_000)

test('the largest queries that are allowed, and more of them than may run or wait, leave the process alive', async () => {
  const names = Array.from({ length: 49 }, (_, n) => `f${n}: model`)
  const lists = Array.from({ length: 5 }, (_, n) => `l${n}: items(first: 1000) { nodes { ${names.join(' ')} } }`).join(
    ' ',
  )
  const replies = await besides(`{ ${lists} }`, 30)
  const kinds = new Set(replies.map(({ status, errors }) => `${status} ${errors?.[0]?.extensions.code}`))
  // Which of them have to wait for too long depends on the machine.
  expect(['400 too_much', '503 busy']).toEqual(expect.arrayContaining([...kinds]))
  for (const { status, headers } of replies) if (status === 503) expect(headers['retry-after']).toBe('2')
  for (const reply of await besides(`{ items(first: 1000) { nodes { id ${names.slice(0, 15).join(' ')} } } }`, 12)) {
    expect(reply.errors).toBeUndefined()
  }
}, 180_000)
