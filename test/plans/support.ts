import { expect } from 'vitest'
import { inStudio, type Sql, type Studio } from '../sql/support.ts'
import { fillStudio } from '../support/bulk.ts'
import { type Explained, nodesOf } from './explained.ts'

/** A studio of 200,000 items, loaded set by set; what its triggers would have derived is there. */
export async function makeBigStudio(sql: Sql): Promise<Studio> {
  const big = await sql.studio()
  const holdings = { items: 200_000, maintenance: 40_000, policies: 2_000, locations: 2_000, assignedOneIn: 10 }
  await fillStudio((text, values) => sql.admin.rows(text, values), big.id, holdings)
  return big
}

const tables = ['items', 'maintenance_records', 'item_valuations', 'policies', 'policy_assignments', 'locations'].map(
  (name) => `app.${name}`,
)

/** Statistics and visibility as autovacuum keeps them. */
export async function settle(sql: Sql): Promise<void> {
  // A commit that is not flushed keeps its neighbours' rows from being marked.
  await sql.admin.rows('set synchronous_commit = on')
  let unseen: object[] = []
  for (let attempt = 1; attempt <= 50; attempt++) {
    // A rollback leaves dead pointers, for which a vacuum would not otherwise read the indexes.
    await sql.admin.rows(`vacuum (analyze, index_cleanup on) ${tables.join(', ')}`)
    unseen = await sql.admin.rows(
      `select relname, relpages, relallvisible from pg_class
       where oid = any ($1::regclass[]) and relallvisible < relpages`,
      [tables],
    )
    if (unseen.length === 0) return
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  throw new Error(`vacuum could not mark all pages as visible to everybody: ${JSON.stringify(unseen)}`)
}

/** Two thousand studios of sixty items, because one plan must serve all studios. */
export function addSmallStudios(sql: Sql, big: Studio): Promise<void> {
  return inStudio(sql.admin, big, async (session) => {
    await session.rows('set local session_replication_role = replica')
    await session.rows(
      `insert into app.studios (name, minor_units) select 'small ' || n, 2 from generate_series(1, 2000) as n`,
    )
    await session.rows(
      `insert into app.items (studio_id, name, category, coverage_state)
       select s.id, 'item', c.name, (array['fully_covered', 'under_covered', 'uninsured', 'value_unknown'])[n % 4 + 1]
       from app.studios s, generate_series(1, 60) as n join app.categories c on c.position = n % 16 + 1
       where s.name like 'small %'`,
    )
    await session.rows(
      `insert into app.maintenance_records (studio_id, item_id, title)
       select studio_id, id, 'check' from app.items where name = 'item' and random() < 0.2`,
    )
    for (const table of ['policies', 'locations']) {
      await session.rows(
        `insert into app.${table} (studio_id, name)
         select s.id, 'one of two' from app.studios s, generate_series(1, 2) where s.name like 'small %'`,
      )
    }
  })
}

const growing = [
  ...['items', 'maintenance_records', 'item_valuations', 'item_photos', 'policies', 'policy_assignments'],
  ...['locations', 'item_counts', 'maintenance_counts', 'tokens'],
]

/** No sort, and no sequential or bitmap scan, of tables that grow. Values within a row may be
 * sorted. */
export function expectNoDetour(statements: Explained[]): void {
  expect(statements.length).toBeGreaterThan(1)
  for (const { text, nodes } of statements) {
    for (const node of nodes) {
      const read = nodesOf(node).map((each) => each['Relation Name'] ?? '')
      if (!read.some((name) => growing.includes(name))) continue
      expect(node['Node Type'], text).not.toMatch(/Sort|Bitmap|Gather|Seq Scan/)
    }
  }
}

/** What a plan reads of tables that grow: as many rows as the answer has, more of an index alone,
 * and no row that it throws away. */
export function expectRowsRead(statements: Explained[], most: number): void {
  for (const { text, nodes } of statements) {
    for (const node of nodes.filter((each) => growing.includes(each['Relation Name'] ?? ''))) {
      expect(node['Rows Removed by Filter'] ?? 0, `${node['Index Name']}: ${text}`).toBe(0)
      if (node['Node Type'] === 'Index Only Scan') expect(node['Heap Fetches'], text).toBe(0)
      else expect(node['Actual Rows'], `${node['Index Name']}: ${text}`).toBeLessThanOrEqual(most)
    }
  }
}

/** No node of a plan looks at more rows than so many. */
export function expectFewReads(statements: Explained[], most: number): void {
  for (const { text, nodes } of statements) {
    for (const node of nodes) {
      const { 'Actual Rows': found = 0, 'Rows Removed by Filter': passed = 0, 'Actual Loops': loops = 1 } = node
      expect((found + passed) * loops, `${JSON.stringify(node)} of ${text}`).toBeLessThanOrEqual(most)
    }
  }
}
