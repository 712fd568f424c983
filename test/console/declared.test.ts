import { beforeAll, expect, test } from 'vitest'
import { withClient } from '../../src/database/client.ts'
import { type GraphqlService, startGraphql, tokenOf } from '../graphql/support.ts'
import { linesOf, made, partsOf } from '../report/support.ts'
import { useConsole } from './support.ts'

const world = useConsole()
let graphql: GraphqlService
let policy: string
const items = { yearly: '', coming: '', twice: '', archived: '' }
const prices = { yearly: 100, coming: 1000, twice: 10, archived: 7 }

const year = new Date().getUTCFullYear()
const during = (of: number) => ({ effective_start: `${of}-01-01`, effective_end: `${of}-12-31` })

/** A policy with an item that has an assignment for each year, one that begins next year, one that two
 * assignments declare today, and an archived one. */
beforeAll(async () => {
  policy = await world.add('policies', { name: 'Yearly cover', overall_limit: 5000, effective_start: '2020-01-01' })
  for (const name of Object.keys(items) as (keyof typeof items)[]) {
    const archived = name === 'archived' && { archived_at: '2024-01-01T00:00:00Z' }
    items[name] = await world.add('items', { name, category: 'Microphones', purchase_price: prices[name], ...archived })
  }
  const assign = (item: keyof typeof items, declared_value: number, window: object = {}) =>
    world.add('policy_assignments', { item_id: items[item], policy_id: policy, declared_value, ...window })
  await assign('yearly', 1100, { ...during(year - 2), is_primary: true })
  await assign('yearly', 1200, during(year - 1))
  await assign('yearly', 1300, during(year))
  await assign('coming', 2500, { ...during(year + 1), is_primary: true })
  await assign('twice', 300)
  await assign('twice', 200, { effective_start: '2021-01-01' })
  await assign('archived', 900)
  graphql = await startGraphql(world.database)
  await world.start()
  return () => graphql.stop()
})

/** What is declared under the policy today, by who says it. */
const declared = { items: 2, declared: 1800 }

const asAnalyst = (text: string, values: unknown[] = [policy]) =>
  withClient(world.cast.a.analyst.url, async (client) => (await client.query(text, values)).rows[0])

async function ask<Data>(query: string): Promise<Data> {
  return (await graphql.ask<Data>(query, { token: await tokenOf(world.cast.a) })).data
}

const sources: Record<string, () => Promise<{ items: number; declared: number }>> = {
  async report() {
    const { totals } = (await made(world, { format: 'csv' })).outcome
    const sums = totals.policies.find(({ id }) => id === policy)?.sums
    return { items: Number(sums?.items), declared: Number(sums?.declared_under_policies) }
  },
  async 'lines of the report'() {
    const { lines } = await linesOf(world)
    const under = lines.filter((line) => line.Policies?.includes('Yearly cover'))
    return {
      items: under.length,
      declared: under.reduce((sum, line) => sum + Number(line['Declared under policies']), 0),
    }
  },
  async 'report of the policy'() {
    const { all } = (await made(world, { format: 'csv', policy })).outcome.totals
    return { items: all.items, declared: Number(all.declared_under_policies) }
  },
  async console() {
    const { text } = await (await world.as(world.cast.a.people.member)).get(world.page('policies'))
    const row = text.split('<tr').find((each) => each.includes('Yearly cover')) ?? ''
    const cells = [...row.matchAll(/<td[^>]*>(.*?)<\/td>/gs)].map(([, cell = '']) => cell.replace(/<.*/s, ''))
    return { items: Number(cells[1]), declared: Number(cells[4]?.replaceAll(/[€,]/g, '')) }
  },
  sums: () =>
    asAnalyst(`select items, declared_under_policies::float as declared
      from api_v1.sums_on(by => '{each_policy}', with_cover => true) where key = $1::text`),
  assignments: () =>
    asAnalyst(`select count(distinct item_id)::integer as items, sum(declared_value)::float as declared
      from api_v1.assignments where policy_id = $1 and active`),
  async 'the documented query of GraphQL'() {
    const query =
      '{ sumsOn(by: "each_policy", withCover: true, first: 20) { nodes { key items declaredUnderPolicies } } }'
    type Node = { key: string; items: number; declaredUnderPolicies: string }
    const { nodes } = (await ask<{ sumsOn: { nodes: Node[] } }>(query)).sumsOn
    const node = nodes.find(({ key }) => key === policy)
    return { items: Number(node?.items), declared: Number(node?.declaredUnderPolicies) }
  },
}

test.each(Object.entries(sources))(
  'the %s declares what assignments of today do, without archived items',
  async (_, read) => {
    expect(await read()).toEqual(declared)
  },
)

test('the summary by policy counts an item under the policy that declares it today', async () => {
  const groups = async (of: string) =>
    (await world.read<{ data: { groups: object[] } }>(`/v1/valuations/summary?by=policy${of}`)).data.groups
  const worth = (estimated_value: number) => expect.objectContaining({ key: policy, items: 2, estimated_value })
  expect(await groups('')).toContainEqual(worth(prices.yearly + prices.twice))
  expect(await groups(`&on=${year + 1}-06-30`)).toContainEqual(worth(prices.coming + prices.twice))
})

test('an item counts the policies under which it is declared today, and the specification its assignments', async () => {
  const count = (id: string) => asAnalyst('select active_policy_count from api_v1.items where id = $1', [id])
  expect(await count(items.yearly)).toEqual({ active_policy_count: 1 })
  expect(await count(items.twice)).toEqual({ active_policy_count: 1 })
  expect(await count(items.coming)).toEqual({ active_policy_count: 0 })
  const { data } = await world.read<{ data: { assignments_count: number } }>(`/v1/policies/${policy}`)
  expect(data.assignments_count).toBe(7)
})

test('several assignments of an item on one day are added, and the report and the page of the policy say so', async () => {
  const { bytes } = await made(world, { format: 'xlsx' })
  expect([...partsOf(bytes).values()].join()).toContain('Notice: 1 item has several assignments under one policy on')
  const page = (await (await world.as(world.cast.a.people.member)).get(world.page(`policies/${policy}`))).text
  expect(page).toContain('1 item with several assignments today: their amounts are added')
  expect(page).toContain('36% of the limit')
  expect(page).toContain('1 to 6 of 6')
})
