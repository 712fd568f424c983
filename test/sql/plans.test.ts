import { beforeAll, describe, expect, test } from 'vitest'
import { connectExplaining, type Explained } from './explained.ts'
import { askWith, inStudio, parsed, type Session, type Studio, useSql } from './support.ts'

const sql = useSql()
const items = 200_000
const records = 40_000
let big: Studio

beforeAll(async () => {
  for (const session of [sql.admin, sql.owner]) await session.rows('set synchronous_commit = on')
  big = await sql.studio()
  await inStudio(sql.owner, big, async (session) => {
    await session.rows(
      `insert into app.items (studio_id, name, category, purchase_price, reported_insured_value, updated_at)
       select $1, 'item ' || n, c.name, n % 3 * 100, n % 5 * 40, timestamptz '2026-01-01' + n * interval '7 milliseconds'
       from generate_series(1, ${items}) as n join app.categories c on c.position = n % 16 + 1`,
      [big.id],
    )
    await session.rows(
      `insert into app.maintenance_records (studio_id, item_id, title, status, completed_date)
       select i.studio_id, i.id, 'check', case when i.purchase_price = 0 then 'completed' else 'scheduled' end,
         case when i.purchase_price = 0 then date '2026-01-01' end
       from app.items i where i.studio_id = $1 limit ${records}`,
      [big.id],
    )
  })
}, 300_000)

