import { beforeAll, expect, test } from 'vitest'
import { listItems } from '../../src/api/items.ts'
import { listValuations } from '../../src/api/valuations.ts'
import { findItems, readChoices } from '../../src/console/studio/items-reading.ts'
import type { MemberReading } from '../../src/console/studio/member-session.ts'
import { plannerDefaults, withSchedule } from '../../src/report/schedule.ts'
import { expectConsistent } from '../sql/invariants.ts'
import { askBy, askWith, inStudio, parsed, type Session, type Studio, useSql } from '../sql/support.ts'
import { fillStudio } from '../support/bulk.ts'
import { connectExplaining } from './explained.ts'
import * as plans from './support.ts'

const sql = useSql()
let big: Studio
let session: Session
let explain: Awaited<ReturnType<typeof connectExplaining>>['explain']
let workers: number

beforeAll(async () => {
  big = await plans.makeBigStudio(sql)
  ;({ session, explain } = await connectExplaining(sql))
  workers = await valuingWorkers()
  await plans.addSmallStudios(sql, big)
  await plans.settle(sql)
}, 420_000)

/** How many workers value the items of a day, before small studios make the average one small. */
async function valuingWorkers(): Promise<number> {
  await sql.admin.rows('analyze app.items, app.studios')
  await session.begin(big)
  const { statements } = await explain(() => session.rows(`select count(*) from api_v1.items_on('2026-03-31')`))
  await session.rows('rollback')
  return Math.max(...statements.flatMap(({ nodes }) => nodes.map((node) => node['Workers Launched'] ?? 0)))
}

// No version before 17 gives workers a statement that has InitPlans.
test('from PostgreSQL 17 on, parallel workers value the items of a large studio', async () => {
  const version = Number(await sql.admin.value('show server_version_num'))
  expect(workers > 0, `${workers} workers on ${version}`).toBe(version >= 170_000)
})

test('what is loaded set by set is what the triggers would have made of it', async () => {
  const studio = await sql.studio()
  await fillStudio((text, values) => sql.admin.rows(text, values), studio.id, {
    ...{ items: 1_000, photos: { each: 2, oneIn: 3 }, maintenance: 200, locations: 3, policies: 5, assignedOneIn: 4 },
  })
  await expectConsistent(sql, studio)
  // Its rows are on the same pages as those of the large studio.
  await plans.settle(sql)
})

const since = '2026-01-01T00:20:00Z'
const filters: [category: string | null, state: string | null][] = [
  [null, null],
  ['Microphones', null],
  [null, 'under_covered'],
  ['Microphones', 'under_covered'],
]
/** Questions that a studio of 200,000 items is asked, and how many records the answer has. */
const questions: [operation: string, values: unknown[], shown: number][] = [
  ...filters.flatMap((filter): [string, unknown[], number][] => [
    ['list_items', [1, 50, ...filter, null], 50],
    ['list_items', [40, 50, ...filter, null], 50],
    ['list_items', [4, 50, ...filter, since], 50],
    ['list_items', [1, 50, ...filter, '2036-01-01'], 0],
  ]),
  ['list_items', [1, 50, null, null, null, null, null, '000000012345'], 1],
  ['list_items', [1, 50, null, null, null, null, null, null, 'SN-12345'], 1],
  ...[null, 'scheduled'].flatMap((status): [string, unknown[], number][] => [
    ['list_maintenance', [1, 50, null, status, null], 50],
    ['list_maintenance', [100, 50, null, status, '2001-01-01'], 50],
  ]),
  ['list_policies', [1, 50, null], 50],
  ['list_policies', [20, 50, null], 50],
  ['list_locations', [20, 50, null], 50],
  ['list_locations', [1, 50, '2036-01-01'], 0],
  ['list_valuations', [1, 50, null, null, null], 50],
  ['list_valuations', [4, 50, null, null, since], 50],
  ['list_valuations', [1, 50, null, null, '2036-01-01'], 0],
  ['get_account', [], 1],
]

test.each(questions)(
  '%s %j is read by an index, without a sort, and nothing else is read',
  async (operation, values, shown) => {
    const { result, statements } = await explain(() => askWith(session, operation, big.digest, ...values))
    expect([result.status, parsed(result).length]).toEqual([200, shown])
    plans.expectNoDetour(statements)
    // One more is the record after the page. Policies and locations are counted.
    if (!/policies|locations/.test(operation)) plans.expectRowsRead(statements, shown + 1)
  },
)

/** The indexes that a search reads, by the table of its list. */
const searched: Record<string, string[]> = {
  items: ['items_by_words', 'items_pkey'],
  item_valuations: ['item_valuations_by_update', 'item_valuations_pkey'],
}
test.each<[what: string, table: string, given: Record<string, string>, shown: number]>([
  ['items with words', 'items', { q: 'sn-1999 item' }, 50],
  ['items with a tag of many', 'items', { tag: 'rack 3' }, 50],
  ['items with a tag of none', 'items', { tag: 'rack' }, 0],
  ['items of a day', 'items', { acquired_before: '2024-01-01' }, 50],
  ['values of a category', 'item_valuations', { category: 'Microphones' }, 50],
  ['values in a state', 'item_valuations', { coverage_state: 'under_covered' }, 50],
  ['values of a source', 'item_valuations', { value_source: 'market' }, 50],
])('a search for %s reads an index alone, and of the table what it shows', async (_what, table, given, shown) => {
  const operation = table === 'items' ? listItems : listValuations
  const values = { page: 1, per_page: 50, ...given }
  const { result, statements } = await explain(() => askBy(session, operation, big.digest, values))
  expect(parsed(result)).toHaveLength(shown)
  plans.expectNoDetour(statements)
  const scans = statements.flatMap(({ nodes }) => nodes.filter((node) => node['Relation Name'] === table))
  expect(new Set(scans.map((node) => node['Index Name']))).toEqual(new Set(searched[table]))
  for (const node of scans) expect([0, undefined]).toContain(node['Heap Fetches'])
})

