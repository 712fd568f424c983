import { afterAll, expect, test } from 'vitest'
import { printTable } from '../support/table.ts'
import { type Ask, during, inShort, type Stage, statuses, surfaces, useNeighbours } from './stage.ts'

const stage = useNeighbours()
const rows: Record<string, string>[] = []
afterAll(() => printTable('p50 / p99 of the other studio in milliseconds', rows))

type Attack = [what: string, parallel: number, ask: (stage: Stage, count: number) => Ask]

const [states, orders] = [
  ['uninsured', 'under_covered', 'fully_covered', 'value_unknown'],
  ['value', 'value-up', 'name', 'acquired'],
]
const plan = (count: number) =>
  `{ ${Array.from({ length: 20 }, (_, n) => `p${count}_${n}: items(first: 1) { nodes { id name location { name items(first: 1) { nodes { id } } } } }`).join(' ')} }`

const attacks: Attack[] = [
  ['lists that nothing caches', 16, ({ hostile }, n) => hostile.rest(`/items?q=item%20${n}&per_page=100`)],
  [
    'values of a day',
    8,
    ({ hostile }, n) =>
      hostile.rest(`/valuations?on=2030-01-${10 + (n % 19)}&per_page=1&coverage_state=${states[n % 4]}`),
  ],
  [
    'sums of a day',
    6,
    ({ hostile }, n) =>
      hostile.rest(`/valuations/summary?on=2030-01-${10 + (n % 19)}&by=${['location', 'category'][n % 2]}`),
  ],
  ['searches', 12, ({ hostile }, n) => hostile.rest(`/items?q=${n}%20nothing`)],
  [
    'tokens that nobody issued',
    16,
    ({ hostile }, n) =>
      hostile.rest('/items', { headers: { Authorization: `Bearer svc_pro_${String(n).padStart(32, 'x')}` } }),
  ],
  ['lists of the console', 12, ({ hostile }, n) => hostile.page(`items?order=${orders[n % 4]}&page=${(n % 50) + 1}`)],
  ['overviews of the console', 12, ({ hostile }) => hostile.page('overview')],
  [
    'sums in GraphQL',
    12,
    ({ hostile }, n) =>
      hostile.graphql(
        `{ items(filter: {name: {includesInsensitive: "${n}x"}}) { totalCount groupedAggregates(groupBy: [CATEGORY]) { sum { purchasePrice } } } }`,
      ),
  ],
  ['plans in GraphQL', 12, ({ hostile }, n) => hostile.graphql(plan(n))],
  [
    'tools of an assistant',
    8,
    ({ hostile }, n) => hostile.tool('get_valuation_summary', { on: `2030-02-${10 + (n % 18)}`, by: 'location' }),
  ],
  ['strangers at /docs', 32, ({ origin }) => ({ url: `${origin}/docs` })],
  ['strangers at /healthz', 32, ({ origin }) => ({ url: `${origin}/healthz` })],
]

test.each(attacks)('%s of one studio cost another neither an answer nor its turn', async (what, parallel, ask) => {
  const alone = await during(stage)
  const { other, attacker } = await during(stage, { parallel, ask: (count) => ask(stage, count) })
  const cells = surfaces.map((surface) => [surface, `${inShort(alone.other[surface])} → ${inShort(other[surface])}`])
  rows.push({ attack: what, ...Object.fromEntries(cells), attacker: statuses(attacker) })
  for (const surface of surfaces) {
    expect([surface, statuses(other[surface])]).toEqual([surface, expect.stringMatching(/^200 × \d+$/)])
  }
  expect(statuses(attacker)).not.toMatch(/\b5\d\d ×|^0 ×/)
})