/** Statistics and visibility as autovacuum keeps them. */
const settle = async () => {
  const tables = ['app.items', 'app.maintenance_records', 'app.item_valuations']
  for (let attempt = 1; attempt <= 50; attempt++) {
    await sql.admin.rows(`vacuum analyze ${tables.join(', ')}`)
    const unseen = await sql.admin.rows(
      'select from pg_class where oid = any ($1::regclass[]) and relallvisible < relpages * 0.99',
      [tables],
    )
    if (unseen.length === 0) return
    // A commit that has not been flushed yet, anywhere on the server, keeps its neighbours' rows from being marked.
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  throw new Error('vacuum could not mark the pages as visible to everybody')
}

/** Two thousand studios of sixty items: what one plan for all studios has to reckon with. */
const addSmallStudios = () =>
  inStudio(sql.admin, big, async (session) => {
    await session.rows('set local session_replication_role = replica')
    await session.rows(`insert into app.studios (name) select 'small ' || n from generate_series(1, 2000) as n`)
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
  })

type Filter = [category: string | null, state: string | null]
const itemShapes: [what: string, filter: Filter, index: string][] = [
  ['no filter', [null, null], 'items_by_update'],
  ['a category', ['Microphones', null], 'items_by_category'],
  ['a coverage state', [null, 'under_covered'], 'items_by_coverage'],
  ['both', ['Microphones', 'under_covered'], 'items_by_category_and_coverage'],
]
const recordShapes: [what: string, status: string | null, index: string][] = [
  ['no filter', null, 'maintenance_by_update'],
  ['a status', 'scheduled', 'maintenance_by_status'],
]

describe.each<[where: string, prepare: () => Promise<unknown>]>([
  ['alone in its database', settle],
  ['among two thousand small ones', () => addSmallStudios().then(settle)],
])(`a studio of ${items} items, %s`, (_where, prepare) => {
  let session: Session
  let explain: Awaited<ReturnType<typeof connectExplaining>>['explain']

  beforeAll(async () => {
    await prepare()
    ;({ session, explain } = await connectExplaining(sql))
  }, 120_000)

  /** Asks an operation and gives the statements that it ran, by what each is for. */
  const run = async (operation: string, ...values: unknown[]) => {
    const { result, statements } = await explain(() => askWith(session, operation, big.digest, ...values))
    expect(result.status).toBe(200)
    expectNoDetour(statements)
    return {
      elements: parsed(result).length,
      total: Number(result.total),
      page: only(statements, 'string_agg'),
      firstKey: statements.filter(({ text }) => /offset skipped - 1\s+limit 1/.test(text)),
      count: statements.filter(({ text }) => text.includes('select count(*)')),
      statements,
    }
  }

  const expectScan = (statement: Explained | undefined, index: string, kind = /^Index( Only)? Scan$/) => {
    const scans = statement?.nodes.filter((node) => /Scan$/.test(node['Node Type']) && isIndexed(node['Index Name']))
    expect(
      scans?.map((node) => node['Index Name']),
      statement?.text,
    ).toEqual([index])
    expect(scans?.[0]?.['Node Type']).toMatch(kind)
    expect(scans?.[0]?.['Rows Removed by Filter'] ?? 0).toBe(0)
  }

  /** Counting needs no order, so that any index that holds the filters will do: in it alone, and nothing but what counts. */
  const expectCount = (statement: Explained | undefined, total: number) => {
    const scans = statement?.nodes.filter((node) => isIndexed(node['Index Name'])) ?? []
    expect(scans, statement?.text).toMatchObject([
      { 'Node Type': 'Index Only Scan', 'Actual Rows': total, 'Heap Fetches': 0 },
    ])
    expect(scans[0]?.['Rows Removed by Filter'] ?? 0).toBe(0)
  }

  describe.each(itemShapes)('GET /items with %s', (_what, [category, state], index) => {
    test('reads the first page by its index and nothing more', async () => {
      const { page, firstKey, count, elements } = await run('list_items', 1, 50, category, state, null)
      expectScan(page, index, /^Index Scan$/)
      expect(elements).toBe(50)
      expect(firstKey).toEqual([])
      expect(count).toEqual([])
      expect(rowsRead(page, index)).toBe(50)
    })

    test('finds the first key of a deep page in its index alone', async () => {
      const { page, firstKey, elements } = await run('list_items', 100, 50, category, state, null)
      expect(firstKey).toHaveLength(1)
      expectScan(firstKey[0], index, /^Index Only Scan$/)
      expect(firstKey[0]?.nodes.every((node) => (node['Heap Fetches'] ?? 0) === 0)).toBe(true)
      expectScan(page, index, /^Index Scan$/)
      expect(elements).toBe(50)
      expect(rowsRead(page, index)).toBe(50)
    })

    test('counts what is newer in its index alone', async () => {
      const since = '2026-01-01T00:20:00Z'
      const { page, count, total } = await run('list_items', 1, 50, category, state, since)
      expect(count).toHaveLength(1)
      expectCount(count[0], total)
      expectScan(page, index, /^Index Scan$/)
      expect(total).toBe(await counted('items', { category, coverage_state: state }, since))
      expect(rowsRead(page, index)).toBe(50)
    })

    test('takes a total from the counters that is the real one', async () => {
      const { total } = await run('list_items', 1, 50, category, state, null)
      expect(total).toBe(await counted('items', { category, coverage_state: state }))
    })
  })

  describe.each(recordShapes)('GET /maintenance with %s', (_what, status, index) => {
    test('reads the first page by its index and nothing more', async () => {
      const { page, count, elements } = await run('list_maintenance', 1, 50, null, status, null)
      expectScan(page, index, /^Index Scan$/)
      expect(count).toEqual([])
      expect([elements, rowsRead(page, index)]).toEqual([50, 50])
    })

    test('finds the first key of a deep page in its index alone, and counts what is newer there', async () => {
      const { page, firstKey, count, total } = await run('list_maintenance', 100, 50, null, status, '2001-01-01')
      expectScan(firstKey[0], index, /^Index Only Scan$/)
      expectCount(count[0], total)
      expectScan(page, index, /^Index Scan$/)
      expect(total).toBe(await counted('maintenance_records', { status }))
    })
  })

  test('GET /maintenance of one item reads that item’s records by their index', async () => {
    const [item] = await sql.admin.rows<{ item_id: string }>(
      'select item_id from app.maintenance_records where studio_id = $1 limit 1',
      [big.id],
    )
    const { page } = await run('list_maintenance', 1, 50, item?.item_id, null, null)
    expectScan(page, 'maintenance_by_item')
  })

  test('GET /items/{id} and its policies read by key', async () => {
    const [item] = await sql.admin.rows<{ id: string }>('select id from app.items where studio_id = $1 limit 1', [
      big.id,
    ])
    for (const operation of ['get_item', 'list_item_policies']) {
      const { result, statements } = await explain(() => askWith(session, operation, big.digest, item?.id))
      expect(result.status).toBe(200)
      expectNoDetour(statements)
      const touched = statements.flatMap(({ nodes }) => nodes).filter((node) => node['Relation Name'] === 'items')
      expect(touched.length).toBeGreaterThan(0)
      for (const node of touched) expect(node['Index Name']).toBe('items_pkey')
    }
  })
})

/** No sort, no sequential or bitmap scan of what grows with a studio. */
function expectNoDetour(statements: Explained[]): void {
  expect(statements.length).toBeGreaterThan(1)
  const large = ['items', 'maintenance_records', 'item_valuations', 'tokens']
  for (const { text, nodes } of statements) {
    if (!nodes.some((node) => large.includes(node['Relation Name'] ?? ''))) continue
    for (const node of nodes) expect(node['Node Type'], text).not.toMatch(/Sort|Bitmap|Gather/)
    const sequential = nodes.filter((node) => node['Node Type'] === 'Seq Scan')
    expect(
      sequential.map((node) => node['Relation Name']).filter((name) => large.includes(name ?? '')),
      text,
    ).toEqual([])
  }
}

function only(statements: Explained[], word: string): Explained | undefined {
  const found = statements.filter(({ text }) => text.includes(word))
  expect(found).toHaveLength(1)
  return found[0]
}

const isIndexed = (name: string | undefined) => /^(items|maintenance)_by_/.test(name ?? '')

function rowsRead(statement: Explained | undefined, index: string): number | undefined {
  return statement?.nodes.find((node) => node['Index Name'] === index)?.['Actual Rows']
}

async function counted(table: string, where: Record<string, string | null>, since = '2001-01-01'): Promise<number> {
  const given = Object.entries(where).filter(([, value]) => value !== null)
  const conditions = given.map(([name], n) => ` and ${name} = $${n + 3}`).join('')
  const text = `select count(*) from app.${table} where studio_id = $1 and updated_at >= $2${conditions}`
  return Number(await sql.admin.value(text, [big.id, since, ...given.map(([, value]) => value)]))
}