test('the console finds items without a value by an index, and reads no values', async () => {
  await session.begin(big)
  for (const [name, value] of Object.entries(plannerDefaults)) await session.rows(`set local ${name} = ${value}`)
  await session.rows('set local enable_nestloop = off')
  const reading = {
    session: { opens: 'access.open_session($1::bytea)', values: [big.digest] },
    queryWhole: (text, values) => session.rows(text, values),
  } satisfies Partial<MemberReading> as unknown as MemberReading
  const choices = readChoices(new URLSearchParams('without=value'))
  const { result, statements } = await explain(async () => {
    const found = await findItems(reading, choices, { page: 1, size: 50, skip: 0 })
    // The server logs the plan when the statement's portal is closed.
    await session.client.query('rollback')
    return found
  })
  expect(result.ids).toHaveLength(50)
  const [found] = statements.filter(({ text }) => text.includes('service.searched_items'))
  const scans = found?.nodes.filter((node) => node['Relation Name'] !== undefined) ?? []
  expect(new Set(scans.map((node) => node['Relation Name']))).toEqual(new Set(['items']))
  expect(scans.map((node) => node['Node Type'])).not.toContain('Seq Scan')
})

test('an item, its records and policies, and a policy and its items are read by their keys', async () => {
  const { item_id, policy_id } = await sql.admin.row<{ item_id: string; policy_id: string }>(
    `select a.item_id, a.policy_id from app.policy_assignments a
     join app.items i on i.studio_id = a.studio_id and i.id = a.item_id and i.archived_at is null
     where a.studio_id = $1 limit 1`,
    [big.id],
  )
  for (const [operation, ...values] of [
    ['get_item', item_id],
    ['list_item_policies', item_id],
    ['list_maintenance', 1, 50, item_id, null, null],
    ['get_policy', policy_id],
    ['list_policy_items', policy_id, 1, 50],
  ] as [string, ...unknown[]][]) {
    const { result, statements } = await explain(() => askWith(session, operation, big.digest, ...values))
    expect(result.status, operation).toBe(200)
    // The few assignments of one item are sorted.
    plans.expectNoDetour(statements.filter(({ text }) => !text.includes('order by a.is_primary')))
  }
})

test('renaming an item reads its own maintenance records and no others', async () => {
  const writer = await connectExplaining(sql, 'studio_writer')
  const item = await sql.admin.value('select item_id from app.maintenance_records where studio_id = $1 limit 1', [
    big.id,
  ])
  await writer.session.begin(big)
  const { statements } = await writer.explain(() =>
    writer.session.rows(`update app.items set name = name || '!' where studio_id = $1 and id = $2`, [big.id, item]),
  )
  await writer.session.client.query('rollback')
  const copied = statements.filter(({ text }) => text.includes('update app.maintenance_records'))
  expect(copied).toHaveLength(1)
  plans.expectRowsRead(copied, 1)
})

test('the sums of a day read each item a few times, although an average studio has sixty', async () => {
  await session.rows(`set statement_timeout = '1min'`)
  const { result, statements } = await explain(() =>
    askWith(session, 'get_valuation_summary', big.digest, null, null, 'category', '2026-03-31'),
  )
  await session.rows('reset statement_timeout')
  expect(result.status).toBe(200)
  plans.expectFewReads(statements, 400_000)
})

test('the lines of a report read each table once, however many items have policies and photos', async () => {
  await inStudio(sql.admin, big, async (writer) => {
    await writer.rows('set local session_replication_role = replica')
    await writer.rows(
      `insert into app.item_photos (studio_id, item_id, storage_key, position)
       select studio_id, id, 'photo', 1 from app.items where studio_id = $1 order by id limit 20000`,
      [big.id],
    )
  })
  const request = { url: sql.database.urlFor('studio_api'), studioId: big.id, day: null, format: 'csv' } as const
  const first = await withSchedule(request, async ({ batches }) => (await batches[Symbol.asyncIterator]().next()).value)
  expect(first).toHaveLength(100)
})

test('a count of the items without a policy reads the policies once, and the assignments of each item', async () => {
  await session.begin(big)
  const { statements } = await explain(() =>
    session.rows('select count(*) from api_v1.items where active_policy_count = 0'),
  )
  await session.client.query('rollback')
  const nodes = statements.flatMap((statement) => statement.nodes)
  const loops = (name: string) =>
    nodes.filter((node) => node['Relation Name'] === name).map((node) => node['Actual Loops'])
  expect(loops('policies').filter(Boolean)).toEqual([1])
  expect(Math.max(...loops('policy_assignments').map(Number))).toBeLessThanOrEqual(200_000)
})
