import { beforeAll, expect, test } from 'vitest'
import { withClient } from '../../src/database/client.ts'
import { type GraphqlService, startGraphql, tokenOf } from '../graphql/support.ts'
import { type Assistant, overHttp } from '../mcp/support.ts'
import { made } from '../report/support.ts'
import { useConsole } from './support.ts'

const world = useConsole()

/** Numbers by name, of the total and of each category. */
type Sums = Record<string, number>
type Answer = Record<string, Sums>

let graphql: GraphqlService
let assistant: Assistant

/** The cast, and an item without a value that is reported as insured. */
beforeAll(async () => {
  await world.add('items', {
    ...{ name: 'Of unknown value', category: 'Microphones', reported_insured_value: 70.25 },
    ...{ acquisition_date: '2020-01-01' },
  })
  graphql = await startGraphql(world.database)
  const service = await world.start({ mcp: true })
  assistant = await overHttp(service.url, world.cast.a.token.token)
  return async () => {
    await assistant.close()
    await graphql.stop()
  }
})

const names = [
  ...['items', 'estimated_value', 'purchase_price', 'replacement_cost', 'book_value', 'reported_insured_value'],
  ...['under_declared_items', 'under_declared', 'not_declared_items', 'not_declared'],
  ...['over_declared_items', 'over_declared', 'without_value_items', 'without_value_declared'],
]
const numbers = (row: object): Sums => Object.fromEntries(names.map((name) => [name, Number(Reflect.get(row, name))]))

type Summary = { by: string; groups: { key: string }[]; total: object }
const ofSummary = ({ groups, total }: Summary): Answer => ({
  total: numbers(total),
  ...Object.fromEntries(groups.map((group) => [group.key, numbers(group)])),
})

type Row = { grouped_by: string; key: string | null }
const ofRows = (rows: Row[]): Answer => Object.fromEntries(rows.map((row) => [row.key ?? 'total', numbers(row)]))

const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
const camel = (name: string) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())

/** Who sums, and how it is asked for a day; null: today. */
const sources: Record<string, (day: string | null) => Promise<Answer>> = {
  async REST(day) {
    const { data } = await world.read<{ data: Summary }>(`/v1/valuations/summary${day === null ? '' : `?on=${day}`}`)
    return ofSummary(data)
  },
  async MCP(day) {
    const { content } = await assistant.call('get_valuation_summary', { on: day })
    return ofSummary(content.data as Summary)
  },
  SQL: (day) =>
    withClient(world.cast.a.analyst.url, async (client) => {
      const { rows } = await client.query<Row>(`select * from api_v1.sums_on($1, '{total,category}')`, [day])
      return ofRows(rows)
    }),
  async GraphQL(day) {
    const nodes = `groupedBy key ${names.map(camel).join(' ')}`
    const query = `query ($day: Date) { sumsOn(day: $day, by: ["total", "category"], first: 100) { nodes { ${nodes} } } }`
    const token = await tokenOf(world.cast.a)
    const { data } = await graphql.ask<{ sumsOn: { nodes: object[] } }>(query, { token, variables: { day } })
    const rows = data.sumsOn.nodes.map((node) => Object.entries(node).map(([name, value]) => [snake(name), value]))
    return ofRows(rows.map((row) => Object.fromEntries(row) as Row))
  },
  async report(day) {
    const { all, categories } = (await made(world, { format: 'csv', day })).outcome.totals
    return ofRows([all, ...categories])
  },
}

test.each([null, '2024-02-29', '2031-06-30'])(
  'REST, MCP, SQL, GraphQL and the report show the same sums under the same names, of %s',
  async (day) => {
    const { REST: expected, ...others } = Object.fromEntries(
      await Promise.all(Object.entries(sources).map(async ([name, read]) => [name, await read(day)] as const)),
    )
    expect(expected?.total?.reported_insured_value).toBeGreaterThan(5_000)
    expect(expected?.total?.without_value_declared).toBe(70.25)
    for (const [name, answer] of Object.entries(others)) expect(answer, name).toEqual(expected)
  },
)

test('the overview of the console shows the same sums, and its lines add up to them', async () => {
  const { total, ...categories } = (await sources.REST?.(null)) ?? {}
  const { text } = await (await world.as(world.cast.a.people.member)).get(world.page('overview'))
  const amount = (shown = '') => Number(shown.replaceAll(/[€,]/g, ''))
  const figures = [...text.matchAll(/<dt>([^<]+)<\/dt><dd><strong>([^<]+)</g)].map(([, name, shown]) => [
    name,
    amount(shown),
  ])
  expect(Object.fromEntries(figures)).toEqual({
    Value: total?.estimated_value,
    Declared: total?.reported_insured_value,
    'Under-Declared': total?.under_declared,
    'Not Declared': total?.not_declared,
  })
  expect(text).toContain('€70.25 of it for items without a value')
  const values = Object.values(categories).map((sums) => sums.estimated_value)
  for (const value of values.filter(Boolean)) {
    expect(text).toContain(`€${value?.toLocaleString('en', { minimumFractionDigits: 2 })}`)
  }
})
