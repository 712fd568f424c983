import { type Client, withClient } from '../../../src/database/client.ts'
import { connectExplaining, type Explained, type PlanNode } from '../../plans/explained.ts'
import { sample } from './sample.ts'
import type { Place } from './server.ts'
import { openClient } from './session.ts'
import { shapes } from './shapes.ts'

/** How a request was read: the indexes of items that it used, and what an ideal plan would not have. */
export type Plan = { what: string; indexes: string[]; flaws: string[] }

const growing =
  /^(items|item_valuations|item_photos|maintenance_records|policies|policy_assignments|locations|item_counts|tokens)(_\d+)?$/

/** The plans that each request runs by, those inside of functions included, for some studios at random. */
export async function measurePlans(place: Place, studiosEach: number): Promise<Plan[]> {
  return withClient(place.adminUrl, async (admin) => {
    const studios = await sample(admin, studiosEach)
    const { rows } = await admin.query<{ part: string; whole: string }>(
      `select i.inhrelid::regclass::text as part, i.inhparent::regclass::text as whole from pg_inherits i`,
    )
    const wholeOf = new Map(rows.map(({ part, whole }) => [part.replace('app.', ''), whole.replace('app.', '')]))
    const { session, close } = await explaining(place, admin)
    try {
      const plans: Plan[] = []
      for (const shape of shapes) {
        const statements: Explained[] = []
        for (const studio of studios) {
          const found = await session.explain(() => session.session.rows(`select * from ${shape.call(studio)}`))
          statements.push(...found.statements)
        }
        plans.push({ what: shape.what, ...judged(statements, shape.index, wholeOf) })
      }
      return plans
    } finally {
      await close()
      await admin.query('alter role studio_api in database studio_inventory reset all')
    }
  })
}

async function explaining(place: Place, admin: Client) {
  let close = async () => {}
  const session = await connectExplaining({
    database: { name: 'studio_inventory' },
    admin: { rows: async (text: string) => (await admin.query(text)).rows },
    connect: async () => {
      const { client, close: end } = await openClient(place.apiUrl)
      close = end
      return { client, rows: async <Row extends object>(text: string) => (await client.query<Row>(text)).rows }
    },
  })
  return { session, close }
}

function judged(
  statements: Explained[],
  index: string,
  wholeOf: ReadonlyMap<string, string>,
): Pick<Plan, 'indexes' | 'flaws'> {
  const nodes = statements.flatMap((statement) => statement.nodes).filter((node) => node['Actual Loops'] !== 0)
  const used = nodes.filter((node) => /^items(_\d+)?$/.test(node['Relation Name'] ?? ''))
  const names = used.map((node) => node['Index Name'] ?? node['Node Type'])
  const indexes = [...new Set(names.map((name) => wholeOf.get(name) ?? name))]
  const flaws = new Set(nodes.flatMap(flawsOf))
  if (!indexes.some((name) => name === index)) flaws.add(`does not use ${index}`)
  return { indexes, flaws: [...flaws] }
}

function flawsOf(node: PlanNode): string[] {
  const kind = node['Node Type']
  const table = node['Relation Name'] ?? ''
  if (/Sort|Bitmap|Gather/.test(kind)) return [kind]
  if (!growing.test(table)) return []
  if (kind === 'Seq Scan') return [`${kind} of ${table}`]
  const discarded = node['Rows Removed by Filter'] ?? 0
  return discarded > 0 ? [`${discarded} rows of ${table} discarded`] : []
}
