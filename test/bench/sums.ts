import { createLogin } from '../../src/analysts/logins.ts'
import { withClient } from '../../src/database/client.ts'
import { asAdministrator, asOwner } from '../../src/database/session.ts'
import { signAnalystToken } from '../../src/graphql/analyst-token.ts'
import type { Bar } from './bar.ts'
import type { Dataset, Scratch } from './data.ts'
import { ratios } from './load.ts'
import { startGraphql } from './servers.ts'

const onTables = `select i.category, sum(v.current_estimated_value), sum(i.reported_insured_value)
  from app.items i left join app.item_valuations v on v.studio_id = i.studio_id and v.item_id = i.id
  where i.studio_id = $1 and i.archived_at is null group by i.category order by i.category`

const onViews = `select category, sum(current_estimated_value), sum(reported_insured_value)
  from api_v1.items group by category order by category`

const query = `{ items { groupedAggregates(groupBy: [CATEGORY]) {
  keys sum { currentEstimatedValue reportedInsuredValue }
} } }`

type Group = { keys: string[]; sum: { currentEstimatedValue: string; reportedInsuredValue: string } }

/** Sums by category over 200,000 items: a superuser on tables, an analyst in SQL and GraphQL, in
 * turns. */
export async function analystSums(scratch: Scratch, { large }: Dataset, rounds: number): Promise<Bar[]> {
  const { adminUrl, secretKey } = scratch
  const limits = { validDays: 1, connections: 2, timeout: 60 }
  const login = await asAdministrator(adminUrl, (transaction) =>
    createLogin(transaction, adminUrl, { ...limits, studioId: large.id, userId: null }),
  )
  const ofOwner = 'select access.owner_of($1) as id'
  const [owner] = await asOwner(adminUrl, ({ query }) => query<{ id: string }>(ofOwner, [large.id]))
  const token = await signAnalystToken(secretKey, { studioId: large.id, userId: String(owner?.id) })
  const graphql = await startGraphql(scratch)
  const inGraphql = async () => {
    const response = await fetch(`${graphql.origin}/graphql`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query }),
    })
    const { data } = (await response.json()) as { data: { items: { groupedAggregates: Group[] } } }
    return data.items.groupedAggregates
      .map(({ keys, sum }) => [keys[0] ?? '', sum.currentEstimatedValue, sum.reportedInsuredValue])
      .toSorted(([a = ''], [b = '']) => (a < b ? -1 : 1))
  }
  return withClient(adminUrl, (superuser) =>
    withClient(login.url, async (analyst) => {
      const kinds: [() => Promise<unknown[][]>, number[]][] = [
        [async () => (await superuser.query({ text: onTables, values: [large.id], rowMode: 'array' })).rows, []],
        [async () => (await analyst.query({ text: onViews, rowMode: 'array' })).rows, []],
        [inGraphql, []],
      ]
      const answers = new Set<string>()
      for (let round = 0; round <= rounds; round++) {
        for (const [sum, times] of kinds) {
          const began = performance.now()
          const rows = await sum()
          // The first of each finds cold caches.
          if (round > 0) times.push(performance.now() - began)
          answers.add(JSON.stringify(rows.map(([category, ...sums]) => [category, ...sums.map(Number)])))
        }
      }
      if (answers.size > 1) throw new Error('the sums of analysts are not those of the tables')
      await graphql.stop()
      const [tables = [], sql = [], inGraphQL = []] = kinds.map(([, times]) => times)
      return [
        { what: "an analyst's sum / the superuser's", values: ratios(sql, tables), unit: '×', atMost: 1.5 },
        { what: 'the same in GraphQL / in SQL', values: ratios(inGraphQL, sql), unit: '×', atMost: 1.2 },
      ]
    }),
  )
}
