import { beforeAll, describe, expect, test } from 'vitest'
import { expectConsistent } from '../sql/invariants.ts'
import { askWith, parsed, type Session, type Studio, useSql } from '../sql/support.ts'
import { fillStudio } from '../support/bulk.ts'
import { connectExplaining } from './explained.ts'
import * as plans from './support.ts'

const sql = useSql()
const since = '2026-01-01T00:20:00Z'
let big: Studio

beforeAll(async () => {
  big = await plans.makeBigStudio(sql)
}, 300_000)

test('what is loaded set by set is what the triggers would have made of it', async () => {
  const studio = await sql.studio()
  await fillStudio((text, values) => sql.admin.rows(text, values), studio.id, {
    ...{ items: 1_000, photos: { each: 2, oneIn: 3 }, maintenance: 200, locations: 3, policies: 5, assignedOneIn: 4 },
  })
  await expectConsistent(sql, studio)
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

/** The rows of a page, and the one that tells whether there are more. */
const read = 51

describe(`a studio of ${plans.items} items among two thousand small ones`, () => {
  let session: Session
  let explain: Awaited<ReturnType<typeof connectExplaining>>['explain']

  beforeAll(async () => {
    await plans.addSmallStudios(sql, big)
    await plans.settle(sql)
    ;({ session, explain } = await connectExplaining(sql))
  }, 120_000)

  /** Asks an operation and gives the statements that it ran, by what each is for. */
  const run = async (operation: string, ...values: unknown[]) => {
    const { result, statements } = await explain(() => askWith(session, operation, big.digest, ...values))
    expect(result.status).toBe(200)
    plans.expectNoDetour(statements)
    return {
      elements: parsed(result).length,
      total: Number(result.total),
      ...(operation.startsWith('list') ? plans.partsOf(statements, { isDeep: Number(values[0]) > 1 }) : {}),
      statements,
    }
  }

  /** A page beyond the first: its first key in the index alone, then no row but its own. */
  const expectDeepPage = ({ key, page, elements }: Awaited<ReturnType<typeof run>>, index: string) => {
    plans.expectScan(key, index, /^Index Only Scan$/)
    expect(key?.['Heap Fetches']).toBe(0)
    plans.expectScan(page, index, /^Index Scan$/)
    expect([elements, page?.['Actual Rows']]).toEqual([50, read])
  }

  describe.each(itemShapes)('GET /items with %s', (_what, [category, state], index) => {
    test('reads the first page by its index and nothing more, and takes the total from the counters', async () => {
      const { page, count, elements, total, statements } = await run('list_items', 1, 50, category, state, null)
      plans.expectScan(page, index, /^Index Scan$/)
      expect([elements, page?.['Actual Rows'], count]).toEqual([50, read, undefined])
      plans.expectCounters(statements, 'item_counts')
      expect(total).toBe(await counted('items', 'archived_at is null', { category, coverage_state: state }))
    })

    test('finds the first key of a deep page in its index alone, also of what is newer', async () => {
      expectDeepPage(await run('list_items', 40, 50, category, state, null), index)
      expectDeepPage(await run('list_items', 4, 50, category, state, since), index)
    })

    test('counts what is newer in its index alone, and reads nothing when nothing is', async () => {
      const { page, count, total } = await run('list_items', 1, 50, category, state, since)
      plans.expectCount(count, total)
      plans.expectScan(page, index, /^Index Scan$/)
      expect(total).toBe(await counted('items', 'archived_at is null', { category, coverage_state: state }, since))
      const none = await run('list_items', 1, 50, category, state, '2036-01-01')
      expect([none.total, none.page?.['Actual Loops']]).toEqual([0, 0])
      plans.expectCount(none.count, 0)
    })
  })

  test.each([
    ['barcode', '000000012345', 'items_by_barcode'],
    ['serial_number', 'SN-12345', 'items_by_serial_number'],
  ])('GET /items by its %s reads that item by its index, and counts it there', async (lookup, value, index) => {
    const rest = lookup === 'barcode' ? [value] : [null, value]
    for (const [category, found] of [
      [null, 1],
      ['Microphones', 0],
    ] as const) {
      const { page, count, total } = await run('list_items', 1, 50, category, null, null, ...rest)
      expect(total).toBe(found)
      expect([count?.['Index Name'], page?.['Index Name'], page?.['Actual Rows']]).toEqual([index, index, found])
    }
  })

  describe.each(recordShapes)('GET /maintenance with %s', (_what, status, index) => {
    test('reads the first page by its index and nothing more, and takes the total from the counters', async () => {
      const { page, count, elements, total, statements } = await run('list_maintenance', 1, 50, null, status, null)
      plans.expectScan(page, index, /^Index Scan$/)
      plans.expectCounters(statements, 'maintenance_counts')
      expect([elements, page?.['Actual Rows'], count]).toEqual([50, read, undefined])
      expect(total).toBe(await counted('maintenance_records', 'not item_archived', { status }))
    })

    test('finds the first key of a deep page in its index alone, and counts what is newer there', async () => {
      const found = await run('list_maintenance', 100, 50, null, status, '2001-01-01')
      expectDeepPage(found, index)
      plans.expectCount(found.count, found.total)
    })
  })

  test.each([null, 'scheduled'])(
    'GET /maintenance of one item, status %s, reads that item’s records by their index',
    async (status) => {
      const item = await any('item_id', 'maintenance_records', `not item_archived and status = 'scheduled'`)
      const { page, total } = await run('list_maintenance', 1, 50, item, status, null)
      plans.expectScan(page, 'maintenance_by_item')
      expect(total).toBe(1)
    },
  )

  test.each([
    ['list_policies', 'policies_by_start', 1],
    ['list_policies', 'policies_by_start', 20],
    ['list_locations', 'locations_by_update', 20],
  ])('%s reads and counts by the index %s, page %i', async (operation, index, page) => {
    const found = await run(operation, page, 50, null)
    for (const scan of [found.page, found.count]) expect(scan?.['Index Name']).toBe(index)
    expect(found.elements).toBe(50)
  })

  test('GET /policies and /locations with updated_since find nothing without a sort', async () => {
    for (const operation of ['list_policies', 'list_locations']) {
      expect((await run(operation, 1, 50, '2036-01-01')).total).toBe(0)
    }
  })

  test('GET /policies/{id} counts its assignments by their index', async () => {
    const { statements } = await run('get_policy', await any('policy_id', 'policy_assignments'))
    plans.expectScan(plans.listScans(plans.only(statements, 'count(*)'))[0], 'policy_assignments_by_policy')
  })

  test('GET /items/{id} and its policies read by key', async () => {
    const item = await any('item_id', 'policy_assignments')
    for (const operation of ['get_item', 'list_item_policies']) {
      const { result, statements } = await explain(() => askWith(session, operation, big.digest, item))
      expect(result.status).toBe(200)
      // The few assignments of one item are sorted.
      plans.expectNoDetour(statements.filter(({ text }) => !text.includes('order by a.is_primary')))
      const touched = statements.flatMap(({ nodes }) => nodes).filter((node) => node['Relation Name'] === 'items')
      expect(touched.length).toBeGreaterThan(0)
      for (const node of touched) expect(node['Index Name']).toBe('items_pkey')
    }
  })

  test('GET /account takes the number of items from the counters', async () => {
    const { statements } = await run('get_account')
    plans.expectCounters(statements, 'item_counts')
  })

  test('renaming an item reads its own maintenance records and no others', async () => {
    const writer = await connectExplaining(sql, 'studio_writer')
    const item = await any('item_id', 'maintenance_records')
    await writer.session.begin(big)
    const { statements } = await writer.explain(() =>
      writer.session.rows(`update app.items set name = name || '!' where studio_id = $1 and id = $2`, [big.id, item]),
    )
    await writer.session.client.query('rollback')
    const copied = statements.filter(({ text }) => text.includes('update app.maintenance_records'))
    expect(copied).toHaveLength(1)
    const [scan] = plans.listScans(copied[0])
    plans.expectScan(scan, 'maintenance_by_item', /Index Scan$/)
    expect(scan?.['Actual Rows']).toBe(1)
  })
})

/** A column of any row of the studio that can be shown. */
function any(column: string, table: string, condition = 'true'): Promise<string> {
  return sql.admin.value(
    `select ${column} from app.${table} where studio_id = $1 and ${condition}
     and ${table === 'policy_assignments' ? `exists (select from app.items i where i.studio_id = $1 and i.id = item_id and i.archived_at is null)` : 'true'}
     limit 1`,
    [big.id],
  )
}

async function counted(table: string, live: string, where: Record<string, string | null>, from = '2001-01-01') {
  const given = Object.entries(where).filter(([, value]) => value !== null)
  const conditions = given.map(([name], n) => ` and ${name} = $${n + 3}`).join('')
  const text = `select count(*) from app.${table} where studio_id = $1 and updated_at >= $2 and ${live}${conditions}`
  return Number(await sql.admin.value(text, [big.id, from, ...given.map(([, value]) => value)]))
}
