import { createLogin } from '../../src/apps/analysts/logins.ts'
import { signAnalystToken } from '../../src/apps/graphql/analyst-token.ts'
import { withClient } from '../../src/database/client.ts'
import { asAdministrator, asOwner } from '../../src/database/session.ts'
import { median, type Ratio, spread } from './contest.ts'
import type { Dataset } from './dataset.ts'
import type { Fleet } from './fleet.ts'
import { requestOnce } from './load.ts'
import type { Scratch } from './scratch.ts'

/** What one sum takes, in milliseconds: by the superuser on the tables, by an analyst in SQL, by one in GraphQL. */
export type Sums = { superuser: number; analyst: number; graphql: number; toTables: Ratio; toSql: Ratio }

const onTables = `select i.category, sum(v.current_estimated_value), sum(i.reported_insured_value)
  from app.items i left join app.item_valuations v on v.studio_id = i.studio_id and v.item_id = i.id
  where i.studio_id = $1 and i.archived_at is null group by i.category order by i.category`

const onViews = `select category, sum(current_estimated_value), sum(reported_insured_value)
  from api_v1.items group by category order by category`

const query = `{ items { groupedAggregates(groupBy: [CATEGORY]) {
  keys sum { currentEstimatedValue reportedInsuredValue }
} } }`

/** The sums of two columns by category over the studio of 200,000 items, in turns. */
export async function analystSums(
  { adminUrl, secretKey }: Scratch,
  { graphql }: Fleet,
  { large }: Dataset,
  rounds: number,
): Promise<Sums> {
  const login = await asAdministrator(adminUrl, (transaction) =>
    createLogin(transaction, adminUrl, {
      studioId: large.id,
      userId: null,
      ...{ validDays: 1, connections: 2, timeout: 60 },
    }),
  )
  const userId = await asOwner(adminUrl, async (transaction) => {
    const [owner] = await transaction.query<{ id: string }>('select access.owner_of($1) as id', [large.id])
    return String(owner?.id)
  })
  const authorization = `Bearer ${await signAnalystToken(secretKey, { studioId: large.id, userId })}`
  const ask = {
    path: '/graphql',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
    contains: '"groupedAggregates":[{',
  }
  return withClient(adminUrl, (superuser) =>
    withClient(login.url, async (analyst) => {
      const kinds = {
        superuser: async () => (await superuser.query({ text: onTables, values: [large.id], rowMode: 'array' })).rows,
        analyst: async () => (await analyst.query({ text: onViews, rowMode: 'array' })).rows,
        graphql: async () => rowsOf(await requestOnce(graphql, ask)),
      }
      const times: Record<keyof typeof kinds, number[]> = { superuser: [], analyst: [], graphql: [] }
      const names = Object.keys(kinds) as (keyof typeof kinds)[]
      // The first of each finds caches cold, and the process of GraphQL not started.
      const answers = await Promise.all(names.map((name) => kinds[name]()))
      const [one, ...others] = answers.map((rows) =>
        JSON.stringify(rows.map((row) => [row[0], ...row.slice(1).map(Number)])),
      )
      if (others.some((other) => other !== one)) throw new Error('the sums of analysts are not those of the tables')
      for (let round = 0; round < rounds; round++) {
        for (let turn = 0; turn < names.length; turn++) {
          const name = names[(turn + round) % names.length] as keyof typeof kinds
          const started = performance.now()
          await kinds[name]()
          times[name].push(performance.now() - started)
        }
      }
      const ratio = (name: keyof typeof kinds, other: keyof typeof kinds) =>
        spread(times[name].map((time, round) => time / (times[other][round] ?? Number.NaN)))
      return {
        superuser: median(times.superuser),
        analyst: median(times.analyst),
        graphql: median(times.graphql),
        toTables: ratio('analyst', 'superuser'),
        toSql: ratio('graphql', 'analyst'),
      }
    }),
  )
}

type Group = { keys: string[]; sum: { currentEstimatedValue: string; reportedInsuredValue: string } }

function rowsOf(body: unknown): string[][] {
  const groups = (body as { data: { items: { groupedAggregates: Group[] } } }).data.items.groupedAggregates
  return groups
    .map(({ keys, sum }) => [keys[0] ?? '', sum.currentEstimatedValue, sum.reportedInsuredValue])
    .toSorted(([a = ''], [b = '']) => (a < b ? -1 : 1))
}
